/* degree_order.h - all vertices of a graph by descending degree, ties in the order of their labels. */
#ifndef SCREE__DEGREE_ORDER_H
#define SCREE__DEGREE_ORDER_H
#include "graph/structure.h"

/* The slot of a vertex in a table with an entry for each of them, those of rank 0 first: its location gives it without
 * a division. */
static inline uint64_t scree__vertex_slot(const scree_distribution *d, uint64_t owner, uint64_t local) {
  return owner * d->min + (owner < d->extra ? owner : d->extra) + local;
}

/* *table: by slot in g, the packed location that each vertex gets in `to`, of which distribution and width are known;
 * read by scree__head_get. The caller frees it in any case. Takes 4 bytes for each vertex beside two such tables.
 * Collective. */
scree_status scree__degree_order(const scree_graph *g, const scree_graph *to, void **table);

#endif
