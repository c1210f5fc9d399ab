/* transpose.c - the arcs that lead to each vertex: the rows of an undirected graph, or a transposed copy. */
#include <scree/memory.h>
#include <stdlib.h>

#include "ordering/ordering.h"

static scree_status make(const scree_graph *g, void *ordering) {
  scree__transpose *t = ordering;
  scree_status status = g->directed ? scree_graph_transpose(g, &t->graph) : SCREE_OK;
  if (status) return status;
  const scree_graph *rows = t->graph ? t->graph : g;
  const size_t bytes = (size_t)(g->locals + 1) * (g->wide ? 8 : 4);
  const uint64_t first = (uint64_t)scree_graph_rank(g) << g->local_bits;
  t->offsets = rows->offsets;
  t->tails = rows->targets;
  t->likely = scree_graphs_alloc(g->graphs, bytes);
  t->nonempty = calloc((size_t)g->locals / 64 + 1, 8);
  const bool ready = t->likely && t->nonempty;
  for (uint64_t v = 0; ready && v < g->locals; v++) {
    scree__head_put(t->likely, g->wide, v, first | v);
    t->nonempty[v / 64] |= (uint64_t)(t->offsets[v] < t->offsets[v + 1]) << v % 64;
  }
  return scree__ordering_ready(g, ready, bytes);
}

static void clear(void *ordering) {
  scree__transpose *t = ordering;
  scree_graph_free(t->graph);
  scree_huge_free(t->likely);
  free(t->nonempty);
}

const scree__ordering scree__transposed = {SCREE__ORDERING_KEY("a transpose"), SCREE__TRANSPOSED,
                                           sizeof(scree__transpose), make, clear};

scree_status scree__transpose_of(const scree_graph *g, const scree__transpose **transpose) {
  scree_status status;
  *transpose = scree__ordering_of(g, &scree__transposed, &status);
  return status;
}
