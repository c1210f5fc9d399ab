/* iterate.c - the iterations of PageRank, one epoch each. */
#include "pagerank/run.h"

enum { ITERATIONS_MAX = 1000 }; /* only with a tolerance */

/* Reductions sum whole numbers: parts of 1 are counted in units of 2^-62, changes, which are at most 2, of 2^-60. */
#define MASS_UNIT   0x1p-62
#define CHANGE_UNIT 0x1p-60

static uint64_t in_units(double x, double unit) {
  return (uint64_t)(x / unit + 0.5);
}

bool scree__pr_contributions(scree__run *run) {
  double **contribution = &scree__pagerank_of(run)->contribution;
  *contribution = scree__run_alloc(run, ((size_t)run->graph->locals + 1) * sizeof **contribution);
  return *contribution != NULL;
}

double scree__pr_divide(scree__run *run) {
  double kept = 0, *contribution = scree__pagerank_of(run)->contribution, *rank = scree__rank(run);
  for (uint64_t u = 0; u < run->graph->locals; u++) {
    uint64_t degree = scree_graph_degree(run->graph, u);
    contribution[u] = rank[u] * scree__pr_inverse(scree__pagerank_of(run)->inverse, degree);
    if (!degree) kept += rank[u];
  }
  return kept;
}

/* One epoch. `mass`: that this rank keeps; `change`: of it, in the iteration before; each becomes that of all ranks. */
static scree_status exchange(scree__run *run, const scree__pr_steps *steps, double *mass, double *change) {
  scree_reduce sums = {.sum = {in_units(*mass, MASS_UNIT), in_units(*change, CHANGE_UNIT)}, .min = UINT64_MAX};
  scree_status status = scree_begin(run->worker);
  if (status) return status;
  const uint64_t begun = scree__work_begin(run);
  steps->send(run);
  scree__work_end(run, begun);
  status = scree_end(run->worker, &sums);
  run->work.epochs++;
  scree__run_watch(run);
  *mass = (double)sums.sum[0] * MASS_UNIT;
  *change = (double)sums.sum[1] * CHANGE_UNIT;
  return status;
}

static scree_status last_change(scree__run *run, double change, double *all_changes) {
  scree_reduce sums = {.sum = {in_units(change, CHANGE_UNIT)}, .min = UINT64_MAX};
  scree_status status = scree_graphs_reduce(run->graph->graphs, &sums);
  run->work.epochs++;
  *all_changes = (double)sums.sum[0] * CHANGE_UNIT;
  return status;
}

/* The iterations at most; *tolerance is 0 if it is unset. */
static uint64_t limits(const scree__run *run, double *tolerance) {
  const scree_pagerank_options *o = run->options;
  *tolerance = o->tolerance == SCREE_UNSET_REAL ? 0 : o->tolerance;
  if (o->iterations != SCREE_UNSET) return o->iterations;
  return *tolerance > 0 ? ITERATIONS_MAX : SCREE_PAGERANK_ITERATIONS;
}

scree_status scree__pagerank_iterate(scree__run *run, const scree__pr_steps *steps) {
  const double n = (double)run->graph->vertices.n, damping = scree__pagerank_of(run)->damping;
  double change = 0, tolerance, *total = &run->figure[1];
  const uint64_t max = limits(run, &tolerance);
  uint64_t begun = scree__work_begin(run);
  for (uint64_t u = 0; u < run->graph->locals; u++) scree__rank(run)[u] = 1 / n;
  double mass = steps->divide(run);
  scree__work_end(run, begun);
  for (uint64_t done = 0; done < max; run->figure[0] = (double)++done) {
    const scree_status status = exchange(run, steps, &mass, &change);
    if (status) return status;
    *total = change;
    if (done && change <= tolerance && tolerance > 0) return SCREE_OK; /* what was sent is not needed */
    begun = scree__work_begin(run);
    change = steps->collect(run, (1 - damping + damping * mass) / n, &mass);
    scree__work_end(run, begun);
  }
  return last_change(run, change, total);
}
