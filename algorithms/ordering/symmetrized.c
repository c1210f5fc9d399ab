/* symmetrized.c - a directed graph with both directions of each arc, for kernels that follow arcs from their heads. */
#include "ordering/ordering.h"

static scree_status make(const scree_graph *g, void *copy) {
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

static void clear(void *copy) {
  scree_graph_free(*(scree_graph **)copy);
}

const scree__ordering scree__symmetrized = {SCREE__ORDERING_KEY("a symmetrized copy"), SCREE__BOTH_WAYS,
                                            sizeof(scree_graph *), make, clear};

scree_status scree__symmetrized_of(const scree_graph *g, const scree_graph **symmetrized) {
  scree_status status;
  const scree_graph *const *copy = scree__ordering_of(g, &scree__symmetrized, &status);
  if (copy) *symmetrized = *copy;
  return status;
}
