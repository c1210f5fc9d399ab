/* plan.c - the memory that a graph needs. */
#include "build/plan.h"

#include <inttypes.h>
#include <stdio.h>

#include "build/arc_store.h"
#include "build/memory_check.h"
#include "graph/consensus.h"
#include "graph/structure.h"

scree_graph_bytes scree_graph_plan(const scree_graph_shape *shape, uint64_t edges, uint32_t ranks) {
  if (!shape || !ranks) return (scree_graph_bytes){0};
  scree_graph g = {.weight = shape->weight};
  scree_distribution_init(&g.vertices, shape->distribution, shape->n, ranks);
  scree__graph_set_width(&g, shape->wide);
  uint64_t locals = scree_distribution_count(&g.vertices, 0);
  uint64_t arcs = ((shape->directed ? edges : 2 * edges) + ranks - 1) / ranks;
  uint64_t an_arc = scree__head_bytes(g.wide) + scree__weight_bytes(g.weight);
  uint64_t offsets = (locals + 2) * sizeof(uint64_t), rows = (arcs + 1) * an_arc;
  return (scree_graph_bytes){offsets + rows,
                             offsets + scree__arc_store_peak(locals, arcs, scree__arc_form_of(&g), rows)};
}

scree_status scree__memory_check_graph(scree_graphs *graphs, const scree_graph_shape *shape, uint64_t edges,
                                       bool narrow) {
  char what[96];
  if (shape->n > SCREE_VERTICES_MAX) return SCREE_OK; /* the builder reports what is wrong with it */
  scree_graph_shape whole = *shape;
  scree_graph_bytes plan = scree_graph_plan(shape, edges, graphs->worker->ranks);
  if (narrow && shape->weight) whole.weight = SCREE_WEIGHT_UINT32;
  plan.peak -= plan.graph - scree_graph_plan(&whole, edges, graphs->worker->ranks).graph;
  snprintf(what, sizeof what, "a graph of %" PRIu64 " vertices and %" PRIu64 " edges", shape->n, edges);
  return scree__consensus(graphs, scree__memory_check(graphs, plan.peak, what));
}
