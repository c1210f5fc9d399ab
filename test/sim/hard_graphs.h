/* hard_graphs.h - families of graphs and kinds of weights that are hard for one algorithm or another. */
#ifndef HARD_GRAPHS_H
#define HARD_GRAPHS_H
#include <scree/graph.h>

/* The i-th family, and the i-th kind of weights; NULL past the last. */
const char *hard_family_at(size_t i);
const char *hard_weights_at(size_t i);

/* Makes a graph of family i with weights of kind k and 2^13 vertices, or fewer where vertices have many arcs. Collective, as
 * scree_graph_load. */
scree_status hard_graph(scree_graphs *graphs, size_t i, size_t k, scree_graph **graph);
#endif
