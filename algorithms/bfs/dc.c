/* dc.c - BFS by Distributed Control: a vertex whose level improved waits in a queue of its rank; each rank continues
 * with its lowest level, without synchronization: one epoch in all (Firoz et al. 2015, Algorithm 1, all weights 1). */
#include "bfs/reach.h"

static void take(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  scree__reach_take(run, run->own, sender, items, count);
}

static scree_status solve(scree__run *run) {
  scree__reach *r = run->own;
  scree_status status = scree_begin(run->worker);
  if (status) return status;
  while (!scree__run_test(run, r->queue.count == 0)) {
    if (r->queue.count) scree__reach_work(run, r, UINT64_MAX);
  }
  return scree__run_ended(run);
}

static scree_status setup(scree__run *run) {
  const scree_graph *g = run->graph;
  scree__reach *r = run->own;
  const uint64_t pruning = scree__bfs_pruning(run);
  bool ready = scree__reach_init(r, run, 0, pruning != SCREE_PRUNING_OFF, pruning == SCREE_PRUNING_TABLE);
  if (ready) ready = scree__run_prune(run, pruning, r->bound != NULL, &r->cached);
  if (ready && run->has_source) {
    if (r->bound) r->bound[(uint64_t)scree_graph_rank(g) << g->local_bits | run->source] = 0;
    scree__reach_add(run, r, run->source);
  }
  return scree__run_ready(run, ready, "a queue of levels");
}

static void teardown(scree__run *run) {
  scree__reach_free(run->own);
}

static const scree_kernel_option options[] = {SCREE__NO_PRUNING(scree_bfs_options), SCREE__PRUNING(scree_bfs_options),
                                              SCREE__OPTIONS_END};

const scree__variant scree__bfs_dc = {
    .about = {"dc", "Distributed Control: levels are sent without synchronization, and corrected"},
    .options = options,
    .tuned = true,
    .messages = {{"bfs.dc", sizeof(scree__reach_item), take, scree__reached__reduction}},
    .own = sizeof(scree__reach),
    .setup = setup,
    .solve = solve,
    .teardown = teardown,
    .memory = {.local = 12, .saving_bits = 16},
};
