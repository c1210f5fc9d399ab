/* dc.c - SSSP by Distributed Control.
 *
 * Room: one variant. An improved vertex waits in a priority queue of its rank; each rank relaxes its nearest vertex
 * first, and no rank waits for another: one epoch in all (Firoz et al. 2015, Algorithm 1). */
#include <stdlib.h>

#include "../common/heap.h"
#include "variants.h"

enum { POPS = 32 }; /* vertices between two looks at what has come in */

static void improved(scree__run *run, uint32_t v, double distance) {
  scree__heap_push(run->own, v, distance);
}

static void take(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  const scree__relax_item *item = items;
  for (uint32_t i = 0; i < count; i++)
    if (scree__relax_take(run, sender, &item[i])) improved(run, item[i].target, item[i].distance);
}

static void work(scree__run *run, scree__heap *queue) {
  uint64_t begun = scree__work_begin(run);
  for (int i = 0; i < POPS && queue->count; i++)
    scree__relax_arcs(run, scree__heap_pop(queue), 0, SCREE__ALL_ARCS, improved);
  scree__work_end(run, begun);
  scree__run_watch_often(run);
}

static scree_status solve(scree__run *run) {
  scree__heap *queue = run->own;
  if (run->has_source) scree__heap_push(queue, run->source, 0);
  scree_status status = scree_begin(run->worker);
  if (status) return status;
  while (!scree__run_test(run, queue->count == 0)) {
    if (queue->count) work(run, queue);
  }
  run->work.epochs++;
  return scree__run_status(run);
}

static scree_status enter(scree__run *run) {
  scree__heap *queue = run->own = calloc(1, sizeof *queue);
  bool ready = queue && scree__heap_init(queue, run->graph->locals);
  return scree__run_ready(run, ready, "a priority queue");
}

static void leave(scree__run *run) {
  if (run->own) scree__heap_free(run->own);
  free(run->own);
}

const scree__variant scree__sssp_dc = {
    .about = {"dc", "Distributed Control: each rank works on its nearest vertex, nobody waits"},
    .messages = {{"sssp.dc", sizeof(scree__relax_item), take}},
    .enter = enter,
    .solve = solve,
    .leave = leave,
};
