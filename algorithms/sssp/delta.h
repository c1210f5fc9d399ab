/* delta.h - the parts of Delta-stepping that its variants share; they differ in how they take a batch. */
#ifndef SCREE__SSSP_DELTA_H
#define SCREE__SSSP_DELTA_H
#include "sssp/buckets.h"
#include "sssp/variants.h"

typedef struct {
  double delta;
  bool tasks; /* relaxations are tasks */
  scree__buckets buckets;
  const scree__weight_sorted *rows;
  uint32_t *light;   /* of each vertex: the number of light arcs of its row */
  scree_reduce next; /* min: the lowest bucket in use on this rank, kept by the handler in heavy epochs */
} scree__steps;

/* The slots of a variant. */
scree_status scree__delta_setup(scree__run *run);
scree_status scree__delta_solve(scree__run *run);
void scree__delta_teardown(scree__run *run);
void scree__delta_take(scree__run *run, uint32_t sender, const void *items, uint32_t count);

#endif
