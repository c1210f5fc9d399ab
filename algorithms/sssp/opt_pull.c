/* opt_pull.c - the pull phase of opt: vertices without a final distance request the distances of their neighbours, over
 * their own arcs. */
#include <math.h>

#include "graph/structure.h"
#include "sssp/opt.h"

SCREE_MESSAGE_ROUTED(request, scree__request_item);

void scree__opt_answer(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  const scree__request_item *item = items;
  const scree__relax_type type = {run->types[0]};
  for (uint32_t i = 0; i < count; i++) {
    double d = scree__distance(run)[item[i].target] + item[i].weight;
    scree__relax_send_at_once(run->worker, type, sender, (scree__relax_item){d, item[i].requester, item[i].target});
  }
  run->work.messages += count;
}

/* Requests the distances of v's neighbours that are final and can improve v: first those of this rank, which leave
 * fewer for messages. */
static inline __attribute__((always_inline)) void request_for(scree__run *run, scree__windows *w, uint32_t v,
                                                              scree__weight_layout rows) {
  const scree_graph *g = run->graph;
  const uint32_t rank = run->worker->rank;
  const request_type type = {run->types[1]};
  const uint64_t begin = g->offsets[v], end = g->offsets[v + 1];
  for (uint64_t e = begin; e < end && scree__sorted_weight(w->rows, rows, e) < scree__distance(run)[v]; e++) {
    const uint64_t head = scree__sorted_head(w->rows, rows, e);
    const uint32_t u = (uint32_t)scree_location_local(scree_graph_unpack(g, head));
    if (head >> g->local_bits != rank || !scree__node_bit(w->final, head)) continue;
    scree__relax_direct(run, v, u, scree__distance(run)[u] + scree__sorted_weight(w->rows, rows, e));
  }
  for (uint64_t e = begin; e < end && scree__sorted_weight(w->rows, rows, e) < scree__distance(run)[v]; e++) {
    const scree_location at = scree_graph_unpack(g, scree__sorted_head(w->rows, rows, e));
    if (scree_location_owner(at) == rank || !scree__node_bit(w->final, scree__sorted_head(w->rows, rows, e))) continue;
    request_send(run->worker, type, scree_location_owner(at),
                 (scree__request_item){scree__sorted_weight(w->rows, rows, e), (uint32_t)scree_location_local(at), v});
  }
  run->work.edges += end - begin;
  if (!(scree__distance(run)[v] < INFINITY)) return;
  uint32_t *bound = scree__sssp_of(run)->bound;
  if (bound) bound[(uint64_t)rank << g->local_bits | v] = scree__bound_up(scree__distance(run)[v]);
  scree__windows_improved(run, v, scree__distance(run)[v]);
}

static inline __attribute__((always_inline)) void request_for_all(scree__run *run, scree__windows *w,
                                                                  scree__weight_layout rows) {
  const uint64_t first = (uint64_t)run->worker->rank << run->graph->local_bits;
  for (uint64_t v = 0; v < run->graph->locals; v++)
    if (!scree__node_bit(w->final, first | v)) request_for(run, w, (uint32_t)v, rows);
}

void scree__opt_take_final(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  (void)sender;
  scree__windows *w = run->own;
  scree__node_bits_add(run, &w->bits, w->final, items, count);
}

/* Sends all nodes which vertices have their final distance; nothing more is offered to those. */
static scree_status share_final(scree__run *run, scree__windows *w) {
  const scree_graph *g = run->graph;
  const uint64_t first = (uint64_t)run->worker->rank << g->local_bits;
  scree_status status = scree_begin(run->worker);
  if (status) return status;
  for (uint64_t v = 0; v < g->locals; v++)
    if (scree__distance(run)[v] < w->next) scree__node_bit_set(&w->bits, w->final, first | v);
  scree__node_bits_send(run, run->types[2], &w->bits, w->final);
  return scree__run_end(run, NULL);
}

scree_status scree__opt_request(scree__run *run, scree__windows *w) {
  w->limit = INFINITY;
  scree_status status = share_final(run, w);
  if (status == SCREE_OK) status = scree_begin(run->worker);
  if (status) return status;
  uint64_t begun = scree__work_begin(run);
  SCREE__WITH_LAYOUT(run->graph, w->rows, request_for_all(run, w, layout))
  scree__work_end(run, begun);
  return SCREE_OK;
}
