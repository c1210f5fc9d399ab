/* work.c - times a run, and sums what all ranks and workers counted in it. */
#include "kernel/work.h"

#include "base/options.h"

uint32_t scree__run_endpoints(const scree__run *run) {
  const bool progress = scree_options_of(scree_world_of(run->worker))->progress == SCREE_PROGRESS_FULL;
  return run->worker->threads + progress;
}

void scree__run_add_workers(scree__run *run) {
  for (uint32_t w = 1; w < scree__run_endpoints(run); w++) {
    const scree__run *from = run + w;
    run->work.sent += from->work.sent;
    run->work.direct += from->work.direct;
    run->work.useful += from->work.useful;
    run->work.invalidated += from->work.invalidated;
    run->work.rejected += from->work.rejected;
    run->work.pruned += from->work.pruned;
    run->work.edges += from->work.edges;
    run->handler_ticks += from->handler_ticks;
    run->queue_ticks += from->queue_ticks;
  }
}

static uint64_t bytes_of(const scree_world *world, uint32_t type) {
  scree_lane_stats lane = {.size = sizeof lane};
  uint64_t bytes = 0;
  for (uint32_t dest = 0; scree_stats_lane(world, type, dest, &lane) == SCREE_OK; dest++) bytes += lane.bytes;
  return bytes;
}

/* Bytes of this rank's messages of the variant so far, those included that spawn tasks. */
static uint64_t bytes_sent(const scree__run *run, const scree__variant *variant) {
  const scree_world *world = scree_world_of(run->worker);
  uint64_t bytes = run->spawns ? bytes_of(world, run->spawns) : 0;
  for (size_t k = 0; k < SCREE__MESSAGES_MAX && variant->messages[k].name; k++) bytes += bytes_of(world, run->types[k]);
  return bytes;
}

/* Messages of the variant that this rank has combined so far. With a route they may be messages of other ranks: the sum
 * over the ranks counts. */
static uint64_t combined(const scree__run *run, const scree__variant *variant) {
  scree_reduced_stats stats = {.size = sizeof stats};
  uint64_t sum = 0;
  for (size_t k = 0; k < SCREE__MESSAGES_MAX && variant->messages[k].name; k++)
    if (scree_stats_reduced(scree_world_of(run->worker), run->types[k], &stats) == SCREE_OK) sum += stats.combined;
  return sum;
}

bool scree__run_reduce(const scree__run *run, bool on) {
  const uint64_t mode = on ? SCREE_COMBINE_ON : SCREE_COMBINE_OFF;
  return scree_combine_type(scree_world_of(run->worker), run->types[0], mode) == SCREE_OK;
}

/* Sums a pair of counters over the ranks, finds the maximum of a third. */
static scree_status sum(scree_graphs *graphs, uint64_t *a, uint64_t *b, uint64_t *max) {
  scree_reduce all = {.sum = {*a, *b}, .min = UINT64_MAX, .max = *max};
  scree_status status = scree_graphs_reduce(graphs, &all);
  *a = all.sum[0];
  *b = all.sum[1];
  *max = all.max;
  return status;
}

/* Converts ticks to nanoseconds: the run took `total` ticks. */
static uint64_t share(uint64_t ticks, uint64_t total, double seconds) {
  return total ? (uint64_t)(1e9 * seconds * (double)ticks / (double)total) : 0;
}

static scree_status sum_work(scree_graphs *graphs, const scree__run *run, uint64_t ticks, uint32_t runs,
                             scree_answer *answer) {
  scree_work *w = &answer->work;
  const double seconds = answer->seconds;
  uint64_t handler = share(run->handler_ticks, ticks, seconds), queue = share(run->queue_ticks, ticks, seconds);
  uint64_t longest = (uint64_t)(1e9 * seconds), all = longest * runs, none = 0;
  scree_status status = sum(graphs, &w->sent, &w->direct, &w->detection_rounds);
  if (status == SCREE_OK) status = sum(graphs, &w->useful, &w->invalidated, &longest);
  if (status == SCREE_OK) status = sum(graphs, &w->rejected, &w->pruned, &none);
  if (status == SCREE_OK) status = sum(graphs, &w->edges, &w->blocks, &none);
  if (status == SCREE_OK) status = sum(graphs, &w->bytes, &all, &none);
  if (status == SCREE_OK) status = sum(graphs, &handler, &queue, &none);
  w->handler_seconds = 1e-9 * (double)handler;
  w->queue_seconds = 1e-9 * (double)queue;
  w->wait_seconds = 1e-9 * ((double)all - (double)handler - (double)queue);
  answer->seconds = 1e-9 * (double)longest;
  return status;
}

scree_status scree__run_prepare(scree__run *run, scree_status (*make)(scree__run *run)) {
  const double start = scree__seconds();
  const uint64_t begun = scree__ticks();
  scree_status status = make(run);
  run->prepared_ticks += scree__ticks() - begun;
  run->prepared += scree__seconds() - start;
  return status;
}

scree_status scree__solve_timed(scree__run *run, const scree__variant *variant, uint32_t runs, scree_answer *answer) {
  scree_stats before = {.size = sizeof before}, after = {.size = sizeof after};
  uint64_t bytes = bytes_sent(run, variant), fewer = combined(run, variant);
  scree_stats_read(scree_world_of(run->worker), &before);
  double start = scree__seconds();
  uint64_t begun = scree__ticks();
  scree_status status = variant->solve(run);
  uint64_t ticks = scree__ticks() - begun - run->prepared_ticks;
  answer->seconds = scree__seconds() - start - run->prepared;
  answer->preparation_seconds += run->prepared;
  if (status) return status;
  scree_stats_read(scree_world_of(run->worker), &after);
  answer->work = run->work;
  answer->work.detection_rounds = after.detection_rounds - before.detection_rounds;
  answer->work.blocks = after.created - before.created;
  answer->work.bytes = bytes_sent(run, variant) - bytes;
  fewer = combined(run, variant) - fewer;
  answer->work.sent -= fewer; /* below 0 on some ranks, but not in the sum */
  answer->work.pruned += run->pruning ? fewer : 0;
  return sum_work(run->graph->graphs, run, ticks, runs, answer);
}
