/* driver.h - what the typed fronts (sssp.h, bfs.h, ...) call beside the public functions of scree/kernel.h. */
#ifndef SCREE__DRIVER_H
#define SCREE__DRIVER_H
#include "kernel/kernel.h"

/* As scree_solver_run; `ready`: this rank has the memory for what the front keeps beside the answer. Collective. */
scree_status scree__solver_run(scree_solver *solver, const scree_graph *graph, uint64_t source, const void *options,
                               bool ready, scree_answer *answer);

#endif
