/* tasks.c - the task that takes a relaxation. */
#include "sssp/tasks.h"

static void run_relax(scree_task *self, const scree__relax_args *args) {
  const scree__sssp_kept *kept = scree_task_arg(self);
  kept->take(kept->tasks.run, args->sender, &args->item, 1);
}
SCREE_TASK_BODY(scree__relax_task, scree__relax_args, run_relax);

static scree_status types(scree_world *world, scree__run_tasks *tasks) {
  scree__sssp_kept *kept = (scree__sssp_kept *)tasks;
  return scree__relax_task_register(world, kept, &kept->relax);
}

scree_status scree__sssp_tasks_open(scree__run *run,
                                    void (*take)(scree__run *run, uint32_t sender, const void *items, uint32_t count)) {
  scree__sssp_kept *kept = run->kept;
  kept->take = take;
  const scree_status status = scree__run_tasks_open(run, types);
  run->spawns = kept->relax.id;
  return status;
}
