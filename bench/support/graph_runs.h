/* graph_runs.h - every BFS and SSSP variant on a graph, interleaved with the serial yardsticks and with one rank
 * alone. */
#ifndef BENCH_GRAPH_RUNS_H
#define BENCH_GRAPH_RUNS_H
#include <scree/graph.h>

#include "common.h"

typedef struct {
  const char *spec, *name; /* for scree_graph_load; for the table */
  const char *weights;     /* for the table */
  scree_graph_options options;
  bool bfs, sssp;
  int sources;        /* drawn from the vertices with an arc */
  bool validates_all; /* else answers from the first source alone: validation takes as long as the runs */
} graph_job;

/* From each source in turn, runs the yardsticks, each variant on rank 0 alone, and each on all ranks. Prints a row and adds a record per variant. Rates are harmonic means over the sources, as the
 * Graph500 specification requires. Collective; false on all ranks after a failure, which is reported. */
bool graph_runs(bench *b, const graph_job *job);
/* Prints the heading of the rows. */
void graph_runs_head(const bench *b);

#endif
