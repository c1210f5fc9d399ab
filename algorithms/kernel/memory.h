/* memory.h - what a run takes on a rank beside the graph: known before it begins, freed when it is over. */
#ifndef SCREE__KERNEL_MEMORY_H
#define SCREE__KERNEL_MEMORY_H
#include "kernel/kernel.h"

/* SCREE_OK if there is memory for a run. Small runs are not checked. Local. */
scree_status scree__run_memory_check(const scree__kernel *kernel, const scree__variant *variant, const scree_graph *g,
                                     uint64_t runs, const void *options);

enum { SCREE__SHARED_MAX = 4 };

/* What scree__run_alloc returned. */
typedef struct scree__run_memory {
  struct scree__run_table *last;
  bool lacking;                                     /* once an allocation has failed */
  const scree_node_array *array[SCREE__SHARED_MAX]; /* of scree__run_share */
  uint32_t arrays;
} scree__run_memory;

void scree__run_memory_free(scree__run_memory *memory, scree_graphs *graphs);

#endif
