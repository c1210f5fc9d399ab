/* both_ways.c - a directed graph with both ways of each arc.
 *
 * Room: see both_ways.h. */
#include "cc/both_ways.h"

scree_status scree__cc_both_ways(const scree_graph *g, scree_graph **copy) {
  const scree_graph_shape shape = {.n = g->vertices.n, .distribution = g->vertices.kind};
  scree_graph_builder *builder;
  scree_status status = scree_graph_builder_begin(g->graphs, &shape, &builder);
  if (status) return status;
  for (uint64_t u = 0; u < g->locals; u++) {
    uint64_t tail = scree_graph_vertex(g, scree_location_make(scree_graph_rank(g), u));
    for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++)
      scree_graph_builder_add(builder, tail, scree_graph_vertex(g, scree_graph_target(g, e)), 1);
  }
  return scree_graph_builder_finish(builder, copy);
}
