/* table.c - the report of a run as a table: the graph, one row per source, and the rates if there were several runs. */
#include <inttypes.h>

#include "commands/input.h"
#include "commands/report.h"
#include "util/printable.h"

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

static void print_time(char *text, size_t size, double seconds) {
  if (seconds < 1e-3)
    snprintf(text, size, "%.1f us", 1e6 * seconds);
  else if (seconds < 1)
    snprintf(text, size, "%.2f ms", 1e3 * seconds);
  else
    snprintf(text, size, "%.3f s", seconds);
}

/* Users run a kernel once: the first run counts, and what was prepared for it. */
static void print_first(const cli_report *report, FILE *to) {
  const cli_measure *best = report->runs;
  char first[32], before[32], best_text[32];
  for (size_t i = 1; i < report->count; i++)
    if (report->runs[i].seconds < best->seconds) best = &report->runs[i];
  print_time(first, sizeof first, report->runs[0].seconds);
  print_time(before, sizeof before, report->runs[0].preparation_seconds);
  print_time(best_text, sizeof best_text, best->seconds);
  fprintf(to, "first run %s after %s of preparation, best run %s%s\n", first, before, best_text,
          report->args->runs.warmup ? "; warm-up runs came before" : "");
}

/* What the first run made and kept with the graph, and why, or why not. */
static void print_prepared(const cli_report *report, FILE *to) {
  const cli_measure *run = report->runs;
  char time[32];
  if (!run->prepared && !run->preparation_reason) return;
  print_time(time, sizeof time, run->preparation_seconds);
  fprintf(to, "prepared in %s: %s", time, run->prepared ? run->prepared : "nothing that stays");
  if (run->preparation_reason) fprintf(to, " (%s)", run->preparation_reason);
  const double both = run->seconds + run->preparation_seconds;
  if (run->edges && both > 0) fprintf(to, "; with it the first run has %.2f MTEPS", 1e-6 * (double)run->edges / both);
  fputc('\n', to);
}

/* "valid" only if all repetitions are. */
static const char *verdict(const cli_report *report, size_t i) {
  const cli_args *args = report->args;
  bool valid = true;
  for (size_t k = 0; k < args->runs.repeat; k++) valid &= report->runs[i * args->runs.repeat + k].valid;
  return !args->runs.validate ? "unchecked" : valid ? "valid" : "INVALID";
}

/* The table of a kernel without a source. */
static void print_whole(const cli_report *report, FILE *to) {
  const cli_measure *run = cli_median_run(report, 0);
  const char *const *names = report->args->kernel->figures;
  char time[32];
  print_time(time, sizeof time, run->seconds);
  fprintf(to, "\n%-9s %5s %10s %9s", "algorithm", "ranks", "time", report->args->kernel->graphless ? "M/s" : "MTEPS");
  const int convergence = cli_convergence(report->args->kernel); /* in words, after the verdict */
  for (int f = 0; f < SCREE_FIGURES_MAX && names[f]; f++)
    if (f != convergence) fprintf(to, " %12s", names[f]);
  fprintf(to, " %12s %7s %s\n", "messages", "epochs", "answer");
  fprintf(to, "%-9s %5u %10s %9.2f", run->algorithm, report->graph->vertices.ranks, time, 1e-6 * cli_teps(run));
  for (int f = 0; f < SCREE_FIGURES_MAX && names[f]; f++)
    if (f != convergence) fprintf(to, " %12.9g", run->figures[f]);
  fprintf(to, " %12" PRIu64 " %7" PRIu64 " %s%s\n", run->work.messages, run->work.epochs, verdict(report, 0),
          cli_has_converged(report->args->kernel, run) ? "" : ", not converged");
}

static void print_row(const cli_report *report, size_t i, FILE *to) {
  const cli_measure *run = cli_median_run(report, i);
  char time[32];
  print_time(time, sizeof time, run->seconds);
  fprintf(to,
          "%-9s %5u %10" PRIu64 " %10s %8.2f %10" PRIu64 " %12" PRIu64 " %10" PRIu64 " %11" PRIu64 " %12" PRIu64
          " %s\n",
          run->algorithm, report->graph->vertices.ranks, run->source, time, 1e-6 * cli_teps(run), run->reached,
          run->work.messages + run->work.direct, run->work.useful, run->work.superseded, run->work.rejected,
          verdict(report, i));
}

