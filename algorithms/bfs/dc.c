/* dc.c - BFS by Distributed Control.
 *
 * Room: one variant. A vertex whose level improved waits in a priority queue of its rank; each rank goes on from its
 * least level, and no rank waits for another: one epoch in all (Firoz et al. 2015, Algorithm 1, all weights 1). */
#include "../common/heap.h"
#include "variants.h"

enum { POPS = 32 }; /* vertices between two looks at what has come in */

/* "Over me you are on this level." The sender's rank is known to the handler. */
typedef struct {
  uint32_t target, parent; /* local indices, on the receiver and on the sender */
  uint32_t level;
} reach_item;
SCREE_MESSAGE(reach, reach_item);

static void take(scree__run *run, uint32_t sender, const reach_item *item) {
  int64_t old = run->level[item->target];
  if (old >= 0 && old <= (int64_t)item->level) {
    run->work.rejected++;
    return;
  }
  run->level[item->target] = item->level;
  run->parent[item->target] = scree_place_make(sender, item->parent);
  scree__heap_push(run->own, item->target, (double)item->level);
  if (old < 0)
    run->work.useful++;
  else
    run->work.invalidated++;
}

static void handle(scree_worker *worker, const scree_run *batch, const void *items, void *arg) {
  (void)worker;
  const reach_item *item = items;
  for (uint32_t i = 0; i < batch->count; i++) take(((scree__solver *)arg)->run, (uint32_t)batch->source, &item[i]);
}

static void reach_neighbours(scree__run *run, uint32_t u) {
  const scree_graph *g = run->graph;
  const reach_type type = {run->type};
  const uint64_t end = g->offsets[u + 1];
  if (run->level[u] >= (int64_t)UINT32_MAX - 1) {
    scree_fail(run->worker, SCREE_EINVAL, "dc counts levels up to 2^32 - 2; take the algorithm level");
    return;
  }
  const uint32_t level = (uint32_t)run->level[u] + 1;
  for (uint64_t e = g->offsets[u]; e < end; e++) {
    reach_item item = {(uint32_t)scree_place_local(scree_graph_target(g, e)), u, level};
    reach_send(run->worker, type, scree_place_owner(scree_graph_target(g, e)), item);
  }
  run->work.sent += end - g->offsets[u];
}

static scree_status traverse(scree__run *run, scree__heap *queue) {
  if (run->has_source) scree__heap_push(queue, run->source, 0);
  scree_status status = scree_begin(run->worker);
  if (status) return status;
  while (!scree_test(run->worker, queue->count == 0, NULL)) {
    scree__run_drain(run);
    for (int i = 0; i < POPS && queue->count; i++) reach_neighbours(run, scree__heap_pop(queue));
  }
  run->work.epochs++;
  run->work.edges = run->work.sent;
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

const scree__variant scree__bfs_dc = {
    .about = {"dc", "Distributed Control: levels go out unasked and are corrected, nobody waits"},
    .type = "bfs.dc",
    .item = sizeof(reach_item),
    .handler = handle,
    .solve = solve,
};
