/* table.c - the report of a run as a table: the graph, one row per source, and the rates if there were several runs. */
#include "record/report.h"

/* Users run a kernel once: the first run counts, and what was prepared for it. */
static void print_first(const cli_report *report, FILE *to) {
  const cli_measure *best = report->runs;
  char first[32], before[32], best_text[32];
  for (size_t i = 1; i < report->count; i++)
    if (report->runs[i].seconds < best->seconds) best = &report->runs[i];
  cli_format_time(report->runs[0].seconds, first, sizeof first);
  cli_format_time(report->runs[0].preparation_seconds, before, sizeof before);
  cli_format_time(best->seconds, best_text, sizeof best_text);
  fprintf(to, "first run %s after %s of preparation, best run %s%s\n", first, before, best_text,
          report->args->runs.warmup ? "; warm-up runs came before" : "");
}

/* Says what the first run made and kept with the graph, and why it did or did not. */
static void print_prepared(const cli_report *report, FILE *to) {
  const cli_measure *run = report->runs;
  char time[32];
  if (!run->prepared && !run->preparation_reason) return;
  cli_format_time(run->preparation_seconds, time, sizeof time);
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

static void print_heading(const scree_kernel *kernel, int table, FILE *to) {
  const int convergence = cli_convergence(kernel); /* in words, after the verdict */
  fputc('\n', to);
  cli_print_columns(cli_run_rows, table, NULL, to);
  for (int f = 0; f < SCREE_FIGURES_MAX && !kernel->source && kernel->figures[f]; f++)
    if (f != convergence) fprintf(to, " %12s", kernel->figures[f]);
  fputc(' ', to);
  cli_print_columns(cli_work_rows, table, NULL, to);
  fputs(" answer\n", to);
}

static void print_row(const cli_report *report, size_t i, int table, FILE *to) {
  const scree_kernel *kernel = report->args->kernel;
  const cli_measure *run = cli_median_run(report, i);
  cli_print_columns(cli_run_rows, table, run, to);
  for (int f = 0; f < SCREE_FIGURES_MAX && !kernel->source && kernel->figures[f]; f++)
    if (f != cli_convergence(kernel)) fprintf(to, " %12.9g", run->figures[f]);
  fputc(' ', to);
  cli_print_columns(cli_work_rows, table, run, to);
  fprintf(to, " %s%s\n", verdict(report, i), cli_has_converged(kernel, run) ? "" : ", not converged");
}

/* The kinds of relaxations, and how the ranks spent their time. */
static void print_work(const cli_report *report, FILE *to) {
  fprintf(to, "\n%-16s ", "work from source");
  cli_print_columns(cli_work_rows, CLI_OF_WORK, NULL, to);
  fputc('\n', to);
  for (size_t i = 0; i < report->args->source.count; i++) {
    const cli_measure *run = cli_median_run(report, i);
    fprintf(to, "%-16llu ", (unsigned long long)run->source);
    cli_print_columns(cli_work_rows, CLI_OF_WORK, run, to);
    fputc('\n', to);
  }
}

void cli_print_table(const cli_report *report, FILE *to) {
  const scree_kernel *kernel = report->args->kernel;
  const int table = kernel->source ? CLI_OF_SOURCES : kernel->graphless ? CLI_OF_ITEMS : CLI_OF_GRAPH;
  fputs(kernel->name, to);
  if (!kernel->graphless) cli_print_text(cli_graph_rows, report, to);
  for (int f = 0; f < SCREE_FIGURES_MAX && kernel->source && kernel->figures[f]; f++)
    if (report->runs[report->count - 1].figures[f] > 0)
      fprintf(to, ", %s %.6g", kernel->figures[f], report->runs[report->count - 1].figures[f]);
  if (!kernel->graphless) cli_print_text(cli_relabel_rows, report, to);
  print_heading(kernel, table, to);
  for (size_t i = 0; i < (kernel->source ? report->args->source.count : 1); i++) print_row(report, i, table, to);
  if (report->count > 1) cli_print_text(cli_rate_rows, &report->rates, to);
  if (report->count > 1) print_first(report, to);
  print_prepared(report, to);
  if (kernel->source) print_work(report, to);
}