static void print_work_row(const cli_report *report, size_t i, FILE *to) {
  const cli_measure *run = cli_median_run(report, i);
  const scree_work *w = &run->work;
  double all = w->handler_seconds + w->queue_seconds + w->wait_seconds, percent = all > 0 ? 100 / all : 0;
  fprintf(to,
          "%-16" PRIu64 " %12" PRIu64 " %10" PRIu64 " %12" PRIu64 " %12" PRIu64 " %7" PRIu64 " %7" PRIu64 " %8" PRIu64
          " %10.3f %8.1f%% %8.1f%% %8.1f%%\n",
          run->source, w->messages, w->direct, w->pruned, w->edges, w->epochs, w->detection_rounds, w->blocks,
          (double)w->bytes / (1 << 20), percent * w->handler_seconds, percent * w->queue_seconds,
          percent * w->wait_seconds);
}

/* The kinds of relaxations, and how the ranks spent their time. */
static void print_work(const cli_report *report, FILE *to) {
  fprintf(to, "\n%-16s %12s %10s %12s %12s %7s %7s %8s %10s %9s %9s %9s\n", "work from source", "messages", "direct",
          "pruned", "edges", "epochs", "rounds", "blocks", "MiB", "handlers", "queue", "waiting");
  for (size_t i = 0; i < report->args->source.count; i++) print_work_row(report, i, to);
}

static void print_sources(const cli_report *report, FILE *to) {
  fprintf(to, "\n%-9s %5s %10s %10s %8s %10s %12s %10s %11s %12s %s\n", "algorithm", "ranks", "source", "time", "MTEPS",
          "reached", "relaxations", "useful", "superseded", "rejected", "answer");
  for (size_t i = 0; i < report->args->source.count; i++) print_row(report, i, to);
}

static void print_numbering(const cli_report *report, FILE *to) {
  char time[32];
  if (!report->relabel.outcome.done) return;
  print_time(time, sizeof time, report->relabel.seconds);
  fprintf(to, ", renumbered by degree in %s, %s", time, cli_distribution_name(report->graph->vertices.kind));
}

static void print_graph(const cli_report *report, FILE *to) {
  const scree_graph *g = report->graph;
  fprintf(to, "%s of ", report->args->kernel->name);
  cli_put_printable(cli_input_name(report->args->graph), to);
  fprintf(to, ": %" PRIu64 " vertices, %" PRIu64 " edges, %s", g->vertices.n, g->edges,
          g->directed ? "directed" : "undirected");
  const scree_kernel *kernel = report->args->kernel;
  if (kernel->weights)
    fprintf(to, ", %s weights", cli_weight_name(g->weight));
  else if (report->args->graph_options.weights != SCREE_WEIGHTS_DROP)
    fprintf(to, ", weights ignored");
  for (int f = 0; f < SCREE_FIGURES_MAX && kernel->source && kernel->figures[f]; f++)
    if (report->runs[report->count - 1].figures[f] > 0)
      fprintf(to, ", %s %.6g", kernel->figures[f], report->runs[report->count - 1].figures[f]);
  print_numbering(report, to);
}

void cli_print_table(const cli_report *report, FILE *to) {
  const scree_kernel *kernel = report->args->kernel;
  if (kernel->graphless)
    fprintf(to, "%s", kernel->name);
  else
    print_graph(report, to);
  (kernel->source ? print_sources : print_whole)(report, to);
  cli_rates r = cli_rates_of(report);
  if (report->count > 1)
    fprintf(to, "%zu runs: harmonic mean %.2f %s, min %.2f, median %.2f, max %.2f\n", report->count,
            1e-6 * r.harmonic_mean, kernel->graphless ? "M/s" : "MTEPS", 1e-6 * r.min, 1e-6 * r.median, 1e-6 * r.max);
  if (report->count > 1) print_first(report, to);
  print_prepared(report, to);
  if (kernel->source) print_work(report, to);
}
