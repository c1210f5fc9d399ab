/* push.c - PageRank on any graph. Each rank sums the contributions for each head of its arcs, in a table by packed
 * location, and sends the sums of other ranks' vertices: a message for each head, not for each arc. A rank with fewer
 * arcs than that table has entries, or for which the table takes too much memory (whole.h), sends a message for each
 * arc to another rank. */
#include <math.h>

#include "graph/structure.h"
#include "kernel/whole.h"
#include "pagerank/run.h"

static void add_item(scree__pr_item *kept, const scree__pr_item *item) {
  const double sum = scree__pr_value(kept) + scree__pr_value(item);
  memcpy(kept->value, &sum, sizeof sum);
}
#define KEY(item) ((item)->vertex)
SCREE_MESSAGE_REDUCED(contribution, scree__pr_item, KEY, add_item);

typedef struct {
  bool cached;  /* messages for an arc each, which the cache of their type adds up */
  double *sums; /* of contributions by packed location; NULL: a message for each arc */
  double *got;  /* by local vertex; within sums, if there are sums */
} state;

/* Why a rank has no table of so many sums; NULL: it pays. */
static const char *no_table(const scree_graph *g, uint64_t slots) {
  if (slots > g->offsets[g->locals]) return "a rank with fewer arcs than there are vertices sends no more without sums";
  return scree__whole_pays(g, slots * sizeof(double)) ? NULL : SCREE__WHOLE_DOES_NOT_PAY;
}

static scree_status setup(scree__run *run) {
  const scree_graph *g = run->graph;
  uint64_t slots = scree_graph_slots(g);
  state *s = run->own;
  const uint64_t how = ((const scree_pagerank_options *)run->options)->sums;
  const char *costs = no_table(g, slots);
  if (how == SCREE_SUMS_TABLE && !costs) {
    s->sums = scree__run_alloc(run, ((size_t)slots + 1) * sizeof *s->sums);
    if (s->sums) s->got = s->sums + ((uint64_t)scree_graph_rank(g) << g->local_bits);
  } else {
    s->got = scree__run_alloc(run, ((size_t)g->locals + 1) * sizeof *s->got);
  }
  bool ready = s->got && scree__pr_contributions(run);
  if (ready) {
    s->cached = how == SCREE_SUMS_CACHE && scree__run_reduce(run, true);
    ready = s->cached || how != SCREE_SUMS_CACHE;
    run->sums = s->sums ? "table" : s->cached ? "cache" : "off";
    if (how == SCREE_SUMS_TABLE) run->saving_reason = costs;
  }
  scree_status status = scree_graphs_agree(g->graphs, ready ? SCREE_OK : SCREE_ENOMEM,
                                           "rank %u: no memory for the sums of %llu vertices; use more ranks",
                                           scree_graph_rank(g), (unsigned long long)g->vertices.n);
  return status;
}

#define ADD_ROW(heads)                                                                                                 \
  for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) sums[(heads)[e]] += contribution[u]

static void add_up(const scree__run *run, double *sums) {
  const scree_graph *g = run->graph;
  const double *contribution = scree__pagerank_of(run)->contribution;
  for (uint64_t u = 0; u < g->locals; u++) {
    if (g->wide)
      ADD_ROW((const uint64_t *)g->targets);
    else
      ADD_ROW((const scree__head32 *)g->targets);
  }
}

static inline void send_one(scree__run *run, uint32_t owner, uint32_t vertex, double value, bool cached) {
  const contribution_type type = {run->types[0]};
  scree__pr_item item = {.vertex = vertex};
  memcpy(item.value, &value, sizeof value);
  if (cached)
    contribution_send(run->worker, type, owner, item);
  else
    contribution_send_at_once(run->worker, type, owner, item);
  run->work.messages++;
}

/* Sends the sums of a rank's vertices, and prepares the next iteration. */
static void send_sums(scree__run *run, double *sums, uint32_t owner) {
  const scree_graph *g = run->graph;
  double *of = sums + ((uint64_t)owner << g->local_bits);
  uint64_t count = scree_distribution_count(&g->vertices, owner);
  for (uint64_t v = 0; v < count; v++) {
    if (of[v] == 0) continue;
    send_one(run, owner, (uint32_t)v, of[v], false);
    of[v] = 0;
  }
}

/* `cached` is a constant. */
static inline __attribute__((always_inline)) void send_arcs(scree__run *run, double *got, bool cached) {
  const scree_graph *g = run->graph;
  const double *contribution = scree__pagerank_of(run)->contribution;
  for (uint64_t u = 0; u < g->locals; u++)
    for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) {
      scree_location head = scree_graph_target(g, e);
      if (scree_location_owner(head) == scree_graph_rank(g))
        got[scree_location_local(head)] += contribution[u];
      else
        send_one(run, scree_location_owner(head), (uint32_t)scree_location_local(head), contribution[u], cached);
    }
}

static void send(scree__run *run) {
  const scree_graph *g = run->graph;
  const state *s = run->own;
  run->work.edges += g->offsets[g->locals];
  if (!s->sums) {
    if (s->cached)
      send_arcs(run, s->got, true);
    else
      send_arcs(run, s->got, false);
    return;
  }
  add_up(run, s->sums);
  for (uint32_t i = 1; i < g->vertices.ranks; i++)
    send_sums(run, s->sums, (scree_graph_rank(g) + i) % g->vertices.ranks);
}

static void take(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  (void)sender;
  const scree__pr_item *item = items;
  double *got = ((state *)run->own)->got;
  for (uint32_t i = 0; i < count; i++) got[item[i].vertex] += scree__pr_value(&item[i]);
}

static double collect(scree__run *run, double base, double *mass) {
  double *got = ((state *)run->own)->got, *rank = scree__rank(run), change = 0;
  const double damping = scree__pagerank_of(run)->damping;
  bool rough = false;
  for (uint64_t u = 0; u < run->graph->locals; u++) {
    const double value = base + damping * got[u], by = fabs(value - rank[u]);
    change += by;
    rough |= scree__pr_is_rough(by, value);
    rank[u] = value;
    got[u] = 0;
  }
  scree__pagerank_of(run)->rough = rough;
  *mass = scree__pr_divide(run);
  return change;
}

static scree_status solve(scree__run *run) {
  static const scree__pr_steps steps = {.divide = scree__pr_divide, .send = send, .collect = collect};
  return scree__pagerank_iterate(run, &steps);
}

static const scree_kernel_option options[] = {
    SCREE__PAGERANK_OPTIONS,
    {.row = {SCREE__ROW("sums", CHOICE, "table|cache|off", "where a rank adds up what it sends to a vertex"),
             .def = SCREE_SUMS_TABLE, .max = SCREE_SUMS_OFF, .rare = true,
             .offset = offsetof(scree_pagerank_options, sums)},
     .value = "NAME"},
    SCREE__OPTIONS_END,
};

const scree__variant scree__pagerank_push = {
    .about = {"push", "any graph: contributions are summed for each head, the sums are sent to its rank"},
    .options = options,
    .messages = {{"pagerank.push", sizeof(scree__pr_item), take, contribution__reduction}},
    .own = sizeof(state),
    .setup = setup,
    .solve = solve,
    .memory = {.local = 16, .saving_bits = 64},
};
