/* report.c - the rows of a job's record, and what follows from its measurements.
 *
 * The mean of the rates is harmonic, and its standard error follows Norris (1940), as the Graph500 specification
 * requires. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "record/report.h"

/* ---- rows ---- */

#define RUN(FIELD, KIND, NAME, TEXT) CLI_ROW(cli_measure, FIELD, KIND, NAME, TEXT)
const cli_field cli_run_rows[] = {
    {RUN(algorithm, TEXT, "algorithm", "algorithm"), .width = {-9, -9, -9}},
    {RUN(ranks, NUMBER, NULL, "ranks"), .width = {5, 5, 5}},
    {RUN(source, ID, "source", "source"), .width = {10}},
    {RUN(reason, TEXT, "reason", NULL)},
    {RUN(pruning, TEXT, "pruning", NULL)},
    {RUN(sums, TEXT, "sums", NULL)},
    {RUN(saving_reason, TEXT, "saving_reason", NULL)},
    {RUN(workers, NUMBER, "workers", NULL)},
    {RUN(seconds, SECONDS, "seconds", "time"), .width = {10, 10, 10}},
    {RUN(preparation_seconds, SECONDS, "preparation_seconds", NULL)},
    {RUN(prepared, TEXT, "prepared", NULL)},
    {RUN(preparation_reason, TEXT, "preparation_reason", NULL)},
    {RUN(teps, MILLIONS, "teps", "MTEPS"), .width = {8, 9}},
    {RUN(teps, MILLIONS, NULL, "M/s"), .width = {[CLI_OF_ITEMS] = 9}},
    {RUN(reached, COUNT, "reached", "reached"), .width = {10}},
    {RUN(edges, COUNT, "traversed_edges", NULL)},
    {RUN(relaxations, COUNT, NULL, "relaxations"), .width = {12}},
    {0},
};

/* JSON has the counters by their own rows. */
const cli_field cli_work_rows[] = {
    {RUN(work.messages, COUNT, NULL, "messages"), .width = {0, 12, 12, 12}},
    {RUN(work.direct, COUNT, NULL, "direct"), .width = {[CLI_OF_WORK] = 10}},
    {RUN(work.useful, COUNT, NULL, "useful"), .width = {10}},
    {RUN(work.superseded, COUNT, NULL, "superseded"), .width = {11}},
    {RUN(work.rejected, COUNT, NULL, "rejected"), .width = {12}},
    {RUN(work.pruned, COUNT, NULL, "pruned"), .width = {[CLI_OF_WORK] = 12}},
    {RUN(work.edges, COUNT, NULL, "edges"), .width = {[CLI_OF_WORK] = 12}},
    {RUN(work.epochs, COUNT, NULL, "epochs"), .width = {0, 7, 7, 7}},
    {RUN(work.detection_rounds, COUNT, NULL, "rounds"), .width = {[CLI_OF_WORK] = 7}},
    {RUN(work.blocks, COUNT, NULL, "blocks"), .width = {[CLI_OF_WORK] = 8}},
    {RUN(work.bytes, MIB, NULL, "MiB"), .width = {[CLI_OF_WORK] = 10}},
    {RUN(work.handler_seconds, SECONDS, "handler_seconds", NULL)},
    {RUN(work.queue_seconds, SECONDS, "queue_seconds", NULL)},
    {RUN(work.wait_seconds, SECONDS, "wait_seconds", NULL)},
    {RUN(shares[0], PERCENT, NULL, "handlers"), .width = {[CLI_OF_WORK] = 9}},
    {RUN(shares[1], PERCENT, NULL, "queue"), .width = {[CLI_OF_WORK] = 9}},
    {RUN(shares[2], PERCENT, NULL, "waiting"), .width = {[CLI_OF_WORK] = 9}},
    {0},
};
#undef RUN

#define GRAPH(FIELD, KIND, NAME, TEXT) CLI_ROW(cli_report, FIELD, KIND, NAME, TEXT)
const cli_field cli_relabel_rows[] = {
    {GRAPH(relabel.requested, TEXT, "requested", NULL)},
    {GRAPH(about.relabelled, TEXT, "done", NULL)},
    {GRAPH(about.reason, TEXT, "reason", NULL)},
    {GRAPH(relabel.seconds, SECONDS, "seconds", NULL)},
    {GRAPH(about.renumbered, SECONDS, NULL, ", renumbered by degree in @")},
    {GRAPH(about.distribution, TEXT, NULL, ", @")},
    {0},
};
const cli_field cli_graph_rows[] = {
    {GRAPH(about.name, TEXT, "name", NULL)},
    {GRAPH(about.shown, TEXT, NULL, " of @")},
    {GRAPH(about.vertices, COUNT, "vertices", ": @ vertices")},
    {GRAPH(about.edges, COUNT, "edges", ", @ edges")},
    {GRAPH(about.arcs, COUNT, "arcs", NULL)},
    {GRAPH(about.parallel, COUNT, "parallel_edges", NULL)},
    {GRAPH(about.directed, FLAG, "directed", ", directed|, undirected")},
    {GRAPH(about.weights, TEXT, "weights", NULL)},
    {GRAPH(about.used_weights, TEXT, NULL, ", @ weights")},
    {GRAPH(about.ignores_weights, FLAG, NULL, ", weights ignored|")},
    {GRAPH(about.load_seconds, SECONDS, "load_seconds", NULL)},
    {.name = "relabel", .kind = CLI_OBJECT, .rows = cli_relabel_rows},
    {0},
};
#undef GRAPH

