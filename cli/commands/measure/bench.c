/* bench.c - scree bench: runs a program of bench/, and prints its rows as OSU's micro-benchmarks do, or as JSON.
 *
 * The ranks start as those of the program do: its worlds are its own, and get the options by the environment. */
#include "commands/measure/bench.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args/benchmarks.h"
#include "io/output_file.h"
#include "record/field.h"
#include "record/provenance.h"
#include "util/date.h"

typedef struct {
  const cli_args *args;
  const cli_benchmark *what;
  char started[21];
} job;

/* ---- rows ---- */

static const char *transport(const job *j) {
  return j->args->options.transport == SCREE_TRANSPORT_MPI ? "mpi" : "shm";
}

static double number(const cJSON *row, const char *field) {
  const cJSON *value = cJSON_GetObjectItemCaseSensitive(row, field);
  return cJSON_IsNumber(value) ? value->valuedouble : 0;
}

static bool has(const job *j, const cJSON *row, const char *field, const char *value) {
  const cJSON *is = cJSON_GetObjectItemCaseSensitive(row, field);
  char text[64], wanted[64];
  snprintf(text, sizeof text, "%.0f", cJSON_IsNumber(is) ? is->valuedouble : (double)NAN);
  const int n = (int)strcspn(value, "%");
  snprintf(wanted, sizeof wanted, "%.*s%s", n, value, value[n] ? transport(j) : "");
  return strcmp(cJSON_IsString(is) ? is->valuestring : text, wanted) == 0;
}

static bool counts(const job *j, const bench *b, const cJSON *row) {
  const double ranks = number(row, "ranks");
  for (int i = 0; i < 3 && j->what->where[i][0]; i++)
    if (!has(j, row, j->what->where[i][0], j->what->where[i][1])) return false;
  for (const cJSON *before = b->results->child; before != row; before = before->next)
    if (number(before, "item_bytes") == number(row, "item_bytes") && counts(j, b, before)) return false;
  return ranks == 0 || ranks == b->ranks;
}

/* ---- as OSU ---- */

/* Widths and digits are those of osu_latency, osu_bw, osu_mbw_mr and osu_barrier. */
static void print_osu_row(const job *j, const bench *b, const cJSON *row) {
  const double bytes = number(row, "item_bytes"), seconds = number(row, "seconds");
  const double streams = j->what->osu == CLI_OSU_MBW_MR ? b->ranks : 1, rate = streams / seconds;
  if (j->what->osu != CLI_OSU_BARRIER) printf("%-10.0f", bytes);
  if (j->what->osu == CLI_OSU_BARRIER) printf("%17.2f", 1e6 * seconds);
  if (j->what->osu == CLI_OSU_LATENCY) printf("%18.2f", 1e6 * seconds);
  if (j->what->osu == CLI_OSU_BW || j->what->osu == CLI_OSU_MBW_MR) printf("%18.2f", 1e-6 * bytes * rate);
  if (j->what->osu == CLI_OSU_MBW_MR) printf("%18.2f", rate);
  putchar('\n');
}

static void print_osu(const job *j, const bench *b) {
  static const char *const heads[][2] = {[CLI_OSU_LATENCY] = {"Latency (us)", ""},
                                         [CLI_OSU_BW] = {"Bandwidth (MB/s)", ""},
                                         [CLI_OSU_MBW_MR] = {"MB/s", "Messages/s"}};
  printf("# scree " SCREE_VERSION " bench %s: %d ranks, transport %s\n", j->what->name, b->ranks, transport(j));
  if (j->what->osu == CLI_OSU_BARRIER)
    printf("# Avg Latency(us)\n");
  else
    printf("%-10s%18s%*s\n", "# Size", heads[j->what->osu][0], *heads[j->what->osu][1] ? 18 : 0,
           heads[j->what->osu][1]);
  for (const cJSON *row = b->results->child; row; row = row->next)
    if (counts(j, b, row)) print_osu_row(j, b, row);
}

/* ---- as JSON ---- */

