/* labels.h - the set of ids that occur, as labels of the vertices 0 .. n-1, while a graph is made; then each rank keeps
 * those of its own vertices. */
#ifndef SCREE__LABELS_H
#define SCREE__LABELS_H
#include "read/list/edge_staging.h"

/* Ids in ascending order, and back. With gaps either all ranks have a bit for each number, or each rank has the indices
 * of the ids that it has read, and the ids of its range. */
typedef struct scree__labels {
  uint64_t base, n; /* the smallest id; how many */
  bool gaps;        /* else they are base .. base + n - 1 */
  uint64_t *at;     /* the ids of this rank, or NULL */
  size_t count;     /* of them */
  uint64_t *index;  /* theirs */
  uint64_t *range;  /* the ids of the rank's range */
  size_t range_count;
  uint64_t before_range; /* ids of the ranges before it */
  uint64_t first;        /* where gaps are small: a bit for each number from here on, and */
  uint64_t *bits;
  uint64_t *before; /* how many ids there are before each 64 bits */
  size_t words;     /* length of `bits` and of `before` */
} scree__labels;

/* Finds the ids of all ranks: ends of edges, and `vertices`, which is emptied; some rank has one. The labels take a
 * quarter of a byte for each number between the smallest and the largest id, on every rank, if they are close together;
 * else 16 bytes for each id of the rank and 8 for each of its range. Collective; the caller frees them in any case. */
scree_status scree__labels_find(scree__edge_staging *g, scree__labels *labels);
void scree__labels_free(scree__labels *labels);

/* Number of set bits: a baseline x86-64 has no instruction for it. */
static inline uint64_t scree__popcount(uint64_t x) {
  x -= x >> 1 & UINT64_C(0x5555555555555555);
  x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
  return ((x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f)) * UINT64_C(0x0101010101010101) >> 56;
}

/* Where an id of this rank is in `at`. Local. */
uint64_t scree__labels_search(const scree__labels *labels, uint64_t id);
/* Index of an id that this rank has read. Local. */
static inline uint64_t scree__labels_index(const scree__labels *labels, uint64_t id) {
  if (!labels->gaps) return id - labels->base;
  const uint64_t bit = id - labels->first;
  const uint64_t at = !labels->bits ? scree__labels_search(labels, id)
                                    : labels->before[bit / 64] +
                                          scree__popcount(labels->bits[bit / 64] & ((UINT64_C(1) << bit % 64) - 1));
  return labels->index ? labels->index[at] : at;
}

/* Gives the graph the labels of this rank's vertices. Collective. */
scree_status scree__labels_give(const scree__labels *labels, scree_graph *g);

#endif
