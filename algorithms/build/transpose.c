/* transpose.c - the transpose of a graph, made by a builder. */
#include <scree/graph.h>

#include "graph/consensus.h"

enum { MANY = 256 };

scree_status scree_graph_transpose(const scree_graph *g, scree_graph **transpose) {
  if (!g || !transpose) return scree__missing(g, __func__, "place for the graph");
  const scree_graph_shape shape = {
      .n = g->vertices.n, .distribution = g->vertices.kind, .directed = true, .wide = g->wide};
  scree_graph_builder *builder;
  scree_status status = scree_graph_builder_begin(g->graphs, &shape, &builder);
  if (status) return status;
  scree_edge edges[MANY];
  uint64_t count = 0;
  for (uint64_t u = 0; u < g->locals; u++) {
    const uint64_t tail = scree_graph_vertex(g, scree_location_make(scree_graph_rank(g), u));
    for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) {
      edges[count++] = (scree_edge){scree_graph_vertex(g, scree_graph_target(g, e)), tail, 1};
      if (count == MANY) scree_graph_builder_add_many(builder, count, edges);
      count %= MANY;
    }
  }
  scree_graph_builder_add_many(builder, count, edges);
  return scree_graph_builder_finish(builder, transpose);
}
