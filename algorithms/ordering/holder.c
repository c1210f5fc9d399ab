/* holder.c - the memory that keeps an ordering with its graph, and which of them are made. */
#include <stdlib.h>
#include <string.h>

#include "ordering/ordering.h"

/* What is attached. If another rank fails it stays, not ready. */
typedef struct {
  const scree__ordering *kind;
  bool ready;
  max_align_t ordering[]; /* kind->bytes, zero until it is made */
} holder;

scree_status scree__ordering_ready(const scree_graph *g, bool ready, size_t bytes) {
  return scree_graphs_agree(
      g->graphs, ready ? SCREE_OK : SCREE_ENOMEM,
      "rank %u: no memory for an ordering of the arcs (%zu bytes); use more ranks or a smaller graph",
      scree_graph_rank(g), bytes);
}

void scree__ordering_free(void *data) {
  holder *h = data;
  h->kind->clear(h->ordering);
  free(h);
}

static holder *attach(const scree_graph *g, const scree__ordering *kind) {
  holder *h = calloc(1, sizeof *h + kind->bytes);
  if (h) h->kind = kind;
  if (h && !scree_graph_attach(g, &kind->key, h)) return h;
  free(h);
  return NULL;
}

const void *scree__ordering_of(const scree_graph *g, const scree__ordering *kind, scree_status *status) {
  holder *h = scree_graph_attachment(g, &kind->key);
  *status = SCREE_OK;
  if (h && h->ready) return h->ordering;
  if (!h) h = attach(g, kind);
  *status = scree__ordering_ready(g, h != NULL, kind->bytes);
  if (*status) return NULL;
  *status = kind->make(g, h->ordering);
  h->ready = *status == SCREE_OK;
  if (h->ready) return h->ordering;
  kind->clear(h->ordering);
  memset(h->ordering, 0, kind->bytes);
  return NULL;
}

unsigned scree__orderings_made(const scree_graph *g) {
  static const scree__ordering *const all[] = {&scree__by_weight, &scree__transposed,  &scree__hub_arcs,
                                               &scree__read_by,   &scree__symmetrized, &scree__rows_of_node};
  unsigned made = 0;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    const holder *h = scree_graph_attachment(g, &all[i]->key);
    if (h && h->ready) made |= all[i]->bit;
  }
  return made;
}

const char *scree__ordering_names(const scree_graph *g, unsigned orderings) {
  switch (orderings) {
  case SCREE__ROWS:
    return "rows sorted by weight";
  case SCREE__TRANSPOSED:
    return g->directed ? "a transposed copy" : "likely parents";
  case SCREE__TRANSPOSED | SCREE__HUBS:
    return g->directed ? "a transposed copy, the arcs of hubs" : "likely parents, the arcs of hubs";
  case SCREE__HUBS:
    return "the arcs of hubs";
  case SCREE__READERS:
    return "the ranks that read each vertex";
  case SCREE__BOTH_WAYS:
    return "both directions of each arc";
  case SCREE__NODE_ROWS:
    return "rows that the ranks of a node share";
  default:
    return NULL;
  }
}
