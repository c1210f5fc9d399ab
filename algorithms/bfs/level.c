/* level.c - level-synchronous BFS, one epoch for each level: the frontier notifies its neighbours, and those notified
 * for the first time are the next frontier. The end of the epoch sums the sizes of the parts of that frontier. */
#include "bfs/frontier.h"
#include "bfs/variants.h"

static scree_status solve(scree__run *run) {
  scree__frontier *f = run->own;
  scree_status status = SCREE_OK;
  for (f->total.sum[0] = 1; f->total.sum[0] && status == SCREE_OK;) {
    status = scree__frontier_begin(run, f);
    if (status) break;
    scree__frontier_push(run, f);
    status = scree__frontier_end(run, f);
  }
  return status;
}

static scree_status setup(scree__run *run) {
  scree__frontier *f = run->own;
  const uint64_t pruning = scree__bfs_pruning(run);
  bool ready = scree__frontier_init(f, run, false, pruning == SCREE_PRUNING_TABLE);
  if (ready) {
    f->apply = pruning != SCREE_PRUNING_OFF;
    f->prune = f->apply && f->whole;
    bool cached;
    ready = scree__run_prune(run, pruning, f->prune, &cached);
  }
  return scree__run_ready(run, ready, "a frontier");
}

static const scree_kernel_option options[] = {SCREE__NO_PRUNING(scree_bfs_options), SCREE__PRUNING(scree_bfs_options),
                                              SCREE__OPTIONS_END};

const scree__variant scree__bfs_level = {
    .about = {"level", "level-synchronous: one epoch for each level"},
    .options = options,
    .tuned = true,
    .messages = {{"bfs.level", sizeof(scree__visit_item), scree__frontier_take, scree__visit__reduction}},
    .own = sizeof(scree__frontier),
    .setup = setup,
    .solve = solve,
    .memory = {.local = 8, .saving_bits = 1},
};
