/* pagerank.c - the public face of PageRank, and its iterations.
 *
 * Room: options, types, the loop that all ways share, the answer's memory. */
#include <scree/pagerank.h>

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "common/work.h"
#include "graph/internal.h"
#include "pagerank/run.h"

enum { ITERATIONS_MOST = 1000 }; /* with a tolerance alone */

static const scree__pr_way *const ways[] = {&scree__pr_pull, &scree__pr_push};
enum { WAYS = sizeof ways / sizeof *ways };
static const scree_algorithm by_graph = {"auto", "pull on undirected graphs, push on directed ones"};

struct scree_pagerank {
  scree_graphs *graphs;
  pr_share_type share;
  const scree__pr_way *way; /* of the run in progress */
  scree__pr_run *run;
};

static void on_shares(scree_worker *w, const scree_batch *batch, const scree__pr_share *items, void *arg) {
  (void)w;
  const scree_pagerank *p = arg;
  p->way->take(p->run, batch->source, items, batch->count);
}
SCREE_HANDLER(pr_share, scree__pr_share, on_shares);

scree_status scree_pagerank_open(scree_graphs *graphs, scree_pagerank **pagerank) {
  scree_world *world = scree_world_of(scree_graphs_worker(graphs));
  scree_pagerank *p = calloc(1, sizeof *p);
  scree_status status = scree_graphs_agree(graphs, p ? SCREE_OK : SCREE_ENOMEM, "no memory for an algorithm's types");
  if (status == SCREE_OK) {
    p->graphs = graphs;
    status = pr_share_register(world, p, &p->share);
    status = scree_graphs_agree(graphs, status, "%s", scree_error_text(world));
  }
  if (status)
    free(p);
  else
    *pagerank = p;
  return status;
}

void scree_pagerank_close(scree_pagerank *pagerank) {
  free(pagerank);
}

const scree_algorithm *scree_pagerank_algorithm_at(size_t i) {
  return i == 0 ? &by_graph : i <= WAYS ? &ways[i - 1]->about : NULL;
}

/* ---- options ---- */

static scree_status find(const scree_graph *g, const char *name, const scree__pr_way **way) {
  if (!name || strcmp(name, by_graph.name) == 0)
    return *way = g->directed ? &scree__pr_push : &scree__pr_pull, SCREE_OK;
  for (size_t i = 0; i < WAYS; i++)
    if (strcmp(name, ways[i]->about.name) == 0) return *way = ways[i], SCREE_OK;
  return scree_graphs_agree(g->graphs, SCREE_EINVAL, "algorithm '%s' is unknown; known are: %s, %s, %s", name,
                            by_graph.name, ways[0]->about.name, ways[1]->about.name);
}

/* Sets all fields. */
static scree_status complete(const scree_graph *g, scree_pagerank_options *o, const scree__pr_way **way) {
  if (o->damping == 0) o->damping = SCREE_PAGERANK_DAMPING;
  if (o->iterations == 0) o->iterations = o->tolerance > 0 ? ITERATIONS_MOST : SCREE_PAGERANK_ITERATIONS;
  if (!(o->damping > 0 && o->damping < 1))
    return scree_graphs_agree(g->graphs, SCREE_EINVAL, "damping is %g; legal: above 0 and below 1, 0.85 is usual",
                              o->damping);
  if (o->tolerance != 0 && !(o->tolerance >= 1e-15 && o->tolerance <= 2))
    return scree_graphs_agree(g->graphs, SCREE_EINVAL, "tolerance is %g; legal: 1e-15 to 2, or 0 for all iterations",
                              o->tolerance);
  return find(g, o->algorithm, way);
}

/* ---- iterations ---- */

/* Reductions sum whole numbers: parts of 1 are counted in units of 2^-62, changes, which are at most 2, of 2^-60. */
#define MASS_UNIT   0x1p-62
#define CHANGE_UNIT 0x1p-60

static uint64_t in_units(double x, double unit) {
  return (uint64_t)(x / unit + 0.5);
}

/* What each vertex hands on along an arc; returns the ranks of those without one. */
static double deal(scree__pr_run *run) {
  double kept = 0;
  for (uint64_t u = 0; u < run->graph->locals; u++) {
    uint64_t degree = scree_graph_degree(run->graph, u);
    run->hand[u] = degree ? run->rank[u] / (double)degree : 0;
    if (!degree) kept += run->rank[u];
  }
  return kept;
}

