/* chaotic.c - SSSP by chaotic relaxation.
 *
 * Room: one variant. The handler that improves a vertex relaxes its arcs at once. Work and memory grow with every
 * detour that is taken before a better way is known: a yardstick for the others, not a choice for large graphs. */
#include "variants.h"

static void handle(scree_worker *worker, const scree_run *batch, const void *items, void *arg) {
  (void)worker;
  scree__run *run = ((scree__solver *)arg)->run;
  const scree__relax_item *item = items;
  for (uint32_t i = 0; i < batch->count; i++)
    if (scree__relax_take(run, (uint32_t)batch->source, &item[i]))
      scree__relax_arcs(run, item[i].target, SCREE__ALL_ARCS);
}

static scree_status solve(scree__run *run) {
  scree_status status = scree_begin(run->worker);
  if (status) return status;
  if (run->has_source) scree__relax_arcs(run, run->source, SCREE__ALL_ARCS);
  run->work.epochs++;
  return scree_end(run->worker, NULL);
}

const scree__variant scree__sssp_chaotic = {
    .about = {"chaotic", "each improvement is sent on from the handler, in no order"},
    .type = "sssp.chaotic",
    .item = sizeof(scree__relax_item),
    .handler = handle,
    .solve = solve,
};
