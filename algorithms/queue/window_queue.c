/* window_queue.c - the memory of the queue, and moving its window. */
#include "queue/window_queue.h"

#include <float.h>
#include <scree/memory.h>
#include <stdlib.h>
#include <string.h>

#include "graph/exchange.h"

enum { NEAR = SCREE__WINDOW_NEAR, ALL = SCREE__WINDOW_BUCKETS, CHUNK = SCREE__WINDOW_CHUNK };
/* Windows in the near range when it begins; the window may become 8 times as wide or narrow before it is rebuilt. */
enum { WINDOWS = 64, FACTOR = 8 };

/* Without old entries no more than half of the chunks is in use, however the vertices are spread over buckets. */
static uint32_t chunks_for(uint64_t vertices) {
  const uint64_t spread = vertices / CHUNK + ALL;
  return (uint32_t)(2 * (vertices < spread ? vertices : spread) + 2);
}

uint64_t scree__window_queue_bytes(const scree_graph *g, uint64_t vertices, const void *options) {
  (void)options;
  (void)g;
  return chunks_for(vertices) * sizeof(scree__window_chunk);
}

scree__window_queue *scree__window_queue_make(const scree_graph *g, const double *key) {
  scree__window_queue *q = calloc(1, sizeof *q);
  if (!q) return NULL;
  q->key = key;
  q->end = DBL_TRUE_MIN;
  q->current = NEAR;
  q->free = SCREE__NONE32;
  q->capacity = chunks_for(g->locals);
  memset(q->first, 0xff, sizeof q->first);
  memset(q->last, 0xff, sizeof q->last);
  q->chunks = scree__graphs_alloc_kept(g->graphs, (size_t)q->capacity * sizeof *q->chunks, false);
  if (q->chunks) return q;
  free(q);
  return NULL;
}

void scree__window_queue_free(scree__window_queue *q) {
  if (q) scree_huge_free(q->chunks);
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

/* The bucket's entries that are not old, through the same chunks: writing never overtakes reading. */
static void compact_bucket(scree__window_queue *q, uint32_t bucket) {
  uint32_t read = q->first[bucket];
  q->first[bucket] = q->last[bucket] = SCREE__NONE32;
  q->in_use[bucket / 64] &= ~(UINT64_C(1) << bucket % 64);
  while (read != SCREE__NONE32) {
    const scree__window_chunk from = q->chunks[read];
    q->chunks[read].next = q->free;
    q->free = read;
    q->used--;
    for (uint32_t i = from.taken; i < from.count; i++)
      if (scree__window_is_new(q, from.entry[i])) scree__window_append(q, bucket, from.entry[i]);
    read = from.next;
  }
}

void scree__window_queue_compact(scree__window_queue *q) {
  for (uint32_t bucket = next_in_use(q, 0); bucket < ALL; bucket = next_in_use(q, bucket + 1))
    compact_bucket(q, bucket);
}

static double greater(double a, double b) {
  return a > b ? a : b;
}

/* The minimum key that belongs in a bucket beyond the near range. */
static double min_of(const scree__window_queue *q, uint32_t bucket) {
  const uint32_t place = (bucket - NEAR) / 256;
  const uint64_t upper = place == 7 ? 0 : q->origin_bits >> 8 * (place + 1) << 8 * (place + 1);
  return scree__real_of(upper | (uint64_t)(bucket % 256) << 8 * place);
}

/* The first bucket that holds a vertex; old entries before that vertex are removed. ALL: none. */
static uint32_t first_bucket(scree__window_queue *q) {
  for (uint32_t bucket = 0;;) {
    bucket = next_in_use(q, bucket);
    if (bucket == ALL) return ALL;
    const scree__window_chunk *chunk = &q->chunks[q->first[bucket]];
    if (scree__window_is_new(q, chunk->entry[chunk->taken])) return bucket;
    scree__window_take(q, bucket);
  }
}

double scree__window_queue_min(scree__window_queue *q) {
  const uint32_t bucket = first_bucket(q);
  if (bucket == ALL) return INFINITY;
  if (bucket >= NEAR) return greater(min_of(q, bucket), q->end);
  /* One bucket less: rounding may have put a key into the next one. */
  return greater(q->origin + (bucket ? bucket - 1 : 0) / q->scale, q->base);
}

/* ---- moving ---- */

/* Puts the vertices of a list of chunks, which is not a bucket's now, where they belong. */
static void place(scree__window_queue *q, uint32_t chunk) {
  while (chunk != SCREE__NONE32) {
    const scree__window_chunk from = q->chunks[chunk];
    scree__window_prefetch(q, &from);
    q->chunks[chunk].next = q->free;
    q->free = chunk;
    q->used--;
    for (uint32_t i = from.taken; i < from.count; i++) {
      const scree__window_entry e = from.entry[i];
      if (scree__window_is_new(q, e)) scree__window_append(q, scree__window_bucket(q, q->key[e.vertex]), e);
    }
    chunk = from.next;
  }
}

static uint32_t take_list(scree__window_queue *q, uint32_t bucket) {
  const uint32_t chunk = q->first[bucket];
  q->first[bucket] = q->last[bucket] = SCREE__NONE32;
  q->in_use[bucket / 64] &= ~(UINT64_C(1) << bucket % 64);
  return chunk;
}

/* The remaining vertices of the near range are joined to one list. */
static uint32_t take_near(scree__window_queue *q) {
  uint32_t all = SCREE__NONE32;
  for (uint32_t bucket = next_in_use(q, 0); bucket < NEAR; bucket = next_in_use(q, bucket)) {
    const uint32_t last = q->last[bucket], chunk = take_list(q, bucket);
    q->chunks[last].next = all;
    all = chunk;
  }
  return all;
}

/* Begins the near range at the base. A list that is to be placed is not compacted meanwhile, so it must not be long. */
static void begin_near(scree__window_queue *q, double base, double end) {
  if (q->used > q->capacity / 2) scree__window_queue_compact(q);
  const uint32_t rest = take_near(q);
  uint32_t bucket = next_in_use(q, NEAR), moved = SCREE__NONE32;
  /* Of all buckets in use, only the first can hold keys whose first byte that differs from the origin is now
   * another. */
  const uint64_t bits = scree__bits_of(base);
  if (bits != q->origin_bits) {
    const uint32_t at = (63 - (uint32_t)__builtin_clzll(bits ^ q->origin_bits)) / 8;
    const uint32_t of_base = NEAR + 256 * at + (uint32_t)(bits >> 8 * at & 255);
    if (bucket == of_base) moved = take_list(q, bucket);
  }
  q->origin = base;
  q->origin_bits = bits;
  q->end = end;
  q->scale = NEAR / (end - base);
  q->current = 0;
  place(q, rest);
  place(q, moved);
  /* A bucket that the end divides is searched; entries beyond the end are put back. */
  for (bucket = next_in_use(q, NEAR); bucket < ALL && min_of(q, bucket) < end; bucket = next_in_use(q, bucket + 1))
    place(q, take_list(q, bucket));
}

void scree__window_queue_move(scree__window_queue *q, double base, double limit) {
  const double buckets = (limit - base) * q->scale, usual = (double)NEAR / WINDOWS;
  if (!(limit <= q->end && buckets >= usual / FACTOR && buckets <= usual * FACTOR)) {
    const double end = base + WINDOWS * (limit - base);
    begin_near(q, base, end < INFINITY ? end : limit);
  }
  q->base = base;
  const double stop = (limit - q->origin) * q->scale;
  q->stop = stop < NEAR ? (uint32_t)stop + 1 : NEAR;
}
