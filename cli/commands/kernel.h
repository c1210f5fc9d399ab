/* kernel.h - what a subcommand runs: a family of algorithms, seen alike.
 *
 * Room: the ops record between the command line and the algorithm library; one kernel_*.c for each family. */
#ifndef CLI_KERNEL_H
#define CLI_KERNEL_H
#include <scree/algorithm.h>
#include <scree/graph.h>

/* What a kernel is told beside graph and source. */
typedef struct {
  const char *algorithm; /* a known name */
  double delta;          /* 0: chosen by the algorithm */
  const char *queue;     /* a known name; NULL: the first */
  uint64_t frequency, k; /* 0: the library's default */
  bool no_pruning;
  double alpha, beta; /* 0: the library's defaults */
  double damping, tolerance;
  uint64_t iterations; /* 0: the library's default, of both above too */
} kernel_options;

/* One answer on one rank: views into `own`, which kernel.release frees. */
typedef struct {
  /* Of local vertices; of these one is not NULL: */
  const double *distance;
  const int64_t *level; /* with parents */
  const uint64_t *component;
  const double *rank;
  const uint64_t *parent;
  const char *algorithm; /* that was run; NULL: the one that was asked for */
  double delta, seconds;
  double figures[2]; /* as kernel.figures says */
  uint64_t passes;   /* over all edges, without a source: what TEPS count */
  scree_work work;
  void *own;
} kernel_answer;

typedef struct kernel {
  const char *name, *help;
  bool weights; /* it is an error if the graph has none */
  /* Without a source: what its answer has in place of vertices reached. NULL: it starts from a source. */
  const char *figures[2];
  /* Local, any time: the i-th algorithm, NULL past the last. */
  const scree_algorithm *(*algorithm_at)(size_t i);
  /* Collective, idle world: registers types, once per world; frees the context. */
  scree_status (*open)(scree_graphs *graphs, void **context);
  void (*close)(void *context);
  /* Collective, idle world. The text of a failure is in scree_graphs_error. */
  scree_status (*solve)(void *context, const scree_graph *graph, uint64_t source, const kernel_options *options,
                        kernel_answer *answer);
  scree_status (*validate)(const scree_graph *graph, uint64_t source, const kernel_answer *answer,
                           scree_verdict *verdict);
  void (*release)(kernel_answer *answer); /* local */
} kernel;

extern const kernel kernel_sssp, kernel_bfs, kernel_cc, kernel_pagerank;

#endif
