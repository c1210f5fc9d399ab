/* push.c - PageRank on any graph.
 *
 * Room: one way. Each rank adds the shares up for each head of its arcs, in a table by packed place, and sends what
 * belongs to others: a message for each head, not for each arc. A rank with fewer arcs than that table has entries
 * sends a message for each arc to another rank. */
#include <math.h>
#include <stdlib.h>

#include "graph/internal.h"
#include "pagerank/run.h"

typedef struct {
  double *sums; /* of shares by packed place; NULL: a message for each arc */
  double *got;  /* by local vertex; within sums, if there are sums */
} state;

static scree_status enter(scree__pr_run *run) {
  const scree_graph *g = run->graph;
  uint64_t slots = scree_graph_slots(g);
  state *s = calloc(1, sizeof *s);
  run->own = s;
  if (s && slots <= g->offsets[g->locals]) {
    s->sums = scree__graph_array(g->graphs, ((size_t)slots + 1) * sizeof *s->sums);
    if (s->sums) s->got = s->sums + ((uint64_t)scree_graph_rank(g) << g->local_bits);
  } else if (s) {
    s->got = scree__graph_array(g->graphs, ((size_t)g->locals + 1) * sizeof *s->got);
  }
  return scree_graphs_agree(g->graphs, s && s->got ? SCREE_OK : SCREE_ENOMEM,
                            "rank %u: no memory for the sums of %llu vertices; use more ranks", scree_graph_rank(g),
                            (unsigned long long)g->vertices.n);
}

#define ADD_ROW(heads)                                                                                                 \
  for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) sums[(heads)[e]] += run->hand[u]

static void add_up(const scree__pr_run *run, double *sums) {
  const scree_graph *g = run->graph;
  for (uint64_t u = 0; u < g->locals; u++) {
    if (g->wide)
      ADD_ROW((const uint64_t *)g->targets);
    else
      ADD_ROW((const uint32_t *)g->targets);
  }
}

/* Sends the sums of a rank's vertices, and makes ready for the next iteration. */
static void send_sums(scree__pr_run *run, double *sums, uint32_t owner) {
  const scree_graph *g = run->graph;
  double *of = sums + ((uint64_t)owner << g->local_bits);
  uint64_t count = scree_distribution_count(&g->vertices, owner);
  for (uint64_t v = 0; v < count; v++) {
    if (of[v] == 0) continue;
    scree__pr_send(run, owner, (uint32_t)v, of[v]);
    of[v] = 0;
  }
}

static void send_arcs(scree__pr_run *run, double *got) {
  const scree_graph *g = run->graph;
  for (uint64_t u = 0; u < g->locals; u++)
    for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) {
      scree_location head = scree_graph_target(g, e);
      if (scree_location_owner(head) == scree_graph_rank(g))
        got[scree_location_local(head)] += run->hand[u];
      else
        scree__pr_send(run, scree_location_owner(head), (uint32_t)scree_location_local(head), run->hand[u]);
    }
}

static void send(scree__pr_run *run) {
  const scree_graph *g = run->graph;
  const state *s = run->own;
  run->work.edges += g->offsets[g->locals];
  if (!s->sums) {
    send_arcs(run, s->got);
    return;
  }
  add_up(run, s->sums);
  for (uint32_t i = 1; i < g->vertices.ranks; i++)
    send_sums(run, s->sums, (scree_graph_rank(g) + i) % g->vertices.ranks);
}

static void take(scree__pr_run *run, uint32_t sender, const scree__pr_share *items, uint32_t count) {
  (void)sender;
  double *got = ((state *)run->own)->got;
  for (uint32_t i = 0; i < count; i++) got[items[i].vertex] += scree__pr_value(&items[i]);
}

static double collect(scree__pr_run *run, double base) {
  double *got = ((state *)run->own)->got, change = 0;
  for (uint64_t u = 0; u < run->graph->locals; u++) {
    double rank = base + run->damping * got[u];
    change += fabs(rank - run->rank[u]);
    run->rank[u] = rank;
    got[u] = 0;
  }
  return change;
}

static void leave(scree__pr_run *run) {
  state *s = run->own;
  if (!s) return;
  scree_huge_free(s->sums ? s->sums : s->got);
  free(s);
}

const scree__pr_way scree__pr_push = {
    .about = {"push", "any graph: shares are summed for each head, the sums are sent to its rank"},
    .enter = enter,
    .send = send,
    .take = take,
    .collect = collect,
    .leave = leave,
};
