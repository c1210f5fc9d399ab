/* rates.c - times and rates over the runs of a job.
 *
 * The mean of the rates is harmonic, and its standard error follows Norris (1940), as the Graph500 specification
 * requires. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands/report.h"

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

double cli_teps(const cli_measure *run) {
  return run->seconds > 0 ? (double)run->edges / run->seconds : 0;
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

cli_rates cli_rates_of(const cli_report *report) {
  cli_rates r = {0};
  double *teps = malloc((report->count + 1) * sizeof *teps), inverse = 0, deviation = 0;
  if (!teps) return r;
  for (size_t i = 0; i < report->count; i++)
    if (cli_teps(&report->runs[i]) > 0) teps[r.count++] = cli_teps(&report->runs[i]);
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
