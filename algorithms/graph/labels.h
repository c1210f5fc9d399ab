/* labels.h - from the ids of a file to 0 .. n-1.
 *
 * Room: the set of ids that occur, made known to all ranks. */
#ifndef SCREE__LABELS_H
#define SCREE__LABELS_H
#include "graph/gathered.h"

/* Ids in ascending order, and back. */
typedef struct scree__labels {
  uint64_t base, n; /* the least id; how many */
  uint64_t *at;     /* the ids; NULL: base .. base + n - 1 */
  uint64_t *bits;   /* where gaps are small: a bit for each number from base on, and */
  uint64_t *before; /* how many ids there are before each word of bits */
  size_t words;     /* of bits and of before */
} scree__labels;

/* The ids that occurred on this rank, in any order: ends of edges, and `alone`, which is emptied; there is one on some
 * rank. Out: those of all ranks, on every rank: 8 bytes a vertex, twice that for a moment. Collective; the caller frees
 * them in any case. */
scree_status scree__labels_find(scree__gathered *g, scree__labels *labels);
void scree__labels_free(scree__labels *labels);

/* How many bits are set: a processor's own count is not in every machine that the library is compiled for. */
static inline uint64_t scree__ones(uint64_t x) {
  x -= x >> 1 & UINT64_C(0x5555555555555555);
  x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
  return ((x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f)) * UINT64_C(0x0101010101010101) >> 56;
}

/* Index of an id that is there, in labels without bits. Local. */
uint64_t scree__label_search(const scree__labels *labels, uint64_t id);
/* The same in any. */
static inline uint64_t scree__label_index(const scree__labels *labels, uint64_t id) {
  uint64_t bit = id - labels->base;
  if (!labels->at) return bit;
  if (!labels->bits) return scree__label_search(labels, id);
  return labels->before[bit / 64] + scree__ones(labels->bits[bit / 64] & ((UINT64_C(1) << bit % 64) - 1));
}

/* Hands the labels to the graph. Local. */
void scree__labels_give(scree_graph *g, scree__labels *labels);

#endif
