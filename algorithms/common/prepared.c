/* prepared.c - where sorted copies of rows are kept.
 *
 * Room: making and freeing the holder. */
#include <stdlib.h>

#include "common/sorted.h"
#include "graph/internal.h"

scree_status scree__prepared_of(const scree_graph *graph, struct scree__prepared **prepared) {
  scree_graph *g = (scree_graph *)(uintptr_t)graph; /* graphs are made by builders alone: none is a constant */
  if (!g->prepared) {
    struct scree__prepared *p = calloc(1, sizeof *p);
    scree_status status = scree__agree(g->graphs, p ? SCREE_OK : scree__no_memory(g->graphs, sizeof *p));
    if (status) {
      free(p);
      return status;
    }
    g->prepared = p;
  }
  *prepared = g->prepared;
  return SCREE_OK;
}

void scree__prepared_free(scree__prepared *prepared) {
  if (!prepared) return;
  scree__backward_free(&prepared->backward);
  scree__by_weight_free(&prepared->by_weight);
  free(prepared);
}
