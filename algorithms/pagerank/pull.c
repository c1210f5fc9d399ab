/* pull.c - PageRank on undirected graphs.
 *
 * Room: one way. A neighbour's arc leads back, so a vertex that has its neighbours' shares at hand needs no other
 * message: each share goes once to each rank that has a neighbour, into a table by packed place, and is read there. */
#include <math.h>
#include <stdlib.h>

#include "graph/internal.h"
#include "pagerank/run.h"

enum { RANK_SHIFT = 32 };

typedef struct {
  double *table;      /* shares, by packed place */
  scree__words sends; /* rank << RANK_SHIFT | local vertex, whose share that rank needs */
} state;

/* Adds the other ranks with neighbours of u; last[r]: the vertex, plus 1, that rank r was added for at last. */
static bool list_row(const scree_graph *g, state *s, uint64_t u, uint64_t *last) {
  uint32_t others = g->vertices.ranks - 1;
  for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1] && others; e++) {
    uint64_t owner = scree_graph_head(g, e) >> g->local_bits, word = owner << RANK_SHIFT | u;
    if (last[owner] == u + 1 || owner == scree_graph_rank(g)) continue;
    last[owner] = u + 1;
    others--;
    if (!scree__words_add(&s->sends, &word, 1)) return false;
  }
  return true;
}

static bool list_sends(const scree_graph *g, state *s) {
  uint64_t *last = calloc(g->vertices.ranks, sizeof *last);
  bool ready = last != NULL;
  for (uint64_t u = 0; u < g->locals && ready; u++) ready = list_row(g, s, u, last);
  free(last);
  return ready;
}

static scree_status enter(scree__pr_run *run) {
  const scree_graph *g = run->graph;
  if (g->directed)
    return scree_graphs_agree(g->graphs, SCREE_EINVAL,
                              "algorithm 'pull' needs both ways of each arc, and this graph is directed; take push");
  state *s = calloc(1, sizeof *s);
  run->own = s;
  if (s) s->table = scree__graph_array(g->graphs, ((size_t)scree_graph_slots(g) + 1) * sizeof *s->table);
  bool ready = s && s->table && list_sends(g, s);
  return scree_graphs_agree(g->graphs, ready ? SCREE_OK : SCREE_ENOMEM,
                            "rank %u: no memory for the shares of %llu vertices; use more ranks, or push",
                            scree_graph_rank(g), (unsigned long long)g->vertices.n);
}

static void send(scree__pr_run *run) {
  const state *s = run->own;
  for (size_t i = 0; i < s->sends.count; i++) {
    uint32_t u = (uint32_t)s->sends.at[i];
    scree__pr_send(run, (uint32_t)(s->sends.at[i] >> RANK_SHIFT), u, run->hand[u]);
  }
}

static void take(scree__pr_run *run, uint32_t sender, const scree__pr_share *items, uint32_t count) {
  double *table = ((state *)run->own)->table + ((uint64_t)sender << run->graph->local_bits);
  for (uint32_t i = 0; i < count; i++) table[items[i].vertex] = scree__pr_value(&items[i]);
}

/* Four sums, so that an addition need not wait for the one before it. */
#define SUM_ROW(heads)                                                                                                 \
  for (; e + 4 <= end; e += 4) {                                                                                       \
    a += table[(heads)[e]];                                                                                            \
    b += table[(heads)[e + 1]];                                                                                        \
    c += table[(heads)[e + 2]];                                                                                        \
    d += table[(heads)[e + 3]];                                                                                        \
  }                                                                                                                    \
  for (; e < end; e++) a += table[(heads)[e]]

static double sum_row(const scree_graph *g, const double *table, uint64_t e, uint64_t end) {
  double a = 0, b = 0, c = 0, d = 0;
  if (g->wide) {
    SUM_ROW((const uint64_t *)g->targets);
  } else {
    SUM_ROW((const uint32_t *)g->targets);
  }
  return a + b + (c + d);
}

static double collect(scree__pr_run *run, double base) {
  const scree_graph *g = run->graph;
  double *table = ((state *)run->own)->table, change = 0;
  memcpy(table + ((uint64_t)scree_graph_rank(g) << g->local_bits), run->hand, (size_t)g->locals * sizeof *table);
  for (uint64_t u = 0; u < g->locals; u++) {
    double rank = base + run->damping * sum_row(g, table, g->offsets[u], g->offsets[u + 1]);
    change += fabs(rank - run->rank[u]);
    run->rank[u] = rank;
  }
  run->work.edges += g->offsets[g->locals];
  return change;
}

static void leave(scree__pr_run *run) {
  state *s = run->own;
  if (!s) return;
  scree_huge_free(s->table);
  free(s->sends.at);
  free(s);
}

const scree__pr_way scree__pr_pull = {
    .about = {"pull", "undirected graphs: shares go once to each rank, and are read by the neighbours there"},
    .enter = enter,
    .send = send,
    .take = take,
    .collect = collect,
    .leave = leave,
};
