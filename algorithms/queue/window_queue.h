/* window_queue.h - a rank's queue of local vertices by distance, for those within a window, [base, limit), and beyond.
 *
 * Near the window is a range of buckets of equal width, emptied in order; what is in one is taken first in, first out.
 * The range is many windows wide, so that a window that moves by its width moves no vertex. Beyond the range, a vertex
 * waits in a bucket by the first byte in which the bits of its key differ from those of the range's origin (a radix
 * heap: Ahuja, Mehlhorn, Orlin & Tarjan, J. ACM 37, 1990), so that nothing need be known of the weights. When the
 * window leaves the range, or its width no longer suits the buckets, the range is rebuilt from the window's base;
 * vertices that it now covers, and those whose first byte that differs is now another, are put where they belong: each
 * a few times at most. No key may be below the base.
 *
 * A bucket is a list of chunks of entries, written and read in order: lists through the vertices would wait for memory
 * at each step. A vertex whose key decreased leaves an old entry, which is recognised by its tag when it is read. All
 * memory is taken by `make`: when no chunk is left, old entries are removed. Local; owner's thread. */
#ifndef SCREE__WINDOW_QUEUE_H
#define SCREE__WINDOW_QUEUE_H
#include <math.h>
#include <scree/graph.h>

#include "queue/double_bits.h"

enum { SCREE__WINDOW_NEAR = 1 << 12, SCREE__WINDOW_BUCKETS = SCREE__WINDOW_NEAR + 8 * 256, SCREE__WINDOW_CHUNK = 15 };
#define SCREE__NONE32 UINT32_MAX

typedef struct {
  uint32_t vertex, tag; /* tag: of the key that was pushed */
} scree__window_entry;

typedef struct {
  uint32_t next; /* chunk; SCREE__NONE32: none */
  uint16_t taken, count;
  scree__window_entry entry[SCREE__WINDOW_CHUNK]; /* [taken, count) are in the queue */
} scree__window_chunk;

typedef struct {
  scree__window_chunk *chunks;
  uint32_t free, unused, capacity; /* a list of chunks; those from `unused` on were never used */
  uint32_t used;                   /* chunks in buckets */
  const double *key;               /* of each vertex that is in */
  double base;                     /* of the window */
  double origin, end, scale;       /* of the near range; scale: its buckets per unit */
  uint64_t origin_bits;
  uint32_t current; /* no near bucket below it holds a vertex */
  uint32_t stop;    /* the first near bucket beyond the window */
  uint64_t in_use[SCREE__WINDOW_BUCKETS / 64];
  uint32_t first[SCREE__WINDOW_BUCKETS], last[SCREE__WINDOW_BUCKETS]; /* chunks; SCREE__NONE32: empty */
} scree__window_queue;

/* Bytes for so many vertices of any graph. Local. */
uint64_t scree__window_queue_bytes(const scree_graph *g, uint64_t vertices, const void *options);
/* NULL: no memory. The window holds 0 alone; `key` is the array of the vertices' keys. */
scree__window_queue *scree__window_queue_make(const scree_graph *graph, const double *key);
void scree__window_queue_free(scree__window_queue *queue);
/* Moves the window to [base, limit), where base is no less than before, no more than any key, and less than limit. What
 * is beyond the limit by less than a bucket, which is at most 1/8 of the window, counts as in it. */
void scree__window_queue_move(scree__window_queue *queue, double base, double limit);
/* No more than any key in the queue, and no less than the base; INFINITY: empty. */
double scree__window_queue_min(scree__window_queue *queue);
/* Removes all old entries. */
void scree__window_queue_compact(scree__window_queue *queue);

static inline uint32_t scree__window_tag(double key) {
  const uint64_t bits = scree__bits_of(key);
  return (uint32_t)(bits ^ bits >> 32);
}

/* True if this is the newest entry of its vertex. If two keys share a tag an old one may be taken for it: the vertex is
 * then taken twice, which costs time and nothing else. */
static inline bool scree__window_is_new(const scree__window_queue *q, scree__window_entry e) {
  return scree__window_tag(q->key[e.vertex]) == e.tag;
}