/* One epoch. `change`: of this rank, in the iteration before; *all_changes: of all of them. */
static scree_status exchange(const scree_pagerank *p, double change, double *kept, double *all_changes) {
  scree__pr_run *run = p->run;
  scree_reduce sums = {{in_units(deal(run), MASS_UNIT), in_units(change, CHANGE_UNIT)}, UINT64_MAX, 0};
  scree_status status = scree_begin(run->worker);
  if (status) return status;
  p->way->send(run);
  status = scree_end(run->worker, &sums);
  run->work.epochs++;
  *kept = (double)sums.sum[0] * MASS_UNIT;
  *all_changes = (double)sums.sum[1] * CHANGE_UNIT;
  return status;
}

static scree_status last_change(const scree_pagerank *p, double change, double *all_changes) {
  scree_reduce sums = {{in_units(change, CHANGE_UNIT), 0}, UINT64_MAX, 0};
  scree_status status = scree_graphs_reduce(p->graphs, &sums);
  *all_changes = (double)sums.sum[0] * CHANGE_UNIT;
  return status;
}

static scree_status iterate(const scree_pagerank *p, const scree_pagerank_options *o, scree_pagerank_result *r) {
  double n = (double)p->run->graph->vertices.n, change = 0, kept, before;
  for (r->iterations = 0; r->iterations < o->iterations; r->iterations++) {
    scree_status status = exchange(p, change, &kept, &before);
    if (status) return status;
    r->change = before;
    if (r->iterations && before <= o->tolerance && o->tolerance > 0) return SCREE_OK; /* what was sent is not needed */
    change = p->way->collect(p->run, (1 - o->damping + o->damping * kept) / n);
  }
  return last_change(p, change, &r->change);
}

/* ---- one run ---- */

static scree_status solve(const scree_pagerank *p, const scree_pagerank_options *o, scree_pagerank_result *r) {
  double start = scree__seconds();
  for (uint64_t u = 0; u < r->locals; u++) r->rank[u] = 1 / (double)p->run->graph->vertices.n;
  scree_status status = p->way->enter(p->run);
  if (status == SCREE_OK) status = iterate(p, o, r);
  r->seconds = scree__seconds() - start;
  p->way->leave(p->run);
  if (status) return status;
  r->damping = o->damping;
  r->algorithm = p->way->about.name;
  r->work = p->run->work;
  return scree__work_sum(p->graphs, &r->work, &r->seconds);
}

static scree_pagerank_result *new_result(const scree_graph *graph) {
  scree_pagerank_result *r = calloc(1, sizeof *r);
  if (!r) return NULL;
  r->locals = graph->locals;
  r->rank = scree__graph_array(graph->graphs, ((size_t)graph->locals + 1) * sizeof *r->rank);
  return r;
}

void scree_pagerank_free(scree_pagerank_result *result) {
  if (!result) return;
  scree_huge_free(result->rank);
  free(result);
}

scree_status scree_pagerank_run(scree_pagerank *pagerank, const scree_graph *graph,
                                const scree_pagerank_options *options, scree_pagerank_result **result) {
  scree_pagerank_options o = options ? *options : (scree_pagerank_options){0};
  scree_status status = complete(graph, &o, &pagerank->way);
  if (status) return status;
  scree_pagerank_result *r = new_result(graph);
  scree__pr_run run = {.worker = scree_graphs_worker(pagerank->graphs), .graph = graph, .share = pagerank->share};
  run.damping = o.damping;
  run.hand = scree__graph_array(graph->graphs, ((size_t)graph->locals + 1) * sizeof *run.hand);
  status = scree_graphs_agree(pagerank->graphs, r && r->rank && run.hand ? SCREE_OK : SCREE_ENOMEM,
                              "rank %u: no memory for the answer on %llu vertices; use more ranks or a smaller graph",
                              scree_graph_rank(graph), (unsigned long long)graph->locals);
  if (status == SCREE_OK) {
    run.rank = r->rank;
    pagerank->run = &run;
    status = solve(pagerank, &o, r);
    pagerank->run = NULL;
  }
  scree_huge_free(run.hand);
  if (status)
    scree_pagerank_free(r);
  else
    *result = r;
  return status;
}
