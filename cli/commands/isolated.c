/* isolated.c - vertices without an edge: a message for each arc of a directed graph finds them. */
#include "commands/isolated.h"

#include <stdlib.h>

#include "commands/session.h"

SCREE_MESSAGE(touch, uint64_t);

static void on_touch(scree_worker *worker, const scree_batch *batch, const uint64_t *items, void *arg) {
  bool *touched = *(bool **)arg;
  (void)worker;
  for (uint32_t i = 0; i < batch->count; i++) touched[items[i]] = true;
}
SCREE_HANDLER(touch, uint64_t, on_touch);

/* A vertex without outgoing arcs is isolated if it has no incoming arcs either. */
scree_status cli_count_isolated(const scree_graph *g, uint64_t *count) {
  scree_worker *w = scree_graphs_worker(g->graphs);
  bool *touched = calloc(g->locals + 1, sizeof *touched);
  touch_type type;
  scree_reduce r = {.min = UINT64_MAX};
  scree_status status = cli_ready(g->graphs, touched, "a flag per vertex");
  if (!status) status = cli_registered(g->graphs, touch_register(scree_world_of(w), &touched, &type));
  if (!status) status = scree_begin(w);
  for (uint64_t e = 0; !status && g->directed && e < g->offsets[g->locals]; e++) {
    scree_location p = scree_graph_target(g, e);
    touch_send(w, type, scree_location_owner(p), scree_location_local(p));
  }
  if (!status) status = scree_end(w, NULL);
  for (uint64_t u = 0; !status && u < g->locals; u++) r.sum[0] += !touched[u] && !scree_graph_degree(g, u);
  if (!status) status = scree_graphs_reduce(g->graphs, &r);
  *count = r.sum[0];
  free(touched);
  return status;
}
