/* bfs.c - the public face of the BFS variants.
 *
 * Room: the table of variants and the answer's memory. */
#include <scree/bfs.h>

#include <stdlib.h>

#include "bfs/variants.h"
#include "graph/internal.h"

static const scree__variant *const variants[] = {&scree__bfs_direction, &scree__bfs_level, &scree__bfs_dc, NULL};

static const scree_bfs_options usual = {0};

/* A scree_bfs is a solver, by another name. */
static scree__solver *solver_of(scree_bfs *bfs) {
  return (scree__solver *)bfs;
}

scree_status scree_bfs_open(scree_graphs *graphs, scree_bfs **bfs) {
  scree__solver *solver;
  scree_status status = scree__solver_open(graphs, variants, &solver);
  if (status == SCREE_OK) *bfs = (scree_bfs *)solver;
  return status;
}

void scree_bfs_close(scree_bfs *bfs) {
  scree__solver_close(solver_of(bfs));
}

const scree_algorithm *scree_bfs_algorithm_at(size_t i) {
  return i < sizeof variants / sizeof variants[0] - 1 ? &variants[i]->about : NULL;
}

static scree_bfs_result *new_result(const scree_graph *graph) {
  size_t n = (size_t)graph->locals + 1;
  scree_bfs_result *r = calloc(1, sizeof *r);
  if (!r) return NULL;
  r->locals = graph->locals;
  r->level = scree__graph_array(graph->graphs, n * sizeof *r->level);
  r->parent = scree__graph_array(graph->graphs, n * sizeof *r->parent);
  return r;
}

void scree_bfs_free(scree_bfs_result *result) {
  if (!result) return;
  scree_huge_free(result->level);
  scree_huge_free(result->parent);
  free(result);
}

scree_status scree_bfs_prepare(scree_bfs *bfs, const scree_graph *graph, const scree_bfs_options *options) {
  const scree_bfs_options *o = options ? options : &usual;
  size_t index;
  scree_status status = scree__solver_find(solver_of(bfs), o->algorithm, &index);
  if (status) return status;
  scree__run run = {.graph = graph, .options = o};
  return scree__solver_prepare(solver_of(bfs), index, &run);
}

scree_status scree_bfs_run(scree_bfs *bfs, const scree_graph *graph, uint64_t source, const scree_bfs_options *options,
                           scree_bfs_result **result) {
  const scree_bfs_options *o = options ? options : &usual;
  size_t index;
  scree_status status = scree__solver_find(solver_of(bfs), o->algorithm, &index);
  if (status) return status;
  scree_bfs_result *r = new_result(graph), none = {0};
  scree_bfs_result *answer = r ? r : &none;
  scree__run run = {.graph = graph, .level = answer->level, .parent = answer->parent, .options = o, .watch = o->watch};
  status = scree__solver_solve(solver_of(bfs), index, &run, source, &answer->seconds);
  if (status) {
    scree_bfs_free(r);
    return status;
  }
  r->algorithm = variants[index]->about.name;
  r->work = run.work;
  *result = r;
  return SCREE_OK;
}
