/* solver.c - registering, choosing, preparing and summing up the variants of a family.
 *
 * Room: see solver.h. Of all here only `on_batch` is called often. */
#include "common/solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a handler is given. */
typedef struct {
  scree__solver *solver;
  void (*take)(scree__run *run, uint32_t sender, const void *items, uint32_t count);
} receiver;

struct scree__solver {
  scree_graphs *graphs;
  const scree__variant *const *variants; /* ends with NULL */
  uint32_t types[SCREE__VARIANTS_MAX][SCREE__MESSAGES_MAX];
  receiver receivers[SCREE__VARIANTS_MAX][SCREE__MESSAGES_MAX];
  scree__run *run; /* in progress; NULL: none */
};

static scree_world *world_of(const scree_graphs *graphs) {
  return scree_world_of(scree_graphs_worker(graphs));
}

static void on_batch(scree_worker *worker, const scree_batch *batch, const void *items, void *arg) {
  (void)worker;
  const receiver *r = arg;
  scree__run *run = r->solver->run;
  uint64_t begun = scree__ticks();
  r->take(run, batch->source, items, batch->count);
  run->handler_ticks += scree__ticks() - begun;
  run->batches++;
}

static scree_status register_one(scree__solver *solver, size_t i, size_t k) {
  const scree__message *m = &solver->variants[i]->messages[k];
  solver->receivers[i][k] = (receiver){solver, m->take};
  scree_type_desc desc = {sizeof desc, m->name, m->item, 0, on_batch, &solver->receivers[i][k]};
  return scree_register(world_of(solver->graphs), &desc, &solver->types[i][k]);
}

static scree_status register_all(scree__solver *solver) {
  for (size_t i = 0; solver->variants[i]; i++)
    for (size_t k = 0; k < SCREE__MESSAGES_MAX && solver->variants[i]->messages[k].name; k++) {
      scree_status status = register_one(solver, i, k);
      if (status) return scree_graphs_agree(solver->graphs, status, "%s", scree_error_text(world_of(solver->graphs)));
    }
  return SCREE_OK;
}

scree_status scree__solver_open(scree_graphs *graphs, const scree__variant *const *variants, scree__solver **solver) {
  scree__solver *s = calloc(1, sizeof *s);
  scree_status status = scree_graphs_agree(graphs, s ? SCREE_OK : SCREE_ENOMEM, "no memory for an algorithm's types");
  if (status == SCREE_OK) {
    s->graphs = graphs;
    s->variants = variants;
    status = register_all(s);
  }
  if (status)
    free(s);
  else
    *solver = s;
  return status;
}

void scree__solver_close(scree__solver *solver) {
  free(solver);
}

scree_status scree__solver_find(const scree__solver *solver, const char *name, size_t *index) {
  char known[256] = "";
  for (size_t i = 0; solver->variants[i]; i++) {
    const char *candidate = solver->variants[i]->about.name;
    if (!name || strcmp(name, candidate) == 0) return *index = i, SCREE_OK;
    if (i) strncat(known, ", ", sizeof known - strlen(known) - 1);
    strncat(known, candidate, sizeof known - strlen(known) - 1);
  }
  return scree_graphs_agree(solver->graphs, SCREE_EINVAL, "algorithm '%s' is unknown; known are: %s", name, known);
}

/* ---- one run ------------------------------------------------------------------------------------------------------
 */

static scree_status check_start(const scree__solver *solver, const scree__run *run, uint64_t source) {
  uint64_t n = run->graph->vertices.n;
  if (source >= n)
    return scree_graphs_agree(solver->graphs, SCREE_EINVAL,
                              "the source is vertex %llu; legal: 0 to %llu, the vertices of the graph",
                              (unsigned long long)source, (unsigned long long)n - 1);
  return scree__run_ready(run, run->parent && (run->distance || run->level), "the answer");
}

static void place_source(scree__run *run, uint64_t source) {
  scree_location place = scree_graph_location(run->graph, source);
  for (uint64_t u = 0; u < run->graph->locals; u++) {
    run->parent[u] = SCREE_NO_VERTEX;
    if (run->distance) run->distance[u] = INFINITY;
    if (run->level) run->level[u] = -1;
  }
  run->has_source = scree_location_owner(place) == scree_graph_rank(run->graph);
  run->source = (uint32_t)scree_location_local(place);
  if (!run->has_source) return;
  run->parent[run->source] = source;
  if (run->distance) run->distance[run->source] = 0;
  if (run->level) run->level[run->source] = 0;
}

scree_status scree__run_ready(const scree__run *run, bool ready, const char *what) {
  return scree_graphs_agree(run->graph->graphs, ready ? SCREE_OK : SCREE_ENOMEM,
                            "rank %u: no memory for %s on %llu vertices; use more ranks or a smaller graph",
                            scree_graph_rank(run->graph), what, (unsigned long long)run->graph->locals);
}

