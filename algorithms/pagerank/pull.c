/* pull.c - PageRank on undirected graphs. A neighbour's arc leads back, so a vertex that can read its neighbours'
 * contributions needs no message. */
#include <math.h>

#include "pagerank/table.h"

static scree_status setup(scree__run *run) {
  const scree_status status = scree__pr_table_open(run, "pull", sizeof(double), run->own);
  if (status) return status;
  scree__pagerank_of(run)->contribution = scree__pr_table_own(run, run->own, false);
  return SCREE_OK;
}

static void send(scree__run *run) {
  scree__pr_table_send(run, run->own);
}

static void take(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  (void)sender;
  scree__pr_table_take(run, run->own, items, count);
}

/* Vertices from u to end; `wide` is a constant. */
static inline __attribute__((always_inline)) double collect_some(const scree__run *run, uint64_t u, uint64_t end,
                                                                 double base, double *mass, bool wide) {
  const scree_graph *g = run->graph;
  const double damping = scree__pagerank_of(run)->damping, *table = scree__pr_table_at(run->own, false);
  const double *inverse = scree__pagerank_of(run)->inverse;
  double *rank = scree__rank(run), *next = scree__pr_table_own(run, run->own, true), change = 0, kept = 0;
  bool rough = false;
  for (uint64_t e = g->offsets[u]; u < end; u++) {
    const uint64_t begin = e;
    double sum = 0;
    for (; e < g->offsets[u + 1]; e++) sum += table[scree__head_get(g->targets, wide, e)];
    const double value = base + damping * sum;
    const double by = fabs(value - rank[u]);
    change += by;
    rough |= scree__pr_is_rough(by, value);
    rank[u] = value;
    next[u] = value * scree__pr_inverse(inverse, e - begin);
    if (e == begin) kept += value;
  }
  *mass += kept;
  scree__pagerank_of(run)->rough |= rough;
  return change;
}

static double collect(scree__run *run, double base, double *mass) {
  const scree_graph *g = run->graph;
  scree__pr_table *t = run->own;
  double change = 0;
  *mass = 0;
  for (uint64_t u = 0; u < g->locals; u += SCREE__PR_STRIDE) {
    const uint64_t end = g->locals - u < SCREE__PR_STRIDE ? g->locals : u + SCREE__PR_STRIDE;
    scree_node_array_step(t->array, run->worker);
    change += g->wide ? collect_some(run, u, end, base, mass, true) : collect_some(run, u, end, base, mass, false);
  }
  t->second = !t->second;
  run->work.edges += g->offsets[g->locals];
  return change;
}

static scree_status solve(scree__run *run) {
  static const scree__pr_steps steps = {.divide = scree__pr_divide, .send = send, .collect = collect};
  return scree__pagerank_iterate(run, &steps);
}

const scree__variant scree__pagerank_pull = {
    .about = {"pull", "undirected graphs: neighbours read each contribution in memory of the node; other nodes get it"},
    .options = scree__pagerank_options,
    .messages = {{"pagerank.pull", sizeof(scree__pr_block), take, NULL}},
    .own = sizeof(scree__pr_table),
    .setup = setup,
    .solve = solve,
    .memory = {.node_bits = 2 * 64, .orderings = SCREE__READERS},
};
