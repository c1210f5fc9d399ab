/* tasks.c - PageRank by tasks, on any graph: in each iteration a loop runs over all vertices, whose tasks send an
 * increment for each arc to the owner of its head (Grappa's form: Nelson et al. 2015, section 7). Nothing is summed
 * before it is sent. */
#include <math.h>

#include "pagerank/run.h"

static double *got(const scree__run *run) {
  return run->own;
}

static void take(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  const scree__pr_item *item = items;
  (void)sender;
  for (uint32_t i = 0; i < count; i++) got(run)[item[i].vertex] += scree__pr_value(&item[i]);
}

/* Local vertices. */
static void run_spread(scree_task *self, uint64_t begin, uint64_t end, const uint64_t *first) {
  const scree__pagerank_kept *kept = scree_task_arg(self);
  scree__run *run = kept->tasks.run;
  const scree_graph *g = run->graph;
  const double *contribution = scree__pagerank_of(run)->contribution;
  for (uint64_t u = begin - *first; u < end - *first; u++)
    for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) {
      const scree_location head = scree_graph_target(g, e);
      scree__pr_send(run, scree_location_owner(head), (uint32_t)scree_location_local(head), contribution[u]);
    }
  const uint64_t arcs = g->offsets[end - *first] - g->offsets[begin - *first];
  run->work.messages += arcs;
  run->work.edges += arcs;
}
SCREE_LOOP_BODY(scree__spread, uint64_t, run_spread);

static void send(scree__run *run) {
  const scree__pagerank_kept *kept = run->kept;
  const uint64_t first = kept->tasks.first;
  scree__spread_for_in(run->worker, kept->spread, NULL, SCREE_LOOP_BY_MAP, first, first + run->graph->locals, 0, first);
}

static double collect(scree__run *run, double base, double *mass) {
  const double damping = scree__pagerank_of(run)->damping;
  double *rank = scree__rank(run), change = 0;
  bool rough = false;
  for (uint64_t u = 0; u < run->graph->locals; u++) {
    const double value = base + damping * got(run)[u], by = fabs(value - rank[u]);
    change += by;
    rough |= scree__pr_is_rough(by, value);
    rank[u] = value;
    got(run)[u] = 0;
  }
  scree__pagerank_of(run)->rough = rough;
  *mass = scree__pr_divide(run);
  return change;
}

static scree_status solve(scree__run *run) {
  static const scree__pr_steps steps = {.divide = scree__pr_divide, .send = send, .collect = collect};
  return scree__pagerank_iterate(run, &steps);
}

static scree_status types(scree_world *world, scree__run_tasks *tasks) {
  scree__pagerank_kept *kept = (scree__pagerank_kept *)tasks;
  const scree_status status = scree__spread_register(world, kept, &kept->spread);
  kept->spread.map = &tasks->map;
  return status;
}

static scree_status setup(scree__run *run) {
  run->own = scree__run_alloc(run, ((size_t)run->graph->locals + 1) * sizeof(double));
  const scree_status status = scree__run_ready(run, scree__pr_contributions(run), "increments");
  return status ? status : scree__run_tasks_open(run, types);
}

const scree__variant scree__pagerank_tasks = {
    .about = {"tasks", "any graph: a loop of tasks sends an increment for each arc"},
    .options = scree__pagerank_options,
    .messages = {{"pagerank.tasks", sizeof(scree__pr_item), take, NULL}},
    .setup = setup,
    .solve = solve,
    .memory = {.local = 16},
};
