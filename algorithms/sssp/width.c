/* width.c - the width of a bucket, chosen alike by all variants that have buckets. Meyer & Sanders (2003) show that a
 * width in proportion to 1 / degree is good for uniform weights. Here it is mean weight / mean degree, and wider on
 * sparse graphs: their buckets hold few vertices, and then the synchronization at the end of each costs more than some
 * superseded relaxations. */
#include <float.h>
#include <math.h>

#include "sssp/buckets.h"
#include "sssp/variants.h"

enum { DENSE = 32 }; /* mean degree from which on buckets hold enough vertices */

scree_status scree__mean_weight(const scree_graph *g, double *mean) {
  enum { SAMPLE = 1 << 16, UNITS = 1 << 20 };
  const uint64_t arcs = g->offsets[g->locals], step = arcs / SAMPLE + 1;
  double sum = 0;
  scree_reduce all = SCREE_REDUCE_INIT;
  for (uint64_t e = 0; e < arcs; e += step, all.sum[1]++) sum += scree_graph_weight(g, e) / g->weight_max;
  all.sum[0] = (uint64_t)(sum * UNITS);
  scree_status status = scree_graphs_reduce(g->graphs, &all);
  *mean = all.sum[1] ? (double)all.sum[0] / UNITS / (double)all.sum[1] : 1;
  return status;
}

static scree_status choose(const scree_graph *g, double min, double *delta) {
  double degree = g->arcs > g->vertices.n ? (double)g->arcs / (double)g->vertices.n : 1, mean;
  *delta = 1;
  if (!(g->weight_max > 0)) return SCREE_OK;
  scree_status status = scree__mean_weight(g, &mean);
  double width = g->weight_max * mean / degree * (degree < DENSE ? DENSE / degree : 1);
  *delta = width > DBL_MAX ? DBL_MAX : width > min ? width : min;
  return status;
}

/* A relaxation reaches at most weight_max / delta buckets ahead, and slightly more by rounding. */
scree_status scree__choose_delta(scree__run *run, uint64_t *span) {
  const scree_graph *g = run->graph;
  double min = g->weight_max / (double)(SCREE__BUCKETS_MAX - 8), *delta = &scree__sssp_of(run)->delta;
  if (*delta == 0) {
    scree_status status = choose(g, min, delta);
    if (status) return status;
  }
  if (*delta >= min) {
    *span = (uint64_t)(g->weight_max / *delta) + 4;
    return SCREE_OK;
  }
  return scree_graphs_agree(g->graphs, SCREE_EINVAL,
                            "delta is %.17g; legal: a finite number, more than 0 and at least %.17g, or more than %llu "
                            "buckets are needed; choose a larger one, or leave it unset",
                            *delta, min, (unsigned long long)SCREE__BUCKETS_MAX);
}
