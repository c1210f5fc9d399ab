/* report.h - the measurements of a job, the same on all ranks, and their two printers on rank 0. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H
#include <scree/global.h>
#include <scree/task.h>
#include <stdio.h>

#include "commands/placement.h"
#include "commands/session.h"

/* One run. */
typedef struct {
  uint64_t source; /* its label */
  double seconds, preparation_seconds;
  uint64_t reached, edges;           /* vertices; edges as the Graph500 specification counts them for TEPS */
  double figures[SCREE_FIGURES_MAX]; /* as the kernel names them */
  const char *algorithm, *reason, *pruning, *sums, *saving_reason, *prepared, *preparation_reason;
  uint32_t workers; /* of each rank */
  scree_work work;
  bool valid; /* true also without validation */
} cli_measure;

/* Sums over ranks since the world was opened; peaks: the maximum. */
typedef struct {
  scree_stats world;
  scree_lock_stats lock; /* with the option lock_sample */
  bool has_tasks, has_global;
  scree_tasks_stats tasks;
  scree_global_stats global;
  uint64_t item_bytes; /* of messages */
} cli_counters;

typedef struct {
  const cli_args *args;
  const scree_graph *graph;
  char started[21];    /* UTC */
  double load_seconds; /* with renumbering */
  bool copies_count;   /* the answer depends on parallel edges, of which there are `parallel` */
  uint64_t parallel;
  scree_phases phases;         /* of this rank: rank 0's are printed */
  double wall_seconds;         /* since the command line was read */
  uint64_t peak_max, peak_sum; /* bytes in memory: the maximum of the ranks, and their sum */
  cli_relabelling relabel;
  cli_measure *runs; /* `repeat` runs of the first source, then of the next */
  size_t count;
  cli_counters counters;
  double load;                     /* load average of the machine when the job began; -1: unknown */
  const cli_placement *placements; /* on rank 0, if JSON is requested */
} cli_report;

/* Traversed edges per second, over all runs that traversed an edge; zeros if none did. */
typedef struct {
  size_t count;
  double min, median, max;
  double harmonic_mean, harmonic_error; /* as in the Graph500 specification; 0 error for one run */
} cli_rates;

/* The index among the kernel's figures of the one that says whether the run has converged; -1: it has none. */
int cli_convergence(const scree_kernel *kernel);
static inline bool cli_has_converged(const scree_kernel *kernel, const cli_measure *run) {
  return cli_convergence(kernel) < 0 || run->figures[cli_convergence(kernel)] > 0;
}

double cli_teps(const cli_measure *run);
cli_rates cli_rates_of(const cli_report *report);
/* The run of median time among the repetitions of source i. */
const cli_measure *cli_median_run(const cli_report *report, size_t i);

void cli_print_table(const cli_report *report, FILE *to);
/* False: no memory. */
bool cli_print_json(const cli_report *report, FILE *to);

/* "none", "uint32", "float" or "double"; "block", "cyclic" or "hash". */
const char *cli_weight_name(scree_weight_kind kind);
const char *cli_distribution_name(scree_distribution_kind kind);

#endif
