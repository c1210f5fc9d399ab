/* pull_float.c - PageRank as in pull.c, with a table of floats, for graphs whose tables do not fit in the caches: the
 * time is that of reading the table.
 *
 * A message has the change of a contribution since it was sent last. The rounding error is sent with the next change;
 * until then it counts as mass that is spread over all vertices, so the sum stays 1. The error of an iteration is about
 * 10^-7 of its change, and falls as the changes do. */
#include <math.h>

#include "pagerank/run.h"

typedef struct {
  uint32_t slot;
  float change;
} change_item;
SCREE_MESSAGE_ROUTED(change, change_item);

/* The changes of a block of vertices, for a table of all values. */
typedef struct {
  uint32_t slot;
  float change[SCREE__GATHER_BLOCK];
} block_item;
SCREE_MESSAGE_ROUTED(block, block_item);

typedef struct {
  const scree__gather *gather;
  float *table;  /* changes of contributions, by slot */
  float *change; /* of local vertices: to send; within a table of all values */
  double *sent;  /* of local vertices: the sum of all changes sent */
  double base;   /* ranks are this and damping * the sum of all changes received */
} state;

static scree_status setup(scree__run *run) {
  const size_t locals = (size_t)run->graph->locals + 1;
  state *s = run->own;
  scree_status status = scree__pagerank_gather(run, "pull-float", &s->gather);
  if (status) return status;
  s->base = 1 / (double)run->graph->vertices.n;
  s->table = scree__run_alloc(run, ((size_t)s->gather->slots + SCREE__GATHER_BLOCK) * sizeof *s->table);
  s->sent = scree__run_alloc(run, locals * sizeof *s->sent);
  if (!s->gather->readers)
    s->change = scree__run_alloc(run, locals * sizeof *s->change);
  else if (s->table)
    s->change = s->table + scree__gather_first(run->graph);
  return scree__run_ready(run, true, "contributions");
}

/* Rounds down, so that no more mass is sent than there is. */
static double divide(scree__run *run) {
  const scree_graph *g = run->graph;
  const state *s = run->own;
  const double *rank = scree__rank(run);
  double held = 0, kept = 0;
  for (uint64_t u = 0; u < g->locals; u++) {
    const double degree = (double)scree_graph_degree(g, u), change = degree > 0 ? rank[u] / degree - s->sent[u] : 0;
    s->change[u] = (float)(change - fabs(change) * 0x1p-23);
    s->sent[u] += (double)s->change[u];
    held += (change - (double)s->change[u]) * degree;
    if (!(degree > 0)) kept += rank[u];
  }
  return held > 0 ? held + kept : kept;
}

static void send_block(void *of, uint32_t rank, uint32_t vertex) {
  scree__run *run = of;
  const block_type type = {run->types[1]};
  block_item item = {.slot = (uint32_t)scree__gather_first(run->graph) + vertex};
  memcpy(item.change, ((state *)run->own)->change + vertex, sizeof item.change);
  block_send(run->worker, type, rank, item);
}

static void send(scree__run *run) {
  const state *s = run->own;
  const scree__gather *t = s->gather;
  const change_type type = {run->types[0]};
  for (size_t i = 0; i < t->own_count; i++) s->table[t->own[i].slot] = s->change[t->own[i].vertex];
  for (size_t i = 0; i < t->send_count; i++)
    change_send(run->worker, type, t->sends[i].rank,
                (change_item){t->sends[i].pair.slot, s->change[t->sends[i].pair.vertex]});
  run->work.sent += t->send_count;
  if (t->readers) run->work.sent += scree__gather_blocks(run->graph, t, run, send_block);
}

static void take(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  const change_item *item = items;
  float *table = ((state *)run->own)->table;
  (void)sender;
  for (uint32_t i = 0; i < count; i++) table[item[i].slot] = item[i].change;
}

static void take_blocks(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  const block_item *item = items;
  float *table = ((state *)run->own)->table;
  (void)sender;
  for (uint32_t i = 0; i < count; i++) memcpy(table + item[i].slot, item[i].change, sizeof item[i].change);
}

/* One sum: an addition waits for the one before it, but reading at random takes longer, and a second loop for the rest
 * of a row would be a second branch that is mispredicted. */
static inline double sum_row(const scree__head32 *slot, const float *table, uint64_t e, uint64_t end, uint64_t ahead) {
  double sum = 0;
  for (; e < end; e++) {
    if (ahead) __builtin_prefetch(&table[slot[e + ahead]]);
    sum += (double)table[slot[e]];
  }
  return sum;
}

static double collect(scree__run *run, double base) {
  const scree_graph *g = run->graph;
  state *s = run->own;
  double *rank = scree__rank(run), change = 0;
  const double damping = scree__pagerank_of(run)->damping, more = base - s->base;
  const scree__head32 *slot = s->gather->slot;
  const uint64_t last = scree__gather_last(g);
  for (uint64_t u = 0; u < g->locals; u++) {
    const uint64_t e = g->offsets[u], end = g->offsets[u + 1];
    const double sum =
        end <= last ? sum_row(slot, s->table, e, end, SCREE__GATHER_AHEAD) : sum_row(slot, s->table, e, end, 0);
    const double by = more + damping * sum;
    change += fabs(by);
    rank[u] += by;
  }
  s->base = base;
  run->work.edges += g->offsets[g->locals];
  return change;
}

static scree_status solve(scree__run *run) {
  static const scree__pr_steps steps = {.divide = divide, .send = send, .collect = collect};
  return scree__pagerank_iterate(run, &steps);
}

const scree__variant scree__pagerank_pull_float = {
    .about = {"pull-float", "undirected graphs: as pull, but changes of contributions, in 4 bytes, are sent and read"},
    .options = scree__pagerank_options,
    .messages = {{"pagerank.pull_float", sizeof(change_item), take, NULL},
                 {"pagerank.pull_float_block", sizeof(block_item), take_blocks, NULL}},
    .own = sizeof(state),
    .setup = setup,
    .solve = solve,
    .memory = {.local = 12, .needed = 4, .orderings = SCREE__GATHERED | SCREE__VALUES, .wanted = scree__gather_wanted},
};
