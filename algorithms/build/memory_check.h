/* memory_check.h - whether a graph fits into the memory of its node, so that it is refused before the node swaps. */
#ifndef SCREE__MEMORY_CHECK_H
#define SCREE__MEMORY_CHECK_H
#include <scree/graph.h>

/* SCREE_OK if `bytes` more on each rank of this node fit. Otherwise SCREE_ENOMEM, and graphs->why says what is needed,
 * what is free and what helps; `what` is the subject of that sentence. Local. */
scree_status scree__memory_check(scree_graphs *graphs, uint64_t bytes, const char *what);

/* The same for a graph whose number of edges is known before it is built. `narrow`: its weights are doubles that may all
 * turn out to be integers. Collective. */
scree_status scree__memory_check_graph(scree_graphs *graphs, const scree_graph_shape *shape, uint64_t edges,
                                       bool narrow);

#endif
