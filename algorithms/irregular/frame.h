/* frame.h - the record of an irregular kernel, as the driver of all kernels sees it. */
#ifndef SCREE__IRREGULAR_FRAME_H
#define SCREE__IRREGULAR_FRAME_H
#include "irregular/irregular.h"
#include "kernel/kernel.h"

typedef struct scree__irregular_record {
  scree__kernel kernel; /* first */
  const scree__irregular_methods *methods;
} scree__irregular_record;

/* Hooks of the driver's records. */
scree_status scree__irregular_setup(scree__run *run);
scree_status scree__irregular_solve(scree__run *run);
scree_status scree__irregular_check(scree_graphs *graphs, void *kept, scree_verdict *verdict);
void scree__irregular_release(void *kept);

/* What a solver keeps. */
typedef struct scree__irregular_kept {
  scree__irregular k;
  const scree__irregular_methods *methods;
  scree__irregular_options options; /* of the last run */
  struct scree__irregular_types *types;
} scree__irregular_kept;

#endif
