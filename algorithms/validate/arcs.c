/* arcs.c - each vertex gets its neighbours' numbers, by the messages of the graph layer. */
#include "validate/arcs.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct {
  uint64_t vertex, value; /* local index on the receiver */
} arc_value;

static void take(const void *data, size_t bytes, void *arg) {
  const arc_value *item = data;
  scree__arcs_check *c = arg;
  (void)bytes;
  c->take(c, item->vertex, item->value);
}

static void send_row(const scree__arcs_check *c, uint64_t u) {
  const scree_graph *g = c->g;
  const scree_location self = scree_location_make(scree_graph_rank(g), u);
  for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) {
    const scree_location head = scree_graph_target(g, e);
    const arc_value item = {scree_location_local(head), c->value[u]};
    if (head != self) scree_graphs_exchange_send(g->graphs, scree_location_owner(head), &item, sizeof item);
  }
}

scree_status scree__arcs_send(scree__arcs_check *c) {
  scree_worker *worker = scree_graphs_worker(c->g->graphs);
  const scree_status status = scree_graphs_exchange_begin(c->g->graphs, take, c);
  if (status) return status;
  while (!scree_test(worker, c->top == 0, NULL))
    if (c->top) send_row(c, c->stack[--c->top]);
  return scree_graphs_agree(c->g->graphs, scree_error(scree_world_of(worker)), "the world failed");
}

scree_status scree__arcs_open(scree__arcs_check *c) {
  const size_t n = (size_t)c->g->locals + 1;
  c->first.key = UINT64_MAX;
  c->seen = calloc(n, sizeof *c->seen);
  c->stack = malloc(n * sizeof *c->stack);
  const scree_status status = scree_graphs_agree(c->g->graphs, c->seen && c->stack ? SCREE_OK : SCREE_ENOMEM,
                                                 "rank %u: no memory to check %" PRIu64 " vertices; use more ranks",
                                                 scree_graph_rank(c->g), c->g->locals);
  if (status) scree__arcs_close(c);
  return status;
}

void scree__arcs_close(scree__arcs_check *c) {
  free(c->seen);
  free(c->stack);
}

void scree__arcs_fail(scree__arcs_check *c, int rule, uint64_t u, const char *expected, uint64_t bound) {
  const uint64_t v = scree_graph_vertex(c->g, scree_location_make(scree_graph_rank(c->g), u));
  if (!scree__failure_keep(&c->first, rule, v)) return;
  snprintf(c->first.text, sizeof c->first.text,
           "rule %d, vertex %" PRIu64 ": found %s %" PRIu64 ", expected %s %" PRIu64, rule, scree_graph_label(c->g, v),
           c->what, c->value[u], expected, bound);
}
