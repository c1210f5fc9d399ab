/* plan.h - does a graph fit into memory?
 *
 * Room: what a graph takes, what the node has left, and the refusal before it begins to swap. */
#ifndef SCREE__PLAN_H
#define SCREE__PLAN_H
#include "graph/internal.h"

/* SCREE_OK if `bytes` more on each rank of this node fit. Else SCREE_ENOMEM, and graphs->why says what was needed, what
 * there is and what helps; `what` is the subject of that sentence. Local. */
scree_status scree__memory_check(scree_graphs *graphs, uint64_t bytes, const char *what);

/* The same for a graph of which the number of edges is known before it is built. `narrow`: its weights are doubles that
 * may all turn out to be whole. Collective. */
scree_status scree__plan_check(scree_graphs *graphs, const scree_graph_shape *shape, uint64_t edges, bool narrow);

#endif
