/* table.c - the report for people.
 *
 * Room: a line on the graph, a table with a row for each source, a line on the rates if there were several runs. */
#include <inttypes.h>

#include "report.h"

const char *cli_weight_name(scree_weight_kind kind) {
  static const char *const names[] = {[SCREE_WEIGHT_NONE] = "none",
                                      [SCREE_WEIGHT_UINT32] = "uint32",
                                      [SCREE_WEIGHT_FLOAT] = "float",
                                      [SCREE_WEIGHT_DOUBLE] = "double"};
  return names[kind];
}

const char *cli_distribution_name(scree_distribution_kind kind) {
  static const char *const names[] = {[SCREE_BLOCK] = "block", [SCREE_CYCLIC] = "cyclic", [SCREE_HASH] = "hash"};
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

static void print_row(const cli_report *report, size_t i, FILE *to) {
  const cli_args *args = report->args;
  const cli_measure *run = cli_median_run(report, i);
  bool valid = true;
  char time[32];
  for (size_t k = 0; k < args->repeat; k++) valid &= report->runs[i * args->repeat + k].valid;
  print_time(time, sizeof time, run->seconds);
  fprintf(to,
          "%-9s %5u %10" PRIu64 " %10s %8.2f %10" PRIu64 " %12" PRIu64 " %10" PRIu64 " %11" PRIu64 " %12" PRIu64
          " %s\n",
          args->how.algorithm, report->graph->vertices.ranks, run->source, time, 1e-6 * cli_teps(run), run->reached,
          run->work.sent, run->work.useful, run->work.invalidated, run->work.rejected,
          !args->validate ? "unchecked"
          : valid         ? "valid"
                          : "INVALID");
}

void cli_print_table(const cli_report *report, FILE *to) {
  const scree_graph *g = report->graph;
  fprintf(to, "%s of %s: %" PRIu64 " vertices, %" PRIu64 " edges, %s", report->args->kernel->name, report->args->graph,
          g->vertices.n, g->edges, g->directed ? "directed" : "undirected");
  if (report->args->kernel->weights) fprintf(to, ", %s weights", cli_weight_name(g->weight));
  if (report->delta > 0) fprintf(to, ", delta %.6g", report->delta);
  fprintf(to, "\n%-9s %5s %10s %10s %8s %10s %12s %10s %11s %12s %s\n", "algorithm", "ranks", "source", "time", "MTEPS",
          "reached", "relaxations", "useful", "invalidated", "rejected", "answer");
  for (size_t i = 0; i < report->args->sources; i++) print_row(report, i, to);
  cli_rates r = cli_rates_of(report);
  if (report->count > 1)
    fprintf(to, "%zu runs: harmonic mean %.2f MTEPS, least %.2f, median %.2f, most %.2f\n", report->count,
            1e-6 * r.harmonic_mean, 1e-6 * r.least, 1e-6 * r.median, 1e-6 * r.most);
}
