/* tasks.h - what variants on tasks share: a world that has them, and their types, which are registered once for all
 * runs of a solver. */
#ifndef SCREE__KERNEL_TASKS_H
#define SCREE__KERNEL_TASKS_H
#include <scree/task_loop.h>

#include "kernel/kernel.h"

/* What a solver keeps begins with this: run->kept. */
typedef struct scree__run_tasks {
  bool registered;
  scree__run *run; /* in progress: of the first worker */
  scree_distribution
      map; /* of loops over what a rank has: its iterations are those from `first` on, and are not stolen */
  uint64_t first;
} scree__run_tasks;

/* Opens tasks in the world unless it has them, and calls `types`, which registers, in the first run. Sets run. Of each
 * run's setup. Collective; returns what all ranks have agreed on. */
scree_status scree__run_tasks_open(scree__run *run, scree_status (*types)(scree_world *world, scree__run_tasks *kept));

#endif
