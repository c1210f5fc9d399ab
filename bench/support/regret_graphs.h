/* regret_graphs.h - families of graphs and kinds of weights that are hard for one algorithm or another. */
#ifndef BENCH_REGRET_GRAPHS_H
#define BENCH_REGRET_GRAPHS_H
#include <scree/graph.h>

/* The i-th family, and the i-th kind of weights; NULL past the last. */
const char *regret_family_at(size_t i);
const char *regret_weights_at(size_t i);

/* Makes a graph of family i with weights of kind k and about 2^scale vertices, or fewer where vertices have many arcs.
 * Collective, as scree_graph_load. */
scree_status regret_graph(scree_graphs *graphs, size_t i, size_t k, int scale, scree_graph **graph);
#endif
