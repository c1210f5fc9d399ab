/* window_queue.h - a rank's queue of local vertices by distance, for those within a window, [base, limit), and beyond.
 *
 * The window is divided into buckets of equal width, emptied in order; what is in one is taken first in, first out.
 * Beyond the window, a vertex waits in a bucket by the first byte in which the bits of its key differ from those of
 * `base` (a radix heap: Ahuja, Mehlhorn, Orlin & Tarjan, J. ACM 37, 1990), so that nothing need be known of the weights.
 * When the window moves, vertices that it now covers, and those whose first byte that differs is now another, are put
 * where they belong: each a few times at most. No key may be below the base. Buckets are lists through the vertices: a
 * vertex moves in constant time, and no push needs memory. Local; owner's thread. */
#ifndef SCREE__WINDOW_QUEUE_H
#define SCREE__WINDOW_QUEUE_H
#include <math.h>
#include <scree/graph.h>

#include "queue/double_bits.h"

enum { SCREE__WINDOW_NEAR = 1 << 10, SCREE__WINDOW_BUCKETS = SCREE__WINDOW_NEAR + 8 * 256 };
#define SCREE__NONE32 UINT32_MAX

typedef struct {
  uint32_t next, previous; /* in the list; SCREE__NONE32: none */
  uint32_t bucket;         /* plus one; 0: not in the queue */
} scree__window_node;

typedef struct {
  scree__window_node *nodes;
  const double *key;         /* of each vertex that is in */
  double base, limit, scale; /* scale: buckets per unit in the window */
  uint64_t base_bits;
  uint32_t current; /* no bucket of the window below it holds a vertex */
  uint64_t in_use[SCREE__WINDOW_BUCKETS / 64];
  uint32_t first[SCREE__WINDOW_BUCKETS], last[SCREE__WINDOW_BUCKETS]; /* SCREE__NONE32: empty */
} scree__window_queue;

/* NULL: no memory. The window holds 0 alone; `key` is the array of the vertices' keys. */
scree__window_queue *scree__window_queue_make(const scree_graph *graph, const double *key);
void scree__window_queue_free(scree__window_queue *queue);
/* Moves the window to [base, limit), where base is no less than before, no more than any key, and less than limit. */
void scree__window_queue_move(scree__window_queue *queue, double base, double limit);
/* No more than any key in the queue, and no less than the base; INFINITY: empty. */
double scree__window_queue_least(const scree__window_queue *queue);

static inline void scree__window_unlink(scree__window_queue *q, uint32_t v) {
  scree__window_node *n = &q->nodes[v];
  const uint32_t bucket = n->bucket - 1;
  if (n->previous != SCREE__NONE32)
    q->nodes[n->previous].next = n->next;
  else
    q->first[bucket] = n->next;
  if (n->next != SCREE__NONE32)
    q->nodes[n->next].previous = n->previous;
  else
    q->last[bucket] = n->previous;
  if (q->first[bucket] == SCREE__NONE32) q->in_use[bucket / 64] &= ~(UINT64_C(1) << bucket % 64);
  n->bucket = 0;
}

static inline void scree__window_link(scree__window_queue *q, uint32_t v, uint32_t bucket) {
  const uint32_t previous = q->last[bucket];
  q->nodes[v] = (scree__window_node){SCREE__NONE32, previous, bucket + 1};
  q->last[bucket] = v;
  if (previous != SCREE__NONE32) {
    q->nodes[previous].next = v;
    return;
  }
  q->first[bucket] = v;
  q->in_use[bucket / 64] |= UINT64_C(1) << bucket % 64;
  if (bucket < q->current) q->current = bucket;
}

static inline uint32_t scree__window_bucket(const scree__window_queue *q, double key) {
  if (key < q->limit) {
    const double at = (key - q->base) * q->scale;
    return at < SCREE__WINDOW_NEAR - 1 ? (uint32_t)at : SCREE__WINDOW_NEAR - 1;
  }
  const uint64_t bits = scree__bits_of(key);
  const uint32_t place = (63 - (uint32_t)__builtin_clzll(bits ^ q->base_bits)) / 8;
  return SCREE__WINDOW_NEAR + 256 * place + (uint32_t)(bits >> 8 * place & 255);
}

/* Puts v in, or moves it where its lower key belongs. */
static inline void scree__window_push(scree__window_queue *q, uint32_t v, double key) {
  const uint32_t bucket = scree__window_bucket(q, key), old = q->nodes[v].bucket;
  if (old == bucket + 1) return;
  if (old) scree__window_unlink(q, v);
  scree__window_link(q, v, bucket);
}

/* Is there a vertex in the window? */
static inline bool scree__window_any(scree__window_queue *q) {
  uint32_t word = q->current / 64;
  while (word < SCREE__WINDOW_NEAR / 64 && !q->in_use[word]) word++;
  q->current = 64 * word;
  if (word == SCREE__WINDOW_NEAR / 64) return false;
  q->current += (uint32_t)__builtin_ctzll(q->in_use[word]);
  return true;
}

/* Takes a vertex of the first bucket out of the window; SCREE__NONE32: none is in it. */
static inline uint32_t scree__window_pop(scree__window_queue *q) {
  if (!scree__window_any(q)) return SCREE__NONE32;
  const uint32_t v = q->first[q->current];
  scree__window_unlink(q, v);
  return v;
}

#endif
