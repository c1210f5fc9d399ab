/* plan.h - whether a graph whose size is known in advance fits into memory. */
#ifndef SCREE__PLAN_H
#define SCREE__PLAN_H
#include <scree/graph.h>

/* scree__memory_check for a graph whose number of edges is known before it is built. `narrow`: its weights are doubles
 * that may all turn out to be integers. Collective. */
scree_status scree__memory_check_graph(scree_graphs *graphs, const scree_graph_shape *shape, uint64_t edges,
                                       bool narrow);

#endif
