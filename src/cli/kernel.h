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
} kernel_options;

/* One answer on one rank: views into `own`, which kernel.release frees. */
typedef struct {
  const double *distance; /* of local vertices; NULL: the answer is levels */
  const int64_t *level;   /* of local vertices; NULL: the answer is distances */
  const uint64_t *parent;
  double delta, seconds;
  scree_work work;
  void *own;
} kernel_answer;

typedef struct kernel {
  const char *name, *help;
  bool weights; /* it is an error if the graph has none */
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

extern const kernel kernel_sssp, kernel_bfs;

#endif
