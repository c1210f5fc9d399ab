/* label.c - components by label propagation: a vertex whose label decreased sends it to its neighbours, in the next
 * epoch. Of a directed graph it runs on the symmetrized copy. */

#include "cc/run.h"
#include "ordering/ordering.h"

typedef struct {
  const scree_graph *graph; /* with both directions of each arc */
  uint32_t *now, *next;     /* vertices whose labels decreased in the last epoch, and in this one */
  uint64_t count;           /* in next */
  scree_reduce total;       /* sum[0]: in next, on all ranks once the epoch has ended */
  bool *waits;              /* by vertex: it is in next */
  uint64_t improved;        /* labels that decreased */
} state;

static void take(scree__run *run, const scree__cc_link *items, uint32_t count) {
  state *s = run->own;
  const uint64_t before = s->improved;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t v = items[i].target;
    uint64_t label = scree__cc_value(&items[i]);
    if (label >= scree__component(run)[v]) continue;
    scree__component(run)[v] = label;
    s->improved++;
    if (s->waits[v]) continue;
    s->waits[v] = true;
    s->next[s->count++] = v;
    s->total.sum[0]++;
  }
  run->work.rejected += count - (s->improved - before);
}

static void notify_neighbours(scree__run *run, const scree_graph *g, uint32_t u) {
  uint64_t label = scree__component(run)[u]; /* it may decrease while this is sent: then u is in next */
  for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) {
    scree_location head = scree_graph_target(g, e);
    scree__cc_send(run, scree_location_owner(head), (uint32_t)scree_location_local(head), label);
  }
  run->work.edges += g->offsets[u + 1] - g->offsets[u];
}

static scree_status one_round(scree__run *run, state *s) {
  uint32_t *swap = s->now;
  uint64_t count = s->count;
  s->now = s->next;
  s->next = swap;
  s->count = 0;
  s->total = (scree_reduce)SCREE_REDUCE_INIT;
  for (uint64_t i = 0; i < count; i++) s->waits[s->now[i]] = false;
  scree_status status = scree_begin(run->worker);
  if (status) return status;
  uint64_t begun = scree__work_begin(run);
  for (uint64_t i = 0; i < count; i++) notify_neighbours(run, s->graph, s->now[i]);
  scree__work_end(run, begun);
  return scree__run_end(run, &s->total);
}

static uint64_t own_label(const scree__run *run, uint64_t u) {
  return scree_distribution_global(&run->graph->vertices, scree_graph_rank(run->graph), u);
}

/* Of the labels that decreased, those that others replaced were superseded. */
static void count_outcomes(scree__run *run, const state *s) {
  for (uint64_t u = 0; u < run->graph->locals; u++) run->work.useful += scree__component(run)[u] != own_label(run, u);
  run->work.superseded = s->improved - run->work.useful;
}

static scree_status solve(scree__run *run) {
  state *s = run->own;
  scree_status status;
  for (uint64_t u = 0; u < run->graph->locals; u++) {
    scree__component(run)[u] = own_label(run, u);
    s->next[s->count++] = (uint32_t)u;
  }
  scree__cc_of(run)->take_links = take;
  do {
    status = one_round(run, s);
  } while (status == SCREE_OK && s->total.sum[0]);
  count_outcomes(run, s);
  return status;
}

static scree_status setup(scree__run *run) {
  const scree_graph *g = run->graph;
  size_t n = (size_t)g->locals + 1;
  state *s = run->own;
  s->now = scree__run_alloc(run, n * sizeof *s->now);
  s->next = scree__run_alloc(run, n * sizeof *s->next);
  s->waits = scree__run_alloc(run, n * sizeof *s->waits);
  scree_status status = scree__run_ready(run, true, "a frontier");
  if (status) return status;
  s->graph = g;
  return g->directed ? scree__symmetrized_of(g, &s->graph) : SCREE_OK;
}

const scree__variant scree__cc_label = {
    .about = {"label", "label propagation: each vertex sends its neighbours the smallest vertex it knows"},
    .messages = {{"cc.label", sizeof(scree__cc_link), scree__cc_on_links, NULL}},
    .own = sizeof(state),
    .setup = setup,
    .solve = solve,
    .memory = {.local = 9, .orderings = SCREE__BOTH_WAYS},
};
