/* holder.c - the memory that keeps an ordering with its graph. */
#include <stdlib.h>

#include "ordering/ordering.h"

scree_status scree__ordering_ready(const scree_graph *g, bool ready, size_t bytes) {
  return scree_graphs_agree(
      g->graphs, ready ? SCREE_OK : SCREE_ENOMEM,
      "rank %u: no memory for an ordering of the arcs (%zu bytes); use more ranks or a smaller graph",
      scree_graph_rank(g), bytes);
}

scree_status scree__ordering_holder(const scree_graph *g, const scree_attachment_key *key, size_t bytes, void **data) {
  void *found = scree_graph_attachment(g, key), *made = found ? NULL : calloc(1, bytes);
  if (made && scree_graph_attach(g, key, made)) {
    free(made);
    made = NULL;
  }
  *data = found ? found : made;
  return scree__ordering_ready(g, *data != NULL, bytes);
}
