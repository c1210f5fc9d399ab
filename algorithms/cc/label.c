/* label.c - components by label propagation.
 *
 * Room: one variant, the simple one. A vertex whose label has fallen tells its neighbours, in the next epoch. A
 * directed graph is copied first, with both ways of each arc. */
#include <stdlib.h>

#include "cc/both_ways.h"
#include "cc/run.h"

typedef struct {
  scree_graph *copy;    /* of a directed graph; else NULL */
  uint32_t *now, *next; /* vertices whose labels fell in the last epoch, and in this one */
  uint64_t count;       /* in next */
  scree_reduce total;   /* sum[0]: in next, on all ranks once the epoch has ended */
  bool *waits;          /* by vertex: it is in next */
} state;

static void take(scree__cc_run *run, const scree__cc_link *items, uint32_t count) {
  state *s = run->own;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t v = items[i].target;
    uint64_t label = scree__cc_value(&items[i]);
    if (label >= run->component[v]) continue;
    run->component[v] = label;
    if (s->waits[v]) continue;
    s->waits[v] = true;
    s->next[s->count++] = v;
    s->total.sum[0]++;
  }
}

static void tell_neighbours(scree__cc_run *run, const scree_graph *g, uint32_t u) {
  uint64_t label = run->component[u]; /* it may fall while this is sent: then u is in next */
  for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) {
    scree_location head = scree_graph_target(g, e);
    scree__cc_send(run, scree_location_owner(head), (uint32_t)scree_location_local(head), label);
  }
  run->work.edges += g->offsets[u + 1] - g->offsets[u];
}

static scree_status one_round(scree__cc_run *run, state *s) {
  uint32_t *swap = s->now;
  uint64_t count = s->count;
  s->now = s->next;
  s->next = swap;
  s->count = 0;
  s->total = (scree_reduce){{0, 0}, UINT64_MAX, 0};
  for (uint64_t i = 0; i < count; i++) s->waits[s->now[i]] = false;
  scree_status status = scree_begin(run->worker);
  if (status) return status;
  for (uint64_t i = 0; i < count; i++) tell_neighbours(run, s->copy ? s->copy : run->graph, s->now[i]);
  run->work.epochs++;
  return scree_end(run->worker, &s->total);
}

static scree_status solve(scree__cc_run *run) {
  state *s = run->own;
  scree_status status;
  for (uint64_t u = 0; u < run->graph->locals; u++) {
    run->component[u] = scree_distribution_global(&run->graph->vertices, scree_graph_rank(run->graph), u);
    s->next[s->count++] = (uint32_t)u;
  }
  run->take_links = take;
  do {
    status = one_round(run, s);
  } while (status == SCREE_OK && s->total.sum[0]);
  return status;
}

static scree_status enter(scree__cc_run *run) {
  const scree_graph *g = run->graph;
  size_t n = (size_t)g->locals + 1;
  state *s = calloc(1, sizeof *s);
  bool ready = s != NULL;
  run->own = s;
  if (ready) {
    s->now = malloc(n * sizeof *s->now);
    s->next = malloc(n * sizeof *s->next);
    s->waits = calloc(n, sizeof *s->waits);
    ready = s->now && s->next && s->waits;
  }
  scree_status status = scree_graphs_agree(g->graphs, ready ? SCREE_OK : SCREE_ENOMEM,
                                           "rank %u: no memory for a frontier of %llu vertices; use more ranks",
                                           scree_graph_rank(g), (unsigned long long)g->locals);
  return status == SCREE_OK && g->directed ? scree__cc_both_ways(g, &s->copy) : status;
}

static void leave(scree__cc_run *run) {
  state *s = run->own;
  if (!s) return;
  scree_graph_free(s->copy);
  free(s->now);
  free(s->next);
  free(s->waits);
  free(s);
}

const scree__cc_variant scree__cc_label = {
    .about = {"label", "label propagation: the least vertex heard of goes from neighbour to neighbour"},
    .enter = enter,
    .solve = solve,
    .leave = leave,
};