static inline uint32_t scree__window_bucket(const scree__window_queue *q, double key) {
  if (key < q->end) {
    const double at = (key - q->origin) * q->scale;
    return at < SCREE__WINDOW_NEAR - 1 ? (uint32_t)at : SCREE__WINDOW_NEAR - 1;
  }
  const uint64_t bits = scree__bits_of(key);
  const uint32_t place = (63 - (uint32_t)__builtin_clzll(bits ^ q->origin_bits)) / 8;
  return SCREE__WINDOW_NEAR + 256 * place + (uint32_t)(bits >> 8 * place & 255);
}

/* A free chunk becomes the last of a bucket. */
static inline void scree__window_extend(scree__window_queue *q, uint32_t bucket) {
  if (q->free == SCREE__NONE32 && q->unused == q->capacity) scree__window_queue_compact(q);
  uint32_t chunk = q->free;
  if (chunk == SCREE__NONE32)
    chunk = q->unused++;
  else
    q->free = q->chunks[chunk].next;
  q->chunks[chunk].next = SCREE__NONE32;
  q->chunks[chunk].taken = q->chunks[chunk].count = 0;
  q->used++;
  if (q->last[bucket] == SCREE__NONE32)
    q->first[bucket] = chunk;
  else
    q->chunks[q->last[bucket]].next = chunk;
  q->last[bucket] = chunk;
  q->in_use[bucket / 64] |= UINT64_C(1) << bucket % 64;
  if (bucket < q->current) q->current = bucket;
}

static inline void scree__window_append(scree__window_queue *q, uint32_t bucket, scree__window_entry e) {
  if (q->last[bucket] == SCREE__NONE32 || q->chunks[q->last[bucket]].count == SCREE__WINDOW_CHUNK)
    scree__window_extend(q, bucket);
  scree__window_chunk *chunk = &q->chunks[q->last[bucket]];
  chunk->entry[chunk->count++] = e;
}

/* The bucket's first chunk is free again. */
static inline void scree__window_release(scree__window_queue *q, uint32_t bucket) {
  const uint32_t chunk = q->first[bucket];
  q->first[bucket] = q->chunks[chunk].next;
  q->chunks[chunk].next = q->free;
  q->free = chunk;
  q->used--;
  if (q->first[bucket] != SCREE__NONE32) return;
  q->last[bucket] = SCREE__NONE32;
  q->in_use[bucket / 64] &= ~(UINT64_C(1) << bucket % 64);
}

/* Puts v in, or moves it where its key, which is now lower, belongs. */
static inline void scree__window_push(scree__window_queue *q, uint32_t v, double key) {
  scree__window_append(q, scree__window_bucket(q, key), (scree__window_entry){v, scree__window_tag(key)});
}

/* False: there is no vertex in the window. True: there may be one. */
static inline bool scree__window_any(scree__window_queue *q) {
  uint32_t word = q->current / 64;
  while (word < SCREE__WINDOW_NEAR / 64 && !q->in_use[word]) word++;
  q->current = 64 * word;
  if (word == SCREE__WINDOW_NEAR / 64) return false;
  q->current += (uint32_t)__builtin_ctzll(q->in_use[word]);
  return q->current < q->stop;
}

static inline void scree__window_prefetch(const scree__window_queue *q, const scree__window_chunk *chunk) {
  for (uint32_t i = 0; i < chunk->count; i++) __builtin_prefetch(&q->key[chunk->entry[i].vertex]);
}

/* Takes the first entry of a bucket out. */
static inline scree__window_entry scree__window_take(scree__window_queue *q, uint32_t bucket) {
  scree__window_chunk *chunk = &q->chunks[q->first[bucket]];
  if (chunk->taken == 0) scree__window_prefetch(q, chunk);
  const scree__window_entry e = chunk->entry[chunk->taken++];
  if (chunk->taken == chunk->count) scree__window_release(q, bucket);
  return e;
}

/* Takes a vertex of the first bucket out of the window; SCREE__NONE32: none is in it. */
static inline uint32_t scree__window_pop(scree__window_queue *q) {
  while (scree__window_any(q)) {
    const scree__window_entry e = scree__window_take(q, q->current);
    if (scree__window_is_new(q, e)) return e.vertex;
  }
  return SCREE__NONE32;
}

#endif
