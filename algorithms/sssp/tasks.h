/* tasks.h - relaxations that are tasks: each begins at the owner of its vertex with a stack of its own, as parcels of
 * HPX-5 do (Firoz et al. 2015, section 2 and Fig. 1a). The rest is that of the variants that send them as messages. */
#ifndef SCREE__SSSP_TASKS_H
#define SCREE__SSSP_TASKS_H
#include "kernel/tasks.h"
#include "sssp/relax.h"

typedef struct {
  scree__relax_item item;
  uint32_t sender;
} scree__relax_args;
SCREE_TASK(scree__relax_task, scree__relax_args);

/* What a solver keeps. */
typedef struct {
  scree__run_tasks tasks; /* first */
  scree__relax_task_type relax;
  void (*take)(scree__run *run, uint32_t sender, const void *items, uint32_t count); /* of the variant that runs */
} scree__sssp_kept;

/* A variant's setup calls it; `take` is called with one relaxation. Collective. */
scree_status scree__sssp_tasks_open(scree__run *run,
                                    void (*take)(scree__run *run, uint32_t sender, const void *items, uint32_t count));

/* A sender (relax.h). */
static inline bool scree__send_task(scree__run *run, uint32_t rank, uint32_t target, uint32_t parent, double distance) {
  const scree__sssp_kept *kept = run->kept;
  const scree__relax_args args = {{distance, target, parent}, run->worker->rank};
  scree__relax_task_spawn_on(run->worker, kept->relax, NULL, scree_worker_number(run->worker, rank, 0), args);
  return true;
}

#endif
