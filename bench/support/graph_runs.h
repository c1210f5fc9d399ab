/* graph_runs.h - every BFS and SSSP variant on a graph, in turns with the serial yardsticks and with one rank alone.
 *
 * Room: what the benchmarks of graph algorithms share. */
#ifndef BENCH_GRAPH_RUNS_H
#define BENCH_GRAPH_RUNS_H
#include <scree/graph.h>

#include "common.h"

typedef struct {
  const char *spec, *name; /* for scree_graph_load; for the table */
  const char *weights;     /* for the table */
  scree_graph_options options;
  bool bfs, sssp;
  int sources; /* drawn among the vertices with an arc */
} graph_job;

/* Runs them from one source after the other: the yardsticks, each variant on rank 0 alone, each on all ranks. Checks
 * every answer of a variant by the validators. Prints a row for each variant and makes a record of it. Rates are
 * harmonic means over the sources, as the Graph500 specification has them. Collective; false on all ranks if anything
 * was wrong, which is said. */
bool graph_runs(bench *b, const graph_job *job);
/* The heading of the rows. */
void graph_runs_head(const bench *b);

#endif
