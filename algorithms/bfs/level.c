/* level.c - level-synchronous BFS, one epoch for each level: the frontier notifies its neighbours, and those notified for
 * the first time are the next frontier. The end of the epoch sums the sizes of the parts of that frontier. */
#include <stdlib.h>

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
  scree__frontier *f = run->own = calloc(1, sizeof *f);
  bool ready = f && scree__frontier_init(f, run, false);
  if (ready) f->apply = !((const scree_bfs_options *)run->options)->no_pruning;
  if (ready) f->prune = f->apply && f->whole;
  return scree__run_ready(run, ready, "a frontier");
}

static void teardown(scree__run *run) {
  if (run->own) scree__frontier_free(run->own);
  free(run->own);
}

static const scree_kernel_option options[] = {SCREE__BFS_NO_PRUNING, SCREE__OPTIONS_END};

const scree__variant scree__bfs_level = {
    .about = {"level", "level-synchronous: one epoch for each level"},
    .options = options,
    .tuned = true,
    .messages = {{"bfs.level", sizeof(scree__visit_item), scree__frontier_take}},
    .setup = setup,
    .solve = solve,
    .teardown = teardown,
    .memory = {.local = 8, .saving_bits = 1},
};
