/* graph_rate.c - traversed edges per second of every BFS and SSSP variant on a Kronecker graph.
 *
 * This file chooses the graphs. Default scale 18, edge factor 16, 3 sources; --full: 64 sources, and every answer is
 * validated. */
#include "graph_runs.h"

enum { USUAL_SOURCES = 3, FULL_SOURCES = 64 };

int main(int argc, char **argv) {
  bench b;
  if (!bench_start(&b, argc, argv, "graph_rate",
                   "BFS and SSSP on a Kronecker graph, on one rank and on all, against serial yardsticks, in million "
                   "edges per second; --scale: log2 of the vertices, default 18"))
    return bench_finish(&b, 2);
  char spec[32];
  snprintf(spec, sizeof spec, "kron:%d", b.scale ? b.scale : 18);
  const int sources = b.full ? FULL_SOURCES : USUAL_SOURCES;
  const graph_job floats = {.spec = spec,
                            .name = spec,
                            .weights = "float",
                            .bfs = true,
                            .sssp = true,
                            .sources = sources,
                            .validates_all = b.full};
  const graph_job integers = {.spec = spec,
                              .name = spec,
                              .weights = "1..100",
                              .options = {.weights = SCREE_WEIGHTS_RANDOM_INT, .lo = 1, .hi = 100},
                              .sssp = true,
                              .sources = sources,
                              .validates_all = b.full};
  graph_runs_head(&b);
  return bench_finish(&b, graph_runs(&b, &floats) && graph_runs(&b, &integers) ? 0 : 1);
}
