/* sssp.c - the public face of the SSSP variants.
 *
 * Room: the table of variants, the answer's memory, the check that integer distances are exact. */
#include <scree/sssp.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/internal.h"
#include "sssp/variants.h"

static const scree__variant *const variants[] = {&scree__sssp_opt,
                                                 &scree__sssp_dc,
                                                 &scree__sssp_delta,
                                                 &scree__sssp_delta_sort,
                                                 &scree__sssp_kla,
                                                 &scree__sssp_chaotic,
                                                 NULL};

static const scree_sssp_options usual = {0};

/* A scree_sssp is a solver, by another name. */
static scree__solver *solver_of(scree_sssp *sssp) {
  return (scree__solver *)sssp;
}

scree_status scree_sssp_open(scree_graphs *graphs, scree_sssp **sssp) {
  scree__solver *solver;
  scree_status status = scree__solver_open(graphs, variants, &solver);
  if (status == SCREE_OK) *sssp = (scree_sssp *)solver;
  return status;
}

void scree_sssp_close(scree_sssp *sssp) {
  scree__solver_close(solver_of(sssp));
}

const scree_algorithm *scree_sssp_algorithm_at(size_t i) {
  return i < sizeof variants / sizeof variants[0] - 1 ? &variants[i]->about : NULL;
}

static scree_sssp_result *new_result(const scree_graph *graph) {
  size_t n = (size_t)graph->locals + 1;
  scree_sssp_result *r = calloc(1, sizeof *r);
  if (!r) return NULL;
  r->locals = graph->locals;
  r->distance = scree__graph_array(graph->graphs, n * sizeof *r->distance);
  r->parent = scree__graph_array(graph->graphs, n * sizeof *r->parent);
  return r;
}

void scree_sssp_free(scree_sssp_result *result) {
  if (!result) return;
  scree_huge_free(result->distance);
  scree_huge_free(result->parent);
  free(result);
}

/* Sums of integers are doubles: exact below 2^53, which 2^53 + 1 is rounded to. */
static scree_status check_exact(const scree_graph *graph, const scree__run *run) {
  const double limit = 9007199254740992.0;
  uint64_t bad = UINT64_MAX;
  if (graph->weight == SCREE_WEIGHT_FLOAT || graph->weight == SCREE_WEIGHT_DOUBLE) return SCREE_OK;
  for (uint64_t u = 0; u < graph->locals; u++)
    if (run->distance[u] >= limit && run->distance[u] < INFINITY) bad = u;
  if (bad == UINT64_MAX) return scree_graphs_agree(graph->graphs, SCREE_OK, " ");
  uint64_t v = scree_distribution_global(&graph->vertices, scree_graph_rank(graph), bad);
  return scree_graphs_agree(graph->graphs, SCREE_EINVAL,
                            "the distance of vertex %llu is %.17g; sums of integer weights are exact below 2^53 = "
                            "%.17g only; use smaller weights, or decimals if rounded distances will do",
                            (unsigned long long)scree_graph_label(graph, v), run->distance[bad], limit);
}

/* The table of bounds takes 4 bytes a vertex of the whole graph: none beyond what this rank's part of the graph takes,
 * so that a rank of many does not carry more for all than for itself. Without it the answers are the same. */
static float *new_bound(const scree_graph *graph) {
  uint64_t slots = scree_graph_slots(graph), bytes = slots * sizeof(float), part = 4 * graph->offsets[graph->locals];
  const uint64_t always = UINT64_C(64) << 20;
  if (bytes > always && bytes > 2 * part) return NULL;
  float *bound = scree__graph_array(graph->graphs, (size_t)bytes);
  for (uint64_t i = 0; bound && i < slots; i++) bound[i] = INFINITY;
  return bound;
}

scree_status scree_sssp_prepare(scree_sssp *sssp, const scree_graph *graph, const scree_sssp_options *options) {
  const scree_sssp_options *o = options ? options : &usual;
  size_t index;
  scree_status status = scree__solver_find(solver_of(sssp), o->algorithm, &index);
  if (status) return status;
  scree__run run = {.graph = graph, .options = o, .delta = o->delta};
  return scree__solver_prepare(solver_of(sssp), index, &run);
}

scree_status scree_sssp_run(scree_sssp *sssp, const scree_graph *graph, uint64_t source,
                            const scree_sssp_options *options, scree_sssp_result **result) {
  const scree_sssp_options *o = options ? options : &usual;
  size_t index;
  scree_status status = scree__solver_find(solver_of(sssp), o->algorithm, &index);
  if (status) return status;
  scree_sssp_result *r = new_result(graph), none = {0};
  scree_sssp_result *answer = r ? r : &none;
  scree__run run = {.graph = graph,
                    .distance = answer->distance,
                    .parent = answer->parent,
                    .delta = o->delta,
                    .options = o,
                    .watch = o->watch,
                    .bound = o->no_pruning ? NULL : new_bound(graph)};
  status = scree__solver_solve(solver_of(sssp), index, &run, source, &answer->seconds);
  scree_huge_free(run.bound);
  if (status == SCREE_OK) status = check_exact(graph, &run);
  if (status) {
    scree_sssp_free(r);
    return status;
  }
  r->algorithm = variants[index]->about.name;
  r->delta = run.delta;
  r->work = run.work;
  *result = r;
  return SCREE_OK;
}
