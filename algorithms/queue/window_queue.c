/* window_queue.c - the memory of the queue, and moving its window. */
#include "queue/window_queue.h"

#include <float.h>
#include <scree/memory.h>
#include <stdlib.h>

enum { NEAR = SCREE__WINDOW_NEAR, ALL = SCREE__WINDOW_BUCKETS };

scree__window_queue *scree__window_queue_make(const scree_graph *g, const double *key) {
  scree__window_queue *q = calloc(1, sizeof *q);
  if (!q) return NULL;
  q->key = key;
  q->limit = DBL_TRUE_MIN;
  q->current = NEAR;
  memset(q->first, 0xff, sizeof q->first);
  memset(q->last, 0xff, sizeof q->last);
  q->nodes = scree_graphs_alloc(g->graphs, (size_t)(g->locals + 1) * sizeof *q->nodes);
  if (q->nodes) return q;
  free(q);
  return NULL;
}

void scree__window_queue_free(scree__window_queue *q) {
  if (q) scree_huge_free(q->nodes);
  free(q);
}

/* The first bucket in use from `bucket` on; ALL: none. */
static uint32_t next_in_use(const scree__window_queue *q, uint32_t bucket) {
  if (bucket >= ALL) return ALL;
  uint32_t word = bucket / 64;
  uint64_t bits = q->in_use[word] >> bucket % 64 << bucket % 64;
  while (!bits && ++word < ALL / 64) bits = q->in_use[word];
  return bits ? 64 * word + (uint32_t)__builtin_ctzll(bits) : ALL;
}

/* The least key that belongs in a bucket beyond the window. */
static double least_of(const scree__window_queue *q, uint32_t bucket) {
  const uint32_t place = (bucket - NEAR) / 256;
  const uint64_t upper = place == 7 ? 0 : q->base_bits >> 8 * (place + 1) << 8 * (place + 1);
  return scree__real_of(upper | (uint64_t)(bucket % 256) << 8 * place);
}

double scree__window_queue_least(const scree__window_queue *q) {
  const uint32_t bucket = next_in_use(q, 0);
  if (bucket == ALL) return INFINITY;
  /* One bucket less in the window: rounding may have put a key into the next one. */
  const double least = bucket < NEAR ? q->base + (bucket ? bucket - 1 : 0) / q->scale : least_of(q, bucket);
  return bucket >= NEAR && least < q->limit ? q->limit : least;
}

/* Puts all vertices of a list where they belong now. */
static void place(scree__window_queue *q, uint32_t v) {
  for (uint32_t next; v != SCREE__NONE32; v = next) {
    next = q->nodes[v].next;
    scree__window_link(q, v, scree__window_bucket(q, q->key[v]));
  }
}

static uint32_t take_list(scree__window_queue *q, uint32_t bucket) {
  const uint32_t v = q->first[bucket];
  q->first[bucket] = q->last[bucket] = SCREE__NONE32;
  q->in_use[bucket / 64] &= ~(UINT64_C(1) << bucket % 64);
  return v;
}

/* What is left in the old window is joined to one list. */
static uint32_t take_window(scree__window_queue *q) {
  uint32_t all = SCREE__NONE32;
  for (uint32_t bucket = next_in_use(q, 0); bucket < NEAR; bucket = next_in_use(q, bucket)) {
    const uint32_t last = q->last[bucket], v = take_list(q, bucket);
    q->nodes[last].next = all;
    all = v;
  }
  return all;
}

void scree__window_queue_move(scree__window_queue *q, double base, double limit) {
  const uint32_t rest = take_window(q);
  uint32_t bucket = next_in_use(q, NEAR), moved = SCREE__NONE32;
  /* Of all buckets in use, only the first can hold keys whose first byte that differs from the base is now another. */
  const uint64_t bits = scree__bits_of(base);
  if (bits != q->base_bits) {
    const uint32_t at = (63 - (uint32_t)__builtin_clzll(bits ^ q->base_bits)) / 8;
    const uint32_t of_base = NEAR + 256 * at + (uint32_t)(bits >> 8 * at & 255);
    if (bucket == of_base) moved = take_list(q, bucket);
  }
  q->base = base;
  q->base_bits = bits;
  q->limit = limit;
  q->scale = NEAR / (limit - base);
  place(q, rest);
  place(q, moved);
  /* A bucket that the limit divides is looked through; what lies beyond is put back. */
  for (bucket = next_in_use(q, NEAR); bucket < ALL && least_of(q, bucket) < limit; bucket = next_in_use(q, bucket + 1))
    place(q, take_list(q, bucket));
}
