/* memory.h - what a run takes on a rank beside the graph, known before it begins. */
#ifndef SCREE__KERNEL_MEMORY_H
#define SCREE__KERNEL_MEMORY_H
#include "kernel/kernel.h"

/* Of a run on this graph and rank, whose arcs lead to `needed` vertices; no array of the graph is read. An ordering in
 * `made` is not counted. Local. */
scree_run_bytes scree__run_bytes(const scree__kernel *kernel, const scree__variant *variant, const scree_graph *g,
                                 uint64_t arcs, uint64_t needed, uint32_t workers, unsigned made);

#endif
