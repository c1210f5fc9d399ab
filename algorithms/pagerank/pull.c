/* pull.c - PageRank on undirected graphs. A neighbour's arc leads back, so a vertex that can read its neighbours'
 * contributions needs no other message: each contribution is sent once to each rank that has a neighbour, into its
 * table of needed values, and read there. */
#include <math.h>

#include "pagerank/run.h"

/* Contributions of a block of vertices, for a table of all values. */
typedef struct {
  uint32_t slot;
  char value[SCREE__GATHER_BLOCK][sizeof(double)];
} block_item;
SCREE_MESSAGE_ROUTED(block, block_item);

typedef struct {
  const scree__gather *gather;
  double *table; /* contributions, by slot */
} state;

scree_status scree__pagerank_gather(scree__run *run, const char *algorithm, const scree__gather **gather) {
  const scree_graph *g = run->graph;
  if (!g->directed) {
    run->preparation_reason = scree__gather_wanted(g, run->runs) == SCREE__VALUES ? "one run" : NULL;
    return scree__gather_of(g, run->runs, gather);
  }
  return scree_graphs_agree(g->graphs, SCREE_EINVAL,
                            "algorithm '%s' needs both directions of each arc, and this graph is directed; use push",
                            algorithm);
}

static scree_status setup(scree__run *run) {
  state *s = run->own;
  scree_status status = scree__pagerank_gather(run, "pull", &s->gather);
  if (status) return status;
  s->table = scree__run_alloc(run, ((size_t)s->gather->slots + SCREE__GATHER_BLOCK) * sizeof *s->table);
  return scree__run_ready(run, s->table && scree__pr_contributions(run), "contributions");
}

static void send_block(void *of, uint32_t rank, uint32_t vertex) {
  scree__run *run = of;
  const block_type type = {run->types[1]};
  block_item item = {.slot = (uint32_t)scree__gather_first(run->graph) + vertex};
  memcpy(item.value, ((state *)run->own)->table + item.slot, sizeof item.value);
  block_send(run->worker, type, rank, item);
}

static void send(scree__run *run) {
  const state *s = run->own;
  const scree__gather *t = s->gather;
  const double *contribution = scree__pagerank_of(run)->contribution;
  for (size_t i = 0; i < t->own_count; i++) s->table[t->own[i].slot] = contribution[t->own[i].vertex];
  for (size_t i = 0; i < t->send_count; i++)
    scree__pr_send(run, t->sends[i].rank, t->sends[i].pair.slot, contribution[t->sends[i].pair.vertex]);
  run->work.sent += t->send_count;
  if (!t->readers) return;
  memcpy(s->table + scree__gather_first(run->graph), contribution, run->graph->locals * sizeof *contribution);
  run->work.sent += scree__gather_blocks(run->graph, t, run, send_block);
}

static void take(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  const scree__pr_item *item = items;
  double *table = ((state *)run->own)->table;
  (void)sender;
  for (uint32_t i = 0; i < count; i++) table[item[i].vertex] = scree__pr_value(&item[i]);
}

static void take_blocks(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  const block_item *item = items;
  double *table = ((state *)run->own)->table;
  (void)sender;
  for (uint32_t i = 0; i < count; i++) memcpy(table + item[i].slot, item[i].value, sizeof item[i].value);
}

/* One sum: an addition waits for the one before it, but reading at random takes longer, and a second loop for the rest
 * of a row would be a second branch that is mispredicted. */
static inline double sum_row(const scree__head32 *slot, const double *table, uint64_t e, uint64_t end, uint64_t ahead) {
  double sum = 0;
  for (; e < end; e++) {
    if (ahead) __builtin_prefetch(&table[slot[e + ahead]]);
    sum += table[slot[e]];
  }
  return sum;
}

static double collect(scree__run *run, double base) {
  const scree_graph *g = run->graph;
  const state *s = run->own;
  double *rank = scree__rank(run), change = 0;
  const double damping = scree__pagerank_of(run)->damping;
  const scree__head32 *slot = s->gather->slot;
  const uint64_t last = scree__gather_last(g);
  for (uint64_t u = 0; u < g->locals; u++) {
    const uint64_t e = g->offsets[u], end = g->offsets[u + 1];
    const double sum =
        end <= last ? sum_row(slot, s->table, e, end, SCREE__GATHER_AHEAD) : sum_row(slot, s->table, e, end, 0);
    const double value = base + damping * sum;
    change += fabs(value - rank[u]);
    rank[u] = value;
  }
  run->work.edges += g->offsets[g->locals];
  return change;
}

static scree_status solve(scree__run *run) {
  static const scree__pr_steps steps = {.divide = scree__pr_divide, .send = send, .collect = collect};
  return scree__pagerank_iterate(run, &steps);
}

const scree__variant scree__pagerank_pull = {
    .about = {"pull",
              "undirected graphs: each contribution is sent once to each rank, and read by the neighbours there"},
    .options = scree__pagerank_options,
    .messages = {{"pagerank.pull", sizeof(scree__pr_item), take, NULL},
                 {"pagerank.pull_block", sizeof(block_item), take_blocks, NULL}},
    .own = sizeof(state),
    .setup = setup,
    .solve = solve,
    .memory = {.local = 8, .needed = 8, .orderings = SCREE__GATHERED | SCREE__VALUES, .wanted = scree__gather_wanted},
};
