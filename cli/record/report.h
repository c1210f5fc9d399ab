/* report.h - the record of a job: what it measured, the same on all ranks, the rows that name each field, and the two
 * printers of rank 0. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H
#include <scree/global.h>
#include <scree/task.h>
#include <stdio.h>

#include "record/field.h"
#include "record/provenance.h"

/* The result of --relabel. */
typedef struct {
  const char *requested; /* "auto", "none" or "degree" */
  scree_relabel_outcome outcome;
  double seconds; /* of renumbering; 0 if it was not done */
} cli_relabelling;

/* One run. The values of the second group follow from the others: cli_complete_report. */
typedef struct {
  uint64_t source; /* its label; SCREE_UNSET: the kernel has no source */
  double seconds, preparation_seconds;
  uint64_t reached, edges;           /* vertices; edges as the Graph500 specification counts them for TEPS */
  double figures[SCREE_FIGURES_MAX]; /* as the kernel names them */
  const char *algorithm, *reason, *pruning, *sums, *saving_reason, *prepared, *preparation_reason;
  uint32_t workers; /* of each rank */
  scree_work work;
  bool valid; /* true also without validation */

  uint32_t ranks;
  double teps;          /* traversed edges per second */
  uint64_t relaxations; /* by messages or directly */
  double shares[3];     /* of the ranks' time: in handlers, in their own work, waiting */
} cli_measure;

/* The graph, as both printers show it. */
typedef struct {
  const char *name, *shown; /* as on the command line; in messages */
  uint64_t vertices, edges, arcs, parallel;
  bool directed;
  const char *weights, *used_weights; /* used_weights: NULL if the kernel uses none */
  bool ignores_weights;
  double load_seconds;             /* with renumbering */
  const char *relabelled, *reason; /* "none" or "degree", and why */
  double renumbered;               /* seconds; NAN: it was not done */
  const char *distribution;        /* if it was done */
} cli_graph_record;

/* Traversed edges per second, over all runs that traversed an edge; zeros if none did. */
typedef struct {
  uint64_t count, all; /* such runs; all runs */
  const char *unit;    /* "MTEPS", or "M/s" of a kernel without a graph */
  double min, median, max;
  double harmonic_mean, harmonic_error; /* as in the Graph500 specification; 0 error for one run */
} cli_rates;

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
  char started[21]; /* UTC */
  cli_graph_record about;
  cli_rates rates;
  bool copies_count;           /* the answer depends on parallel edges */
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

/* The index among the kernel's figures of the one that says whether the run has converged; -1: it has none. */
int cli_convergence(const scree_kernel *kernel);
static inline bool cli_has_converged(const scree_kernel *kernel, const cli_measure *run) {
  return cli_convergence(kernel) < 0 || run->figures[cli_convergence(kernel)] > 0;
}

/* Tables of runs, whose columns the rows have: of a kernel with sources, of one without, of one without a graph; and of
 * the work. */
enum { CLI_OF_SOURCES, CLI_OF_GRAPH, CLI_OF_ITEMS, CLI_OF_WORK };
extern const cli_field cli_run_rows[], cli_work_rows[], cli_graph_rows[], cli_relabel_rows[], cli_rate_rows[];

/* Computes what follows from the measurements; both printers need it. Local. */
void cli_complete_report(cli_report *report);
/* The run of median time among the repetitions of source i. */
const cli_measure *cli_median_run(const cli_report *report, size_t i);

void cli_print_table(const cli_report *report, FILE *to);
/* False: no memory. */
bool cli_print_json(const cli_report *report, FILE *to);

/* Sums the counters of the ranks. Collective. */
scree_status cli_sum_counters(scree_graphs *graphs, cli_counters *counters);
/* Adds them to the record; NULL: no memory. */
cJSON *cli_add_counters(cJSON *root, const scree_world *world, const cli_counters *counters);

/* "none", "uint32", "float" or "double"; "block", "cyclic" or "hash". */
const char *cli_weight_name(scree_weight_kind kind);
const char *cli_distribution_name(scree_distribution_kind kind);

#endif
