/* dc.c - SSSP by Distributed Control.
 *
 * Room: one variant. An improved vertex waits in a priority queue of its rank; each rank relaxes its nearest vertex
 * first, and no rank waits for another: one epoch in all (Firoz et al. 2015, Algorithm 1). */
#include "../common/heap.h"
#include "variants.h"

enum { POPS = 32 }; /* vertices between two looks at what has come in */

static void handle(scree_worker *worker, const scree_run *batch, const void *items, void *arg) {
  (void)worker;
  scree__run *run = ((scree__solver *)arg)->run;
  const scree__relax_item *item = items;
  for (uint32_t i = 0; i < batch->count; i++)
    if (scree__relax_take(run, (uint32_t)batch->source, &item[i]))
      scree__heap_push(run->own, item[i].target, item[i].distance);
}

static scree_status traverse(scree__run *run, scree__heap *queue) {
  if (run->has_source) scree__heap_push(queue, run->source, 0);
  scree_status status = scree_begin(run->worker);
  if (status) return status;
  while (!scree_test(run->worker, queue->count == 0, NULL)) {
    scree__run_drain(run);
    for (int i = 0; i < POPS && queue->count; i++) scree__relax_arcs(run, scree__heap_pop(queue), SCREE__ALL_ARCS);
  }
  run->work.epochs++;
  return scree__run_status(run);
}

static scree_status solve(scree__run *run) {
  scree__heap queue;
  bool ready = scree__heap_init(&queue, run->graph->locals);
  scree_status status = scree_graphs_agree(run->graph->graphs, ready ? SCREE_OK : SCREE_ENOMEM,
                                           "rank %u: no memory for a priority queue of %llu vertices; use more ranks",
                                           scree_graph_rank(run->graph), (unsigned long long)run->graph->locals);
  run->own = &queue;
  if (status == SCREE_OK) status = traverse(run, &queue);
  scree__heap_free(&queue);
  return status;
}

const scree__variant scree__sssp_dc = {
    .about = {"dc", "Distributed Control: each rank works on its nearest vertex, nobody waits"},
    .type = "sssp.dc",
    .item = sizeof(scree__relax_item),
    .handler = handle,
    .solve = solve,
};
