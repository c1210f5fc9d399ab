/* forest.h - union-find over the vertices of one rank: the part of afforest that needs no messages. Local. */
#ifndef SCREE__CC_FOREST_H
#define SCREE__CC_FOREST_H
#include <scree/graph.h>

/* Fills up[] of local vertices: the smallest local vertex that is reachable by arcs between this rank's own vertices.
 * On an undirected graph, arcs of the largest such part are skipped once a few have joined it. *giant is that part's
 * smallest vertex, *weight about how many vertices it has; rest[0 .. *count-1] are the vertices outside it that have
 * arcs (on a directed graph, all that have). Returns the edges examined. */
uint64_t scree__cc_forest(const scree_graph *g, uint32_t *up, uint32_t *rest, uint64_t *count, uint32_t *giant,
                          uint64_t *weight);

#endif
