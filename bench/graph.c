/* graph.c - traversed edges per second of every BFS and SSSP variant on a Kronecker graph.
 *
 * This file chooses the graphs. Default scale 18, edge factor 16, 3 sources; --full: 64 sources, and every answer is
 * validated. */
#include "graph_runs.h"
#include "modes.h"

enum { USUAL_SOURCES = 3, FULL_SOURCES = 64 };

static bool run(bench *b) {
  char spec[32];
  snprintf(spec, sizeof spec, "kron:%d", b->scale ? b->scale : 18);
  const int sources = b->full ? FULL_SOURCES : USUAL_SOURCES;
  const graph_job floats = {.spec = spec,
                            .name = spec,
                            .weights = "float",
                            .bfs = true,
                            .sssp = true,
                            .sources = sources,
                            .validates_all = b->full};
  graph_job integers = floats;
  integers.weights = "1..100";
  integers.options = (scree_graph_options){.weights = SCREE_WEIGHTS_RANDOM_INT, .lo = 1, .hi = 100};
  integers.bfs = false;
  graph_runs_head(b);
  return graph_runs(b, &floats) && graph_runs(b, &integers);
}

int main(int argc, char **argv) {
  static const bench_mode modes[] = {
      {.name = "graph",
       .what =
           "BFS and SSSP on a Kronecker graph, on one rank and on all, against serial yardsticks, in million edges per "
           "second; "
           "--scale: log2 of the vertices, default 18",
       .run = run},
      {.name = "files",
       .what = "the same on real graphs (folder: environment variable SCREE_TEST_DATA)",
       .run = bench_graph_files},
      {.name = "more",
       .what = "components and PageRank (20 iterations) on a Kronecker graph against serial yardsticks; --scale: log2 "
               "of the "
               "vertices, default 18",
       .run = bench_graph_more},
      {.name = "variants",
       .what =
           "SSSP on any graph; after these, --, graph options as --name=text, the graph, and configurations such as "
           "dc,queue=buckets,frequency=8 delta,delta=0.1 kla,k=2,no-pruning; --rounds: sources",
       .run = bench_graph_variants,
       .takes_rest = true},
      {.name = "regret",
       .what = "the default of SSSP and of BFS against their best variants on families of graphs; --scale: log2 of the "
               "vertices, "
               "default 18; after --: families (default all) and graph files",
       .run = bench_graph_regret,
       .takes_rest = true},
      {0}};
  return bench_main(argc, argv, modes);
}
