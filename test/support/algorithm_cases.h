/* algorithm_cases.h - every BFS and SSSP variant on drawn graphs, with drawn options, against serial answers.
 *
 * The simulator's, the property and the multi-rank tests share it. */
#ifndef ALGORITHM_CASES_H
#define ALGORITHM_CASES_H
#include <scree/bfs.h>
#include <scree/sssp.h>

#include "algorithm_graphs.h"

/* What a world needs to run cases; opened once. */
typedef struct {
  scree_graphs *graphs;
  scree_solver *bfs, *sssp;
} case_layer;

bool case_open(scree_world *world, case_layer *layer);
void case_close(case_layer *layer);

/* What went wrong first. The ranks of the simulator share one: they run one at a time. */
typedef struct {
  bool wrong;
  char text[400];
} case_verdict;

void case_wrong(case_verdict *verdict, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A whole answer, which ranks of the simulator put together. */
typedef struct {
  double value[CASE_VERTICES_MAX]; /* distances or levels, INFINITY: not reached */
  uint64_t parent[CASE_VERTICES_MAX];
} case_found;

/* One run. Its options are drawn from `draw` and its name. */
typedef struct {
  case_layer *layer;
  const scree_graph *graph;
  const case_graph *given;
  const case_answer *answer;
  uint64_t draw;
  case_verdict *verdict;
  case_found *found; /* NULL: not wanted */
} case_try;

/* Runs variant `i` of SSSP or BFS and looks at values, parents, counters, the validator's word; and, where the answer
 * is put together, that the parents form a tree, and now and then that the validator sees one wrong value. Collective.
 */
void case_sssp(const case_try *t, size_t i);
void case_bfs(const case_try *t, size_t i);

/* Draws two graphs, keeps both, runs all variants on each in turn, twice. Collective; checks as a test does. */
void case_run(case_layer *layer, uint64_t seed);

#endif
