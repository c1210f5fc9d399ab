/* pull_float.c - PageRank as in pull.c, with a table of floats, for graphs whose tables the caches do not hold: the time
 * is that of reading the table.
 *
 * What is sent is by how much a contribution changed since it was sent last. What rounding leaves is sent with the next
 * change; until then it counts as mass that is spread over all vertices, so the sum stays 1. The error of an iteration
 * is about 10^-7 of its change, and falls as the changes do. */
#include <math.h>

#include "pagerank/run.h"

typedef struct {
  uint32_t slot;
  float change;
} change_item;
SCREE_MESSAGE_ROUTED(change, change_item);

typedef struct {
  const scree__gather *gather;
  float *table;  /* changes of contributions, by slot */
  float *change; /* of local vertices: to send */
  double *sent;  /* of local vertices: the sum of all changes sent */
  double *sum;   /* of local vertices: of all changes received from neighbours */
} state;

static scree_status setup(scree__run *run) {
  const size_t locals = (size_t)run->graph->locals + 1;
  state *s = run->own;
  scree_status status = scree__pagerank_gather(run, "pull-float", &s->gather);
  if (status) return status;
  s->table = scree__run_alloc(run, ((size_t)s->gather->slots + 1) * sizeof *s->table);
  s->change = scree__run_alloc(run, locals * sizeof *s->change);
  s->sent = scree__run_alloc(run, locals * sizeof *s->sent);
  s->sum = scree__run_alloc(run, locals * sizeof *s->sum);
  return scree__run_ready(run, true, "contributions");
}

/* Rounds down, so that no mass is sent that there is not. */
static double hold_back(scree__run *run) {
  const state *s = run->own;
  const double *contribution = scree__pagerank_of(run)->contribution;
  double held = 0;
  for (uint64_t u = 0; u < run->graph->locals; u++) {
    const double change = contribution[u] - s->sent[u];
    s->change[u] = (float)(change - fabs(change) * 0x1p-23);
    s->sent[u] += (double)s->change[u];
    held += (contribution[u] - s->sent[u]) * (double)scree_graph_degree(run->graph, u);
  }
  return held > 0 ? held : 0;
}

static void send(scree__run *run) {
  const state *s = run->own;
  const scree__gather *t = s->gather;
  const change_type type = {run->types[0]};
  for (size_t i = 0; i < t->send_count; i++)
    change_send(run->worker, type, t->sends[i].rank,
                (change_item){t->sends[i].pair.slot, s->change[t->sends[i].pair.vertex]});
  run->work.sent += t->send_count;
  for (size_t i = 0; i < t->own_count; i++) s->table[t->own[i].slot] = s->change[t->own[i].vertex];
}

static void take(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  const change_item *item = items;
  float *table = ((state *)run->own)->table;
  (void)sender;
  for (uint32_t i = 0; i < count; i++) table[item[i].slot] = item[i].change;
}

/* Four sums, so that an addition need not wait for the one before it. */
static inline double sum_row(const uint32_t *slot, const float *table, uint64_t e, uint64_t end) {
  double a = 0, b = 0, c = 0, d = 0;
  for (; e + 4 <= end; e += 4) {
    a += (double)table[slot[e]];
    b += (double)table[slot[e + 1]];
    c += (double)table[slot[e + 2]];
    d += (double)table[slot[e + 3]];
  }
  for (; e < end; e++) a += (double)table[slot[e]];
  return a + b + (c + d);
}

static double collect(scree__run *run, double base) {
  const scree_graph *g = run->graph;
  const state *s = run->own;
  double *rank = scree__rank(run), change = 0;
  const double damping = scree__pagerank_of(run)->damping;
  for (uint64_t u = 0; u < g->locals; u++) {
    s->sum[u] += sum_row(s->gather->slot, s->table, g->offsets[u], g->offsets[u + 1]);
    const double value = base + damping * s->sum[u];
    change += fabs(value - rank[u]);
    rank[u] = value;
  }
  run->work.edges += g->offsets[g->locals];
  return change;
}

static scree_status solve(scree__run *run) {
  static const scree__pr_steps steps = {.hold_back = hold_back, .send = send, .collect = collect};
  return scree__pagerank_iterate(run, &steps);
}

const scree__variant scree__pagerank_pull_float = {
    .about = {"pull-float", "undirected graphs: as pull, but changes of contributions, in 4 bytes, are sent and read"},
    .options = scree__pagerank_options,
    .messages = {{"pagerank.pull_float", sizeof(change_item), take, NULL}},
    .own = sizeof(state),
    .setup = setup,
    .solve = solve,
    .memory = {.local = 20, .needed = 4, .orderings = SCREE__GATHERED | SCREE__VALUES, .wanted = scree__gather_wanted},
};