#define RATE(FIELD, KIND, NAME, TEXT) CLI_ROW(cli_rates, FIELD, KIND, NAME, TEXT)
const cli_field cli_rate_rows[] = {
    {RATE(count, COUNT, "runs", NULL)},
    {RATE(all, COUNT, NULL, "@ runs")},
    {RATE(harmonic_mean, MILLIONS, "harmonic_mean", ": harmonic mean @")},
    {RATE(unit, TEXT, NULL, " @")},
    {RATE(min, MILLIONS, "min", ", min @")},
    {RATE(median, MILLIONS, "median", ", median @")},
    {RATE(max, MILLIONS, "max", ", max @\n")},
    {RATE(harmonic_error, MILLIONS, "harmonic_error", NULL)},
    {0},
};
#undef RATE

const char *cli_weight_name(scree_weight_kind kind) {
  static const char *const names[] = {[SCREE_WEIGHT_NONE] = "none",
                                      [SCREE_WEIGHT_UINT32] = "uint32",
                                      [SCREE_WEIGHT_FLOAT] = "float",
                                      [SCREE_WEIGHT_DOUBLE] = "double"};
  return names[kind];
}

const char *cli_distribution_name(scree_distribution_kind kind) {
  static const char *const names[] = {
      [SCREE_DISTRIBUTION_BLOCK] = "block", [SCREE_DISTRIBUTION_CYCLIC] = "cyclic", [SCREE_DISTRIBUTION_HASH] = "hash"};
  return names[kind];
}

/* ---- runs ---- */

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static int by_seconds(const void *a, const void *b) {
  const cli_measure *x = *(const cli_measure *const *)a, *y = *(const cli_measure *const *)b;
  return (x->seconds > y->seconds) - (x->seconds < y->seconds);
}

int cli_convergence(const scree_kernel *kernel) {
  for (int f = 0; f < SCREE_FIGURES_MAX && kernel->figures[f]; f++)
    if (strcmp(kernel->figures[f], "converged") == 0) return f;
  return -1;
}

const cli_measure *cli_median_run(const cli_report *report, size_t i) {
  size_t n = (size_t)report->args->runs.repeat;
  const cli_measure *first = report->runs + i * n;
  const cli_measure **sorted = malloc(n * sizeof *sorted);
  if (!sorted) return first;
  for (size_t k = 0; k < n; k++) sorted[k] = first + k;
  qsort(sorted, n, sizeof *sorted, by_seconds);
  first = sorted[(n - 1) / 2];
  free(sorted);
  return first;
}

static double median_of(const double *sorted, size_t n) {
  return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

static cli_rates find_rates(const cli_report *report) {
  cli_rates r = {.all = report->count, .unit = report->args->kernel->graphless ? "M/s" : "MTEPS"};
  double *teps = malloc((report->count + 1) * sizeof *teps), inverse = 0, deviation = 0;
  if (!teps) return r;
  for (size_t i = 0; i < report->count; i++)
    if (report->runs[i].teps > 0) teps[r.count++] = report->runs[i].teps;
  for (size_t i = 0; i < r.count; i++) inverse += 1 / teps[i];
  if (r.count) {
    qsort(teps, r.count, sizeof *teps, by_value);
    r.min = teps[0];
    r.max = teps[r.count - 1];
    r.median = median_of(teps, r.count);
    r.harmonic_mean = (double)r.count / inverse;
  }
  for (size_t i = 0; i < r.count; i++) deviation += pow(1 / teps[i] - 1 / r.harmonic_mean, 2);
  if (r.count > 1) r.harmonic_error = sqrt(deviation) / (double)(r.count - 1) * r.harmonic_mean * r.harmonic_mean;
  free(teps);
  return r;
}

static void complete_run(cli_measure *run, uint32_t ranks) {
  const double times[] = {run->work.handler_seconds, run->work.queue_seconds, run->work.wait_seconds};
  const double all = times[0] + times[1] + times[2];
  run->ranks = ranks;
  run->teps = run->seconds > 0 ? (double)run->edges / run->seconds : 0;
  run->relaxations = run->work.messages + run->work.direct;
  for (int i = 0; i < 3; i++) run->shares[i] = all > 0 ? times[i] / all : 0;
}

static void complete_graph(cli_report *report) {
  const scree_graph *g = report->graph;
  const bool uses_weights = report->args->kernel->weights, done = report->relabel.outcome.done;
  cli_graph_record *about = &report->about;
  about->name = report->args->graph;
  about->vertices = g->vertices.n;
  about->edges = g->edges;
  about->arcs = g->arcs;
  if (!report->copies_count) about->parallel = SCREE_UNSET;
  about->directed = g->directed;
  about->weights = cli_weight_name(g->weight);
  about->used_weights = uses_weights ? about->weights : NULL;
  about->ignores_weights = !uses_weights && report->args->graph_options.weights != SCREE_WEIGHTS_DROP;
  about->reason = report->relabel.outcome.reason;
  about->relabelled = done ? "degree" : "none";
  about->renumbered = done ? report->relabel.seconds : (double)NAN;
  about->distribution = done ? cli_distribution_name(g->vertices.kind) : NULL;
}

void cli_complete_report(cli_report *report) {
  for (size_t i = 0; i < report->count; i++) complete_run(&report->runs[i], report->graph->vertices.ranks);
  report->rates = find_rates(report);
  complete_graph(report);
}
