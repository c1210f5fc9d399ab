/* memory.h - what a run takes on a rank beside the graph: known before it begins, freed when it is over. */
#ifndef SCREE__KERNEL_MEMORY_H
#define SCREE__KERNEL_MEMORY_H
#include "kernel/kernel.h"

/* Is there memory for a run? What takes little is not worth the question. Values of other ranks are not counted: how many
 * are needed is known when the table of them is made (gather.c). Local. */
scree_status scree__run_memory_check(const scree__kernel *kernel, const scree__variant *variant, const scree_graph *g,
                                     uint64_t runs);

/* What scree__run_alloc gave out. */
typedef struct scree__run_memory {
  struct scree__run_table *last;
  bool lacking; /* once there was none */
} scree__run_memory;

void scree__run_memory_free(scree__run_memory *memory);

#endif
