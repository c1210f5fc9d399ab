/* labels.h - from the ids of a file to 0 .. n-1.
 *
 * Room: the set of ids that occur, made known to all ranks. */
#ifndef SCREE__LABELS_H
#define SCREE__LABELS_H
#include "internal.h"

/* In: ids that occurred on this rank, in any order. Out: those of all ranks, ascending, each once, on every rank: 8
 * bytes a vertex, twice that for a moment. Collective; frees `mine` in any case, the
 * caller frees `all`. */
scree_status scree__labels(scree_graphs *graphs, scree__words *mine, scree__words *all);

/* Index of an id that is there. Local. */
uint64_t scree__label_index(const scree__words *all, uint64_t id);

/* Hands the labels to the graph, or frees them if they have no gap. Local. */
void scree__labels_give(scree_graph *g, scree__words *all);

#endif
