/* iterate.c - the iterations of PageRank, one epoch each. */
#include "pagerank/run.h"

enum { ITERATIONS_MAX = 1000 }; /* with a tolerance that is given */

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

/* The changes of an iteration. */
typedef struct {
  double sum;
  bool rough; /* as in scree__pagerank, of any vertex */
} changes;

/* When the iterations end. */
typedef struct {
  uint64_t max;
  double tolerance; /* of the sum; 0: without tolerance */
  bool each;        /* no rank may change much either */
} limits;

static scree_reduce reduction(double mass, const changes *c) {
  return (scree_reduce){
      .sum = {in_units(mass, MASS_UNIT), in_units(c->sum, CHANGE_UNIT)}, .max = c->rough, .min = UINT64_MAX};
}

static changes changes_of(const scree_reduce *all) {
  return (changes){(double)all->sum[1] * CHANGE_UNIT, all->max != 0};
}

/* One epoch. `mass` is what this rank keeps, `c` are its changes in the iteration before. Both are combined over all
 * ranks. */
static scree_status exchange(scree__run *run, const scree__pr_steps *steps, double *mass, changes *c) {
  scree_reduce all = reduction(*mass, c);
  scree_status status = scree_begin(run->worker);
  if (status) return status;
  const uint64_t begun = scree__work_begin(run);
  steps->send(run);
  scree__work_end(run, begun);
  status = scree__run_end(run, &all);
  *mass = (double)all.sum[0] * MASS_UNIT;
  *c = changes_of(&all);
  return status;
}

static scree_status last_changes(scree__run *run, changes *c) {
  scree_reduce all = reduction(0, c);
  scree_status status = scree_graphs_reduce(run->graph->graphs, &all);
  run->work.epochs++;
  *c = changes_of(&all);
  return status;
}

static limits limits_of(const scree__run *run) {
  const scree_pagerank_options *o = run->options;
  const bool given = o->tolerance != SCREE_UNSET_REAL, counted = o->iterations != SCREE_UNSET;
  if (given) return (limits){counted ? o->iterations : ITERATIONS_MAX, o->tolerance, false};
  if (counted) return (limits){o->iterations, 0, true};
  return (limits){SCREE_PAGERANK_ITERATIONS, SCREE_PAGERANK_TOLERANCE, true};
}

static bool has_converged(const limits *l, const changes *c) {
  const double tolerance = l->tolerance > 0 ? l->tolerance : SCREE_PAGERANK_TOLERANCE;
  return c->sum <= tolerance && !(l->each && c->rough);
}

static void note(scree__run *run, const limits *l, const changes *c) {
  run->figure[1] = c->sum;
  run->figure[2] = has_converged(l, c);
}

scree_status scree__pagerank_iterate(scree__run *run, const scree__pr_steps *steps) {
  const limits l = limits_of(run);
  const double n = (double)run->graph->vertices.n, damping = scree__pagerank_of(run)->damping;
  changes c = {0, false};
  uint64_t begun = scree__work_begin(run);
  for (uint64_t u = 0; u < run->graph->locals; u++) scree__rank(run)[u] = 1 / n;
  double mass = steps->divide(run);
  scree__work_end(run, begun);
  for (uint64_t done = 0; done < l.max; run->figure[0] = (double)++done) {
    scree_status status = exchange(run, steps, &mass, &c);
    if (status) return status;
    note(run, &l, &c);
    if (done && l.tolerance > 0 && has_converged(&l, &c)) return SCREE_OK; /* what was sent is not needed */
    begun = scree__work_begin(run);
    scree__pagerank_of(run)->rough = false;
    c.sum = steps->collect(run, (1 - damping + damping * mass) / n, &mass);
    c.rough = scree__pagerank_of(run)->rough;
    scree__work_end(run, begun);
  }
  scree_status status = last_changes(run, &c);
  note(run, &l, &c);
  return status;
}
