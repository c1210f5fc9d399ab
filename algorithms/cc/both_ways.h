/* both_ways.h - a directed graph with both ways of each arc.
 *
 * Room: for those who follow arcs from their heads. Internal to algorithms/cc. */
#ifndef SCREE__CC_BOTH_WAYS_H
#define SCREE__CC_BOTH_WAYS_H
#include <scree/graph.h>

/* An undirected graph with the vertices and the arcs of g, without weights and labels; the caller frees it.
 * Collective. */
scree_status scree__cc_both_ways(const scree_graph *g, scree_graph **copy);

#endif
