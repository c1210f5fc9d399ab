/* shared.h - SSSP in arrays of the node, which the variant `opt` uses on sparse graphs. */
#ifndef SCREE__SHARED_H
#define SCREE__SHARED_H
#include "sssp/variants.h"

/* Whether the graph is not large, its weights are whole numbers, and any sum of them takes 4 bytes. Local. */
bool scree__shared_fits(const scree_graph *g);
/* Bytes for so many local vertices: of a rank, and its part of the array. Local. */
uint64_t scree__shared_bytes(const scree_graph *g, uint64_t locals);
/* Memory, scree__sssp_of(run)->shared, which stays NULL where not all ranks share memory or weights do not suit, and
 * rows of the node. Collective, outside epochs; returns what all ranks have agreed on. */
scree_status scree__shared_make(scree__run *run);
/* All from the source on. Collective, outside epochs. */
scree_status scree__shared_solve(scree__run *run);

#endif
