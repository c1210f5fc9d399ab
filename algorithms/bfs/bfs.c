/* bfs.c - the kernel of breadth-first search: its record and the typed front. */
#include <scree/bfs.h>

#include <scree/memory.h>
#include <stdlib.h>

#include "bfs/variants.h"
#include "kernel/driver.h"

static const scree__variant *const variants[] = {&scree__bfs_direction, &scree__bfs_level, &scree__bfs_dc,
                                                 &scree__bfs_hybrid, NULL};

static scree_status validate(const scree_graph *graph, uint64_t source, const void *options, const scree_answer *answer,
                             scree_verdict *verdict) {
  (void)options;
  return scree_bfs_validate(graph, source, answer->array[0], answer->array[1], verdict);
}

static double passes(const void *options) {
  (void)options;
  return 0.5;
}

const scree__kernel scree__kernel_bfs = {
    .about = {.name = "bfs",
              .help = "breadth-first search",
              .source = true,
              .arrays = {{"level", SCREE_VALUE_LEVEL, true}, {"parent", SCREE_VALUE_VERTEX, true}},
              .options_name = "scree_bfs_options",
              .options_init = "SCREE_BFS_OPTIONS_INIT",
              .options_size = sizeof(scree_bfs_options)},
    .variants = variants,
    .validate = validate,
    .passes = passes,
};

/* ---- the typed front: a scree_bfs is a scree_solver ---- */

static scree_solver *solver_of(scree_bfs *bfs) {
  return (scree_solver *)bfs;
}

scree_status scree_bfs_open(scree_graphs *graphs, scree_bfs **bfs) {
  scree_solver *solver;
  scree_status status = scree_solver_open(graphs, &scree__kernel_bfs.about, &solver);
  if (status == SCREE_OK) *bfs = (scree_bfs *)solver;
  return status;
}

void scree_bfs_close(scree_bfs *bfs) {
  scree_solver_close(solver_of(bfs));
}

const scree_algorithm *scree_bfs_algorithm_at(size_t i) {
  return scree_kernel_variant_at(&scree__kernel_bfs.about, i);
}

scree_status scree_bfs_prepare(scree_bfs *bfs, const scree_graph *graph, const scree_bfs_options *options) {
  return scree_solver_prepare(solver_of(bfs), graph, options);
}

scree_status scree_bfs_run(scree_bfs *bfs, const scree_graph *graph, uint64_t source, const scree_bfs_options *options,
                           scree_bfs_result **result) {
  scree_bfs_result *r = calloc(1, sizeof *r);
  scree_answer a;
  scree_status status = scree__solver_run(solver_of(bfs), graph, source, options, r != NULL, &a);
  if (status) {
    free(r);
    return status;
  }
  *r = (scree_bfs_result){.locals = a.locals,
                          .level = a.array[0],
                          .parent = a.array[1],
                          .algorithm = a.algorithm,
                          .seconds = a.seconds,
                          .work = a.work};
  *result = r;
  return SCREE_OK;
}

void scree_bfs_free(scree_bfs_result *result) {
  if (!result) return;
  scree_huge_free(result->level);
  scree_huge_free(result->parent);
  free(result);
}
