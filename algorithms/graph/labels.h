/* labels.h - from the ids of a file to 0 .. n-1.
 *
 * Room: the set of ids that occur, made known to all ranks. */
#ifndef SCREE__LABELS_H
#define SCREE__LABELS_H
#include "internal.h"

/* Ids in ascending order, and back. */
typedef struct scree__labels {
  uint64_t base, n; /* the least id; how many */
  uint64_t *at;     /* the ids; NULL: base .. base + n - 1 */
  uint64_t *bits;   /* where gaps are small: a bit for each number from base on, and */
  uint64_t *before; /* how many ids there are before each word of bits */
} scree__labels;

/* The ids that occurred on this rank, in any order: in `ids` and in `alone`, which is emptied; none is larger than
 * `most`; there is one on some rank. Out: those of all ranks, on every rank: 8 bytes a vertex, twice that for a moment.
 * Collective; the caller frees them in any case. */
scree_status scree__labels_find(scree_graphs *graphs, const uint64_t *ids, size_t count, scree__words *alone,
                                uint64_t most, scree__labels *labels);
void scree__labels_free(scree__labels *labels);

/* The same where there are gaps. */
uint64_t scree__label_search(const scree__labels *labels, uint64_t id);
/* Index of an id that is there. Local. */
static inline uint64_t scree__label_index(const scree__labels *labels, uint64_t id) {
  return labels->at ? scree__label_search(labels, id) : id - labels->base;
}

/* Hands the labels to the graph. Local. */
void scree__labels_give(scree_graph *g, scree__labels *labels);

#endif
