/* symmetrized.c - a directed graph with both directions of each arc, for kernels that follow arcs from their heads. */
#include <stdlib.h>

#include "ordering/ordering.h"

typedef struct {
  scree_graph *graph; /* NULL: not ready */
} holder;

static scree_status make(const scree_graph *g, scree_graph **copy) {
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

static void destroy(void *data) {
  scree_graph_free(((holder *)data)->graph);
  free(data);
}

static const scree_attachment_key key = {"a symmetrized copy", destroy};

bool scree__symmetrized_made(const scree_graph *g) {
  const holder *made = scree_graph_attachment(g, &key);
  return made && made->graph;
}

scree_status scree__symmetrized_of(const scree_graph *g, const scree_graph **symmetrized) {
  void *data = scree_graph_attachment(g, &key);
  if (!data || !((holder *)data)->graph) {
    scree_status status = scree__ordering_holder(g, &key, sizeof(holder), &data);
    if (status == SCREE_OK) status = make(g, &((holder *)data)->graph);
    if (status) return status;
  }
  *symmetrized = ((holder *)data)->graph;
  return SCREE_OK;
}
