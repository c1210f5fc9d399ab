/* width.c - the width of a bucket.
 *
 * Room: one choice, made alike by all variants that have buckets. */
#include <math.h>

#include "buckets.h"
#include "variants.h"

/* A relaxation reaches at most weight_max / delta buckets ahead, and rounding a little. */
scree_status scree__choose_delta(scree__run *run, uint64_t *span) {
  const scree_graph *g = run->graph;
  double degree = g->arcs > g->vertices.n ? (double)g->arcs / (double)g->vertices.n : 1;
  double least = g->weight_max / (double)(SCREE__BUCKETS_MAX - 8);
  if (run->delta == 0) run->delta = g->weight_max > 0 ? g->weight_max / degree : 1;
  if (run->delta > 0 && run->delta < INFINITY && run->delta >= least) {
    *span = (uint64_t)(g->weight_max / run->delta) + 4;
    return SCREE_OK;
  }
  return scree_graphs_agree(g->graphs, SCREE_EINVAL,
                            "delta is %.17g; legal: a finite number, more than 0 and at least %.17g, or %llu buckets "
                            "would not do; choose a larger one, or 0 for largest weight over mean degree",
                            run->delta, least, (unsigned long long)SCREE__BUCKETS_MAX);
}
