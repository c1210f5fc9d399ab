/* graph/build.h - graphs from edges, and the memory that they need. The terms and rules of graph.h apply. C11 and
 * C++. */
#ifndef SCREE_GRAPH_BUILD_H
#define SCREE_GRAPH_BUILD_H
#include <stdbool.h>
#include <stdint.h>

#include <scree/graph/structure.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef struct scree_graph_builder scree_graph_builder;
typedef struct scree_graph_shape {
  uint64_t n; /* vertices, 1 .. SCREE_VERTICES_MAX */
  scree_distribution_kind distribution;
  scree_weight_kind weight;
  bool directed;
  bool wide; /* 8 bytes for an arc's head even if 4 are enough: for tests and comparisons */
} scree_graph_shape;

/* An edge to be added. */
typedef struct scree_edge {
  uint64_t u, v; /* < n */
  double weight; /* not read if the graph keeps none */
} scree_edge;

/* Bytes per rank of a graph with this shape, and the peak during its construction, including the graph, for the given
 * numbers of edges and ranks and an even distribution; otherwise multiply by scree_graph_balance. Labels
 * (scree_graph_label), the world's blocks and the memory of a reader are not included. Local.
 *
 * A graph takes 8 bytes per vertex, and per arc 4 (8 if wide) and the weight. Until a builder finishes, a rank holds
 * its arcs in 6 bytes each, 10 with weights of 4 bytes, 14 with doubles and while a file that may have decimals is
 * read, 18 in wide graphs; rows then replace them. A graph that does not fit is refused with SCREE_ENOMEM before
 * the node begins to swap: the needs of the node's ranks are compared with the available memory of /proc/meminfo and
 * with the remaining memory of the control group. A generated graph, or a file that states its number of edges, is
 * refused at the start, a list when it has been read, others while their arcs arrive, every 32 MiB. The world remains
 * usable. */
typedef struct scree_graph_bytes {
  uint64_t graph, peak;
} scree_graph_bytes;
scree_graph_bytes scree_graph_plan(const scree_graph_shape *shape, uint64_t edges, uint32_t ranks);
/* Bytes per rank that scree_graph_relabel_by_degree takes beside the graph that it renumbers, at most: three
 * tables over all vertices and 24 bytes a vertex, then a table and the new graph. Local. */
uint64_t scree_graph_relabel_plan(const scree_graph_shape *shape, uint64_t edges, uint32_t ranks);

/* Starts a graph: opens an epoch of this worker, which scree_graph_builder_finish ends. One builder at a time.
 * Collective. */
scree_status scree_graph_builder_begin(scree_graphs *graphs, const scree_graph_shape *shape,
                                       scree_graph_builder **builder);
/* Adds an edge, u and v < n, from any rank, whichever rank owns them; an undirected edge is added once. Local; runs
 * handlers. A vertex out of range or a weight that is negative, not finite or not a uint32 (where that is the kind)
 * makes finish fail with a text that names it. */
void scree_graph_builder_add(scree_graph_builder *builder, uint64_t u, uint64_t v, double weight);
/* The same for many edges, faster. */
void scree_graph_builder_add_many(scree_graph_builder *builder, uint64_t count, const scree_edge *edges);
/* Ends the epoch, builds the rows (heads in no order), and frees the builder, also on failure. Labels are 0 .. n-1.
 * Collective. */
scree_status scree_graph_builder_finish(scree_graph_builder *builder, scree_graph **graph);

#ifdef __cplusplus
}
#endif
#endif
