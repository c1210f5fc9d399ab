/* chaotic.c - SSSP by chaotic relaxation: the handler that improves a vertex relaxes its arcs at once. Work and memory
 * grow with every path that is followed before a shorter one is known: a baseline for the others, not a choice for
 * large graphs. */
#include "sssp/tasks.h"
#include "sssp/variants.h"

static void relax(scree__run *run, uint32_t v) {
  scree__row row = scree__row_of(run->graph, v);
  scree__relax_row(run, v, &row, SCREE__ARRAYS, NULL, scree__send_plain);
}

static void take(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  const scree__relax_item *item = items;
  for (uint32_t i = 0; i < count; i++)
    if (scree__relax_take(run, sender, &item[i])) relax(run, item[i].target);
  scree__run_watch_often(run);
}

static scree_status solve(scree__run *run) {
  scree_status status = scree_begin(run->worker);
  if (status) return status;
  if (run->has_source) relax(run, run->source);
  return scree__run_end(run, NULL);
}

static const scree_kernel_option options[] = {SCREE__NO_PRUNING(scree_sssp_options), SCREE__OPTIONS_END};

/* ---- by tasks ---- */

static void relax_by_tasks(scree__run *run, uint32_t v) {
  scree__row row = scree__row_of(run->graph, v);
  scree__relax_row(run, v, &row, SCREE__ARRAYS, NULL, scree__send_task);
}

static void take_one(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  const scree__relax_item *item = items;
  (void)count;
  if (scree__relax_take(run, sender, item)) relax_by_tasks(run, item->target);
  scree__run_watch_often(run);
}

static scree_status solve_by_tasks(scree__run *run) {
  scree_status status = scree_begin(run->worker);
  if (status) return status;
  if (run->has_source) relax_by_tasks(run, run->source);
  return scree__run_end(run, NULL);
}

static scree_status setup_tasks(scree__run *run) {
  return scree__sssp_tasks_open(run, take_one);
}

const scree__variant scree__sssp_chaotic_tasks = {
    .about = {"chaotic-tasks", "chaotic, where each relaxation is a task"},
    .options = options,
    .setup = setup_tasks,
    .solve = solve_by_tasks,
};

const scree__variant scree__sssp_chaotic = {
    .about = {"chaotic", "each improvement is sent on from the handler, in no order"},
    .options = options,
    .messages = {{"sssp.chaotic", sizeof(scree__relax_item), take, NULL}},
    .solve = solve,
};
