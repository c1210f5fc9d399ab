/* dc.c - SSSP by Distributed Control: an improved vertex waits in a queue of its rank, and each rank relaxes its
 * nearest vertex first, without synchronization: one epoch in all (Firoz et al. 2015, Algorithm 1).
 */
#include <scree/sssp.h>

#include "sssp/ahead.h"
#include "sssp/tasks.h"
#include "sssp/variants.h"

typedef struct {
  scree__queue *queue;
  uint64_t frequency;
  bool tasks; /* relaxations are tasks */
  scree__ahead ahead;
} control;

static void improved(scree__run *run, uint32_t v, double distance) {
  scree__queue *queue = ((control *)run->own)->queue;
  queue->kind->push(queue, v, distance);
}

static void take(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  scree__relax_batch(run, sender, items, count, improved);
}

static void work(scree__run *run, control *c) {
  uint64_t begun = scree__work_begin(run);
  for (uint64_t i = 0; i < c->frequency; i++) {
    scree__ahead_fill(&c->ahead, run, c->queue);
    if (!c->ahead.held) break;
    uint32_t v = scree__ahead_take(&c->ahead);
    scree__row row = scree__row_of(run->graph, v);
    if (c->tasks)
      scree__relax_row(run, v, &row, SCREE__ARRAYS, improved, scree__send_task);
    else if (scree__sssp_of(run)->cached)
      scree__relax_row(run, v, &row, SCREE__ARRAYS, improved, scree__send_filtered);
    else
      scree__relax_row(run, v, &row, SCREE__ARRAYS, improved, scree__send_plain);
  }
  scree__work_end(run, begun);
  scree__run_watch_often(run);
}

static bool is_idle(const control *c) {
  return !c->ahead.held && !c->queue->count;
}

static scree_status solve(scree__run *run) {
  control *c = run->own;
  if (run->has_source) improved(run, run->source, 0);
  scree_status status = scree_begin(run->worker);
  if (status) return status;
  while (!scree__run_test(run, is_idle(c))) {
    if (!is_idle(c)) work(run, c);
  }
  return scree__run_ended(run);
}

static scree_status setup(scree__run *run) {
  const scree_sssp_options *o = run->options;
  control *c = run->own;
  c->frequency = o->frequency;
  c->queue = scree__sssp_queues[o->queue]->make(run->graph, scree__distance(run));
  return scree__run_ready(run, c->queue != NULL, "a priority queue");
}

static void teardown(scree__run *run) {
  control *c = run->own;
  if (c->queue) c->queue->kind->free(c->queue);
}

static const scree_kernel_option options[] = {SCREE__SSSP_QUEUE, SCREE__SSSP_FREQUENCY,
                                              SCREE__NO_PRUNING(scree_sssp_options), SCREE__PRUNING(scree_sssp_options),
                                              SCREE__OPTIONS_END};

static scree_status setup_tasks(scree__run *run) {
  const scree_status status = setup(run);
  ((control *)run->own)->tasks = true;
  return status ? status : scree__sssp_tasks_open(run, take);
}

static const scree_kernel_option options_of_tasks[] = {SCREE__SSSP_QUEUE, SCREE__SSSP_FREQUENCY,
                                                       SCREE__NO_PRUNING(scree_sssp_options), SCREE__OPTIONS_END};

const scree__variant scree__sssp_dc_tasks = {
    .about = {"dc-tasks", "dc, where each relaxation is a task"},
    .options = options_of_tasks,
    .own = sizeof(control),
    .setup = setup_tasks,
    .solve = solve,
    .teardown = teardown,
    .memory = {.local = 20},
};

const scree__variant scree__sssp_dc = {
    .about = {"dc", "Distributed Control: each rank works on its nearest vertex; without synchronization"},
    .options = options,
    .tuned = true,
    .messages = {{"sssp.dc", sizeof(scree__relax_item), take, scree__relax__reduction}},
    .own = sizeof(control),
    .setup = setup,
    .solve = solve,
    .teardown = teardown,
    .memory = {.local = 20},
};