void scree__run_watch(scree__run *run) {
  run->watched = scree__ticks();
  if (run->watch.fn) run->watch.fn(&run->work, run->watch.arg);
}

/* ---- counters -----------------------------------------------------------------------------------------------------
 */

/* Bytes of this rank's messages of the variant so far. */
static uint64_t bytes_sent(const scree__run *run, const scree__variant *variant) {
  scree_world *world = scree_world_of(run->worker);
  uint64_t bytes = 0;
  for (size_t k = 0; k < SCREE__MESSAGES_MAX && variant->messages[k].name; k++)
    for (uint32_t rank = 0; rank < scree_ranks(run->worker); rank++) {
      scree_lane_stats lane;
      if (scree_stats_lane(world, run->types[k], rank, &lane) == SCREE_OK) bytes += lane.bytes;
    }
  return bytes;
}

/* Sums a pair of counters over the ranks, finds the most of a third. */
static scree_status sum(scree__solver *solver, uint64_t *a, uint64_t *b, uint64_t *max) {
  scree_reduce all = {{*a, *b}, UINT64_MAX, *max};
  scree_status status = scree_graphs_reduce(solver->graphs, &all);
  *a = all.sum[0];
  *b = all.sum[1];
  *max = all.max;
  return status;
}

/* Of a duration in ticks, of which the run took `total`, the share in nanoseconds. */
static uint64_t share(uint64_t ticks, uint64_t total, double seconds) {
  return total ? (uint64_t)(1e9 * seconds * (double)ticks / (double)total) : 0;
}

static scree_status sum_up(scree__solver *solver, scree__run *run, uint64_t ticks, double *seconds) {
  scree_work *w = &run->work;
  uint64_t handler = share(run->handler_ticks, ticks, *seconds), queue = share(run->queue_ticks, ticks, *seconds);
  uint64_t longest = (uint64_t)(1e9 * *seconds), all = longest, none = 0;
  scree_status status = sum(solver, &w->sent, &w->direct, &w->detection_rounds);
  if (status == SCREE_OK) status = sum(solver, &w->useful, &w->invalidated, &longest);
  if (status == SCREE_OK) status = sum(solver, &w->rejected, &w->pruned, &none);
  if (status == SCREE_OK) status = sum(solver, &w->edges, &w->blocks, &none);
  if (status == SCREE_OK) status = sum(solver, &w->bytes, &all, &none);
  if (status == SCREE_OK) status = sum(solver, &handler, &queue, &none);
  w->handler_seconds = 1e-9 * (double)handler;
  w->queue_seconds = 1e-9 * (double)queue;
  w->wait_seconds = 1e-9 * ((double)all - (double)handler - (double)queue);
  *seconds = 1e-9 * (double)longest;
  return status;
}

/* ---- the run ------------------------------------------------------------------------------------------------------
 */

static scree_status timed(scree__solver *solver, const scree__variant *variant, scree__run *run, double *seconds) {
  scree_stats before, after;
  uint64_t bytes = bytes_sent(run, variant);
  scree_stats_read(scree_world_of(run->worker), &before);
  solver->run = run;
  double start = scree__seconds();
  uint64_t begun = scree__ticks();
  scree_status status = variant->solve(run);
  uint64_t ticks = scree__ticks() - begun;
  *seconds = scree__seconds() - start;
  solver->run = NULL;
  if (status) return status;
  scree_stats_read(scree_world_of(run->worker), &after);
  run->work.detection_rounds = after.detection_rounds - before.detection_rounds;
  run->work.blocks = after.created - before.created;
  run->work.bytes = bytes_sent(run, variant) - bytes;
  return sum_up(solver, run, ticks, seconds);
}

scree_status scree__solver_prepare(scree__solver *solver, size_t index, scree__run *run) {
  const scree__variant *variant = solver->variants[index];
  run->worker = scree_graphs_worker(solver->graphs);
  run->types = solver->types[index];
  scree_status status = variant->enter ? variant->enter(run) : SCREE_OK;
  if (variant->leave) variant->leave(run);
  return status;
}

scree_status scree__solver_solve(scree__solver *solver, size_t index, scree__run *run, uint64_t source,
                                 double *seconds) {
  const scree__variant *variant = solver->variants[index];
  run->worker = scree_graphs_worker(solver->graphs);
  run->types = solver->types[index];
  scree_status status = check_start(solver, run, source);
  if (status) return status;
  place_source(run, source);
  status = variant->enter ? variant->enter(run) : SCREE_OK;
  if (status == SCREE_OK) status = timed(solver, variant, run, seconds);
  if (variant->leave) variant->leave(run);
  return status;
}
