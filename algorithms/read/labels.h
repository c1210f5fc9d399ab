/* labels.h - the set of ids that occur, as labels of the vertices 0 .. n-1: known to all ranks while a graph is made, then
 * each keeps those of its own vertices. */
#ifndef SCREE__LABELS_H
#define SCREE__LABELS_H
#include "read/edge_staging.h"

/* Ids in ascending order, and back. */
typedef struct scree__labels {
  uint64_t base, n; /* the smallest id; how many */
  bool gaps;        /* else they are base .. base + n - 1 */
  uint64_t *at;     /* with gaps: the ids, or NULL, and then there are bits */
  uint64_t *bits;   /* where gaps are small: a bit for each number from base on, and */
  uint64_t *before; /* how many ids there are before each 64 bits */
  size_t words;     /* length of `bits` and of `before` */
} scree__labels;

/* Finds the ids of all ranks: ends of edges, and `vertices`, which is emptied; some rank has one. The labels take a
 * quarter of a byte for each number between the smallest and the largest id if they are close together, else 8 bytes per
 * vertex, temporarily 16, on every rank. Collective; the caller frees them in any case. */
scree_status scree__labels_find(scree__edge_staging *g, scree__labels *labels);
void scree__labels_free(scree__labels *labels);

/* Number of set bits: a baseline x86-64 has no instruction for it. */
static inline uint64_t scree__popcount(uint64_t x) {
  x -= x >> 1 & UINT64_C(0x5555555555555555);
  x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
  return ((x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f)) * UINT64_C(0x0101010101010101) >> 56;
}

/* Index of an id that is among the labels, in labels that are listed. Local. */
uint64_t scree__labels_search(const scree__labels *labels, uint64_t id);
/* The same in any. */
static inline uint64_t scree__labels_index(const scree__labels *labels, uint64_t id) {
  uint64_t bit = id - labels->base;
  if (!labels->gaps) return bit;
  if (!labels->bits) return scree__labels_search(labels, id);
  return labels->before[bit / 64] + scree__popcount(labels->bits[bit / 64] & ((UINT64_C(1) << bit % 64) - 1));
}

/* Gives the graph the labels of this rank's vertices. SCREE_ENOMEM: graphs->why is set. Local. */
scree_status scree__labels_give(const scree__labels *labels, scree_graph *g);

#endif
