/* tasks.c - opens tasks for variants that run on them. */
#include "kernel/tasks.h"

static scree_status open(scree_world *world, scree__run_tasks *kept,
                         scree_status (*types)(scree_world *world, scree__run_tasks *kept)) {
  scree_status status = scree__tasks_in(world) ? SCREE_OK : scree_tasks_open(world, NULL);
  return status ? status : types(world, kept);
}

scree_status scree__run_tasks_open(scree__run *run, scree_status (*types)(scree_world *world, scree__run_tasks *kept)) {
  scree__run_tasks *kept = run->kept;
  scree_world *world = scree_world_of(run->worker);
  kept->run = run;
  if (kept->registered) return SCREE_OK;
  const uint32_t ranks = run->worker->ranks;
  scree_distribution_init(&kept->map, SCREE_DISTRIBUTION_BLOCK, SCREE_VERTICES_MAX / ranks * ranks, ranks);
  kept->first = scree_distribution_global(&kept->map, run->worker->rank, 0);
  scree_status status = open(world, kept, types);
  status = scree_graphs_agree(run->graph->graphs, status, "%s", status ? scree_error_text(world) : "");
  kept->registered = !status;
  return status;
}
