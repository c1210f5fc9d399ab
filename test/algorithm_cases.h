/* algorithm_cases.h - every BFS and SSSP variant on one drawn graph, against serial answers.
 *
 * Room: what the simulator's and the multi-rank test of the algorithms share. */
#ifndef ALGORITHM_CASES_H
#define ALGORITHM_CASES_H
#include <scree/bfs.h>
#include <scree/sssp.h>

/* What a world needs to run cases; opened once. */
typedef struct {
  scree_graphs *graphs;
  scree_bfs *bfs;
  scree_sssp *sssp;
} case_layer;

bool case_open(scree_world *world, case_layer *layer);
void case_close(case_layer *layer);

/* Draws two small graphs of awkward shapes, keeps both, runs all variants on each in turn, twice, and checks levels,
 * distances, parents, counters and verdicts. Collective; checks as a test does. */
void case_run(case_layer *layer, uint64_t seed);

/* A random number in 0 .. n-1; advances *state. */
uint64_t case_draw(uint64_t *state, uint64_t n);

#endif
