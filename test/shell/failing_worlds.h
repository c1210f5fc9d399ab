/* failing_worlds.h - what is done in a world while calls fail: over MPI by prog_failing_call.c, on virtual ranks by
 * sim_no_memory.c. */
#ifndef FAILING_WORLDS_H
#define FAILING_WORLDS_H
#include <scree/scree.h>

/* Each on all ranks, in a new world; the status is the same on all of them. */
scree_status use_world(scree_world *world);
scree_status use_tasks(scree_world *world);
scree_status use_global(scree_world *world);

/* What messages and tasks of this process have counted since it was cleared. */
void clear_used(void);
uint64_t sum_used(void);
#endif
