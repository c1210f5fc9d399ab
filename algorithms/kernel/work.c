/* work.c - times a run, and sums what all ranks and workers counted in it. */
#include "kernel/work.h"

#include "base/counters.h"
#include "base/options.h"

uint32_t scree__run_endpoints(const scree__run *run) {
  const bool progress = scree_options_of(scree_world_of(run->worker))->progress == SCREE_PROGRESS_FULL;
  return run->worker->threads + progress;
}

#define COUNTER(FIELD, OF) SCREE__COUNTER(scree_work, FIELD, OF, #FIELD)
const scree__counter scree__work_counters[] = {
    COUNTER(messages, SUM),           COUNTER(direct, SUM), COUNTER(useful, SUM), COUNTER(superseded, SUM),
    COUNTER(rejected, SUM),           COUNTER(pruned, SUM), COUNTER(edges, SUM),  COUNTER(epochs, MAX),
    COUNTER(detection_rounds, RANKS), COUNTER(blocks, SUM), COUNTER(bytes, SUM),  {0},
};
#undef COUNTER

void scree__run_add_workers(scree__run *run) {
  for (uint32_t w = 1; w < scree__run_endpoints(run); w++) {
    const scree__run *from = run + w;
    scree__counters_add(scree__work_counters, &run->work, &from->work);
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

/* Converts ticks to nanoseconds: the run took `total` ticks. */
static uint64_t share(uint64_t ticks, uint64_t total, double seconds) {
  return total ? (uint64_t)(1e9 * seconds * (double)ticks / (double)total) : 0;
}

typedef struct {
  uint64_t longest, all, handler, queue; /* nanoseconds: of a rank; the sums over the ranks */
} times;
static const scree__counter times_counters[] = {SCREE__COUNTER(times, longest, MAX, ""),
                                                SCREE__COUNTER(times, all, SUM, ""),
                                                SCREE__COUNTER(times, handler, SUM, ""),
                                                SCREE__COUNTER(times, queue, SUM, ""),
                                                {0}};

static scree_status reduce(void *graphs, scree_reduce *all) {
  return scree_graphs_reduce(graphs, all);
}

static scree_status sum_work(scree_graphs *graphs, const scree__run *run, uint64_t ticks, uint32_t runs,
                             scree_answer *answer) {
  scree_work *w = &answer->work;
  const double seconds = answer->seconds;
  const uint64_t longest = (uint64_t)(1e9 * seconds);
  times t = {.longest = longest,
             .all = longest * runs,
             .handler = share(run->handler_ticks, ticks, seconds),
             .queue = share(run->queue_ticks, ticks, seconds)};
  scree_status status = scree__counters_reduce(scree__work_counters, w, reduce, graphs);
  if (status == SCREE_OK) status = scree__counters_reduce(times_counters, &t, reduce, graphs);
  w->handler_seconds = 1e-9 * (double)t.handler;
  w->queue_seconds = 1e-9 * (double)t.queue;
  w->wait_seconds = 1e-9 * ((double)t.all - (double)t.handler - (double)t.queue);
  answer->seconds = 1e-9 * (double)t.longest;
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
  answer->work.messages -= fewer; /* below 0 on some ranks, but not in the sum */
  answer->work.pruned += run->pruning ? fewer : 0;
  return sum_work(run->graph->graphs, run, ticks, runs, answer);
}