static void add_configuration(cJSON *root, const job *j, const bench *b) {
  cJSON *o = cJSON_AddObjectToObject(root, "configuration");
  cJSON_AddStringToObject(o, "subcommand", "bench");
  cJSON_AddStringToObject(o, "algorithm", j->what->name);
  cJSON_AddNumberToObject(o, "ranks", b->ranks);
  cJSON_AddStringToObject(o, "launcher", j->args->launcher ? j->args->launcher : "local");
  cJSON_AddStringToObject(o, "transport", transport(j));
  cJSON_AddNumberToObject(o, "rounds", b->rounds);
  cli_add_options(o, j->args);
}

/* The rows that count, as runs of a job: each item has been checked. */
static void add_runs(cJSON *root, const job *j, const bench *b) {
  const double streams = j->what->osu == CLI_OSU_MBW_MR ? b->ranks : 1;
  cJSON *runs = cJSON_AddArrayToObject(root, "runs");
  for (const cJSON *row = b->results->child; row; row = row->next) {
    if (!counts(j, b, row)) continue;
    cJSON *run = cJSON_CreateObject();
    cJSON_AddItemToArray(runs, run);
    if (number(row, "item_bytes") > 0) cJSON_AddNumberToObject(run, "bytes", number(row, "item_bytes"));
    cJSON_AddNumberToObject(run, "seconds", number(row, "seconds"));
    cJSON_AddNumberToObject(run, "teps", streams / number(row, "seconds"));
    cJSON_AddNumberToObject(run, "spread", number(row, "spread"));
    cJSON_AddBoolToObject(run, "valid", true);
  }
}

static bool print_json(const job *j, const bench *b, FILE *to) {
  cJSON *root = cJSON_CreateObject();
  cJSON_AddNumberToObject(root, "scree_bench", 1); /* the version of this format: docs/sweeps.md */
  cli_add_command(root, j->args, j->started);
  cli_add_versions(root);
  cli_add_machine(root, -1);
  add_configuration(root, j, b);
  add_runs(root, j, b);
  return cli_put_json(root, cJSON_AddItemReferenceToObject(root, "rows", b->results), to);
}

static bool write_json(const job *j, const bench *b) {
  scree__output_file file;
  FILE *to = scree__output_open(&file, j->args->json);
  const bool whole = to && print_json(j, b, to);
  const int error = to ? scree__output_close(&file, to, whole) : errno;
  if (error) fprintf(stderr, "scree: '%s' was not written in full: %s\n", j->args->json, strerror(error));
  return !error && whole;
}

/* ---- all ---- */

static bool take(const bench *b, void *arg) {
  const job *j = arg;
  if (j->args->json && !write_json(j, b)) return false;
  if (j->args->bench.osu && !(j->args->json && strcmp(j->args->json, "-") == 0)) print_osu(j, b);
  return fflush(stdout) == 0 && !ferror(stdout);
}

/* What the command line sets, for the worlds of the benchmark. */
static void export_options(const cli_args *args) {
  char name[64], value[64];
  for (size_t i = 0; i < scree_option_count(); i++) {
    if (args->from[i] != 'f') continue;
    int n = snprintf(name, sizeof name, "SCREE_%s", scree_option_at(i)->name);
    for (char *c = name; n-- > 0; c++) *c = *c == '-' ? '_' : *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c;
    scree_option_format(&args->options, i, value, sizeof value);
    setenv(name, value, 1);
  }
}

int cli_bench(const cli_args *args, uint32_t ranks) {
  job j = {args, cli_benchmark_named(args->study.operands[0]), ""};
  char numbers[3][24],
      *words[] = {
          (char *)j.what->name, (char *)"--rounds", numbers[0], (char *)"--ranks", numbers[1], NULL, NULL, NULL, NULL};
  int count = ranks ? 5 : 3;
  snprintf(numbers[0], sizeof numbers[0], "%u", (unsigned)args->bench.rounds);
  snprintf(numbers[1], sizeof numbers[1], "%u", (unsigned)ranks);
  snprintf(numbers[2], sizeof numbers[2], "%u", (unsigned)args->bench.bytes);
  if (args->bench.bytes) words[count++] = (char *)"--bytes", words[count++] = numbers[2];
  if (args->bench.full) words[count++] = (char *)"--full";
  words[count] = NULL;
  cli_date(j.started);
  export_options(args);
  bench_results =
      (bench_taker){args->bench.osu || args->study.quiet || (args->json && strcmp(args->json, "-") == 0), take, &j};
  return bench_main(count, words, j.what->mode);
}
