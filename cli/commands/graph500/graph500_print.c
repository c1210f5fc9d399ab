/* graph500_print.c - the output block of the Graph500 specification (version 2.0, "Output"), and the same, with every
 * search, as JSON.
 *
 * The field names are taken from what the reference implementation, version 3, prints for two kernels. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands/graph500/graph500.h"
#include "record/report.h"

/* ---- rows ---- */

#define ROW(FIELD, KIND, NAME, TEXT) CLI_ROW(cli_graph500_result, FIELD, KIND, NAME, TEXT)
static const cli_field configuration_rows[] = {
    {ROW(subcommand, TEXT, "subcommand", NULL)},
    {ROW(scale, COUNT, "scale", "SCALE:                          @\n")},
    {ROW(edge_factor, COUNT, "edgefactor", "edgefactor:                     @\n")},
    {ROW(count, COUNT, "sources", "NBFS:                           @\n")},
    {ROW(seed, COUNT, "seed", NULL)},
    {ROW(ranks, NUMBER, "ranks", NULL)},
    {0},
};
static const cli_field rows[] = {
    {ROW(validated, FLAG, "validated", "|NOT_OFFICIAL:                   the results were not validated\n")},
    {.kind = CLI_OBJECT, .name = "configuration", .text = "", .rows = configuration_rows},
    {ROW(generation, REAL, "generation_seconds", "graph_generation:               @\n"), .digits = 9},
    {ROW(ranks, NUMBER, NULL, "num_mpi_processes:              @\n")},
    {ROW(construction, REAL, "construction_seconds", "construction_time:              @\n"), .digits = 9},
    {0},
};
#undef ROW

/* ---- the output block ---- */

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double mean_of(const double *x, uint64_t n) {
  double sum = 0;
  for (uint64_t i = 0; i < n; i++) sum += x[i];
  return sum / (double)n;
}

static double deviation_of(const double *x, uint64_t n, double mean) {
  double sum = 0;
  for (uint64_t i = 0; i < n; i++) sum += (x[i] - mean) * (x[i] - mean);
  return n > 1 ? sqrt(sum / (double)(n - 1)) : 0;
}

/* Interpolates between the sorted values. */
static double quantile(const double *sorted, uint64_t n, double part) {
  double at = part * (double)(n - 1);
  uint64_t i = (uint64_t)at;
  double rest = at - (double)i;
  return i + 1 < n ? sorted[i] + rest * (sorted[i + 1] - sorted[i]) : sorted[n - 1];
}

static void field(FILE *to, const char *kernel, const char *what, const char *unit, double value) {
  char name[64];
  snprintf(name, sizeof name, "%-5s%s_%s:", kernel, what, unit);
  fprintf(to, "%-32s%.9g\n", name, value);
}

static void five_numbers(FILE *to, const char *kernel, const char *unit, double *x, uint64_t n) {
  static const char *const names[] = {"min", "firstquartile", "median", "thirdquartile", "max"};
  qsort(x, (size_t)n, sizeof *x, by_value);
  for (int i = 0; i < 5; i++) field(to, kernel, names[i], unit, quantile(x, n, 0.25 * i));
}

static void print_plain(FILE *to, const char *kernel, const char *unit, double *x, uint64_t n) {
  double mean = mean_of(x, n);
  five_numbers(to, kernel, unit, x, n);
  field(to, kernel, "mean", unit, mean);
  field(to, kernel, "stddev", unit, deviation_of(x, n, mean));
}

/* The mean of rates is harmonic; its deviation by Norris (1940), through that of the inverse rates. */
static void print_rates(FILE *to, const char *kernel, double *teps, uint64_t n) {
  five_numbers(to, kernel, "TEPS", teps, n);
  for (uint64_t i = 0; i < n; i++) teps[i] = 1 / teps[i];
  double mean = mean_of(teps, n), deviation = deviation_of(teps, n, mean);
  char name[64];
  snprintf(name, sizeof name, "%-5sharmonic_mean_TEPS:", kernel);
  fprintf(to, "%-30s! %.9g\n", name, 1 / mean);
  field(to, kernel, "harmonic_stddev", "TEPS", n > 1 ? deviation / (mean * mean * sqrt((double)(n - 1))) : 0);
}

bool cli_print_graph500(const cli_graph500_result *r, FILE *to) {
  double *x = malloc((size_t)r->count * sizeof *x);
  if (!x) return false;
  cli_print_text(rows, r, to);
  const size_t bytes = (size_t)r->count * sizeof *x;
  for (int k = 0; k < 2; k++)
    print_plain(to, r->kernels[k].name, "time", memcpy(x, r->kernels[k].seconds, bytes), r->count);
  for (int k = 0; k < 2; k++)
    print_plain(to, r->kernels[k].name, "nedge", memcpy(x, r->kernels[k].edges, bytes), r->count);
  for (int k = 0; k < 2; k++) {
    for (uint64_t i = 0; i < r->count; i++) x[i] = r->kernels[k].edges[i] / r->kernels[k].seconds[i];
    print_rates(to, r->kernels[k].name, x, r->count);
  }
  for (int k = 0; k < 2 && r->validated; k++)
    print_plain(to, r->kernels[k].name, "validate", memcpy(x, r->kernels[k].validation, bytes), r->count);
  free(x);
  return true;
}

/* ---- JSON ---- */

static void add_runs(cJSON *root, const cli_graph500_result *r) {
  cJSON *list = cJSON_AddArrayToObject(root, "runs");
  for (int k = 0; k < 2; k++)
    for (uint64_t i = 0; i < r->count; i++) {
      const cli_searches *s = &r->kernels[k];
      cJSON *o = cJSON_CreateObject();
      cJSON_AddItemToArray(list, o);
      cJSON_AddStringToObject(o, "kernel", s->name);
      cJSON_AddStringToObject(o, "algorithm", s->algorithm);
      cJSON_AddNumberToObject(o, "seconds", s->seconds[i]);
      cJSON_AddNumberToObject(o, "teps", s->edges[i] / s->seconds[i]);
      cJSON_AddNumberToObject(o, "traversed_edges", s->edges[i]);
      if (!r->validated) continue;
      cJSON_AddBoolToObject(o, "valid", true); /* a wrong answer ends the benchmark */
      cJSON_AddNumberToObject(o, "validation_seconds", s->validation[i]);
    }
}

bool cli_print_graph500_json(const cli_graph500_result *r, const cli_args *args, FILE *to) {
  cJSON *root = cJSON_CreateObject();
  cJSON_AddNumberToObject(root, "scree_graph500", 1); /* the version of this format: docs/sweeps.md */
  cli_add_command(root, args, r->started);
  cli_add_versions(root);
  cli_add_fields(root, rows, r);
  add_runs(root, r);
  return cli_put_json(root, true, to);
}
