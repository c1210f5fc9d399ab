/* json.c - the report of a run as one JSON object.
 *
 * Numbers are JSON numbers, times are in seconds, rates are in edges per second. */
#include <cjson/cJSON.h>
#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>

#include "args/version.h"
#include "record/report.h"

/* Without memory cJSON returns NULL. The calls below accept NULL, so that checking the last one suffices. */

void cli_add_versions(cJSON *root) {
  cJSON *o = cJSON_AddObjectToObject(root, "versions");
  char mpi[256];
  cli_mpi_version(mpi, sizeof mpi);
  cJSON_AddStringToObject(o, "scree", SCREE_VERSION);
  cJSON_AddStringToObject(o, "commit", cli_commit());
  cJSON_AddStringToObject(o, "compiler", cli_compiler());
  cJSON_AddStringToObject(o, "build", cli_build());
  cJSON_AddStringToObject(o, "cjson", cJSON_Version());
  cJSON_AddStringToObject(o, "hwloc", HWLOC_VERSION);
  cJSON_AddStringToObject(o, "mpi", cli_mpi_name());
  cJSON_AddStringToObject(o, "mpi_library", mpi);
}

void cli_add_command(cJSON *root, const cli_args *args, const char *started) {
  cJSON *words = cJSON_AddArrayToObject(root, "command");
  for (int i = 0; i < args->word_count; i++) cJSON_AddItemToArray(words, cJSON_CreateString(args->words[i]));
  cJSON_AddStringToObject(root, "started", started);
}

static void add_origin(cJSON *one, const cli_args *args, size_t i) {
  const char *file = args->at.world[i].file, *from = "default";
  char *text = NULL;
  if (args->from[i] == 'f') from = "command line";
  if (args->from[i] == 'e') from = "environment";
  if (args->from[i] == 'f' && file && asprintf(&text, "options file %s", file) < 0) text = NULL;
  if (text) from = text;
  cJSON_AddStringToObject(one, "from", from);
  free(text);
}

void cli_add_options(cJSON *root, const cli_args *args) {
  cJSON *o = cJSON_AddObjectToObject(root, "options");
  const uint64_t *fields = (const uint64_t *)(const void *)&args->options;
  for (size_t i = 0; i < scree_option_count(); i++) {
    const scree_option *row = scree_option_at(i);
    char text[64];
    cJSON *one = cJSON_AddObjectToObject(o, row->name);
    scree_option_format(&args->options, i, text, sizeof text);
    cJSON_AddStringToObject(one, "value", text);
    add_origin(one, args, i);
    if (row->kind <= SCREE_KIND_TIME && text[0] >= '0' && text[0] <= '9')
      cJSON_AddNumberToObject(one, "number", (double)fields[row->offset / sizeof *fields]);
  }
}

static void add_configuration(cJSON *root, const cli_report *report) {
  const cli_args *args = report->args;
  cJSON *o = cJSON_AddObjectToObject(root, "configuration");
  cJSON_AddStringToObject(o, "subcommand", args->kernel->name);
  cJSON_AddStringToObject(o, "algorithm", args->how->algorithm);
  for (int f = 0; f < SCREE_FIGURES_MAX && args->kernel->source && args->kernel->figures[f]; f++) /* of the last run */
    if (report->runs[report->count - 1].figures[f] > 0)
      cJSON_AddNumberToObject(o, args->kernel->figures[f], report->runs[report->count - 1].figures[f]);
  cJSON_AddNumberToObject(o, "ranks", report->graph->vertices.ranks);
  cJSON_AddStringToObject(o, "launcher", args->launcher ? args->launcher : "local");
  if (!args->kernel->graphless)
    cJSON_AddStringToObject(o, "distribution", cli_distribution_name(report->graph->vertices.kind));
  if (args->kernel->source) {
    if (args->source.random && !args->source.list) cJSON_AddNumberToObject(o, "source_seed", (double)args->source.seed);
    cJSON_AddNumberToObject(o, "sources", (double)args->source.count);
  }
  cJSON_AddNumberToObject(o, "repeat", (double)args->runs.repeat);
  cJSON_AddNumberToObject(o, "warmup", (double)args->runs.warmup);
  cJSON_AddBoolToObject(o, "validate", args->runs.validate);
  cli_add_options(o, args);
}

static void add_phases(cJSON *root, const cli_report *report) {
  static const char *const names[] = {
      [SCREE_PHASE_START] = "start",       [SCREE_PHASE_READ] = "read",   [SCREE_PHASE_PARSE] = "parse",
      [SCREE_PHASE_EXCHANGE] = "exchange", [SCREE_PHASE_BUILD] = "build", [SCREE_PHASE_PREPARE] = "prepare",
      [SCREE_PHASE_SOLVE] = "solve",       [SCREE_PHASE_COUNT] = "count", [SCREE_PHASE_VALIDATE] = "validate",
      [SCREE_PHASE_WRITE] = "write"};
  cJSON *o = cJSON_AddObjectToObject(root, "phases");
  for (int i = 0; i < SCREE_PHASES; i++) {
    cJSON *phase = cJSON_AddObjectToObject(o, names[i]);
    cJSON_AddNumberToObject(phase, "seconds", report->phases.seconds[i]);
    if (report->phases.bytes[i]) cJSON_AddNumberToObject(phase, "bytes", (double)report->phases.bytes[i]);
  }
  cJSON_AddNumberToObject(root, "wall_seconds", report->wall_seconds);
  cJSON *peak = cJSON_AddObjectToObject(root, "peak_memory_bytes");
  cJSON_AddNumberToObject(peak, "max", (double)report->peak_max);
  cJSON_AddNumberToObject(peak, "sum", (double)report->peak_sum);
}

static void add_runs(cJSON *root, const cli_report *report) {
  cJSON *list = cJSON_AddArrayToObject(root, "runs");
  for (size_t i = 0; i < report->count; i++) {
    const cli_measure *run = &report->runs[i];
    cJSON *o = cJSON_CreateObject();
    cJSON_AddItemToArray(list, o);
    const scree_kernel *k = report->args->kernel;
    cli_add_fields(o, cli_run_rows, run);
    for (int f = 0; f < SCREE_FIGURES_MAX && !k->source && k->figures[f]; f++)
      if (f == cli_convergence(k))
        cJSON_AddBoolToObject(o, k->figures[f], run->figures[f] > 0);
      else
        cJSON_AddNumberToObject(o, k->figures[f], run->figures[f]);
    if (report->args->runs.validate) cJSON_AddBoolToObject(o, "valid", run->valid);
    cJSON *work = cJSON_AddObjectToObject(o, "work");
    cli_add_counts(work, scree__work_counters, &run->work);
    cli_add_fields(work, cli_work_rows, run);
  }
}

bool cli_print_json(const cli_report *report, FILE *to) {
  const scree_world *world = scree_world_of(scree_graphs_worker(report->graph->graphs));
  cJSON *root = cJSON_CreateObject();
  cJSON_AddNumberToObject(root, "scree_job", 1); /* the version of this format: docs/sweeps.md */
  cli_add_command(root, report->args, report->started);
  cli_add_versions(root);
  cli_add_machine(root, report->load);
  cli_add_mpi(root, world);
  cli_add_binding(root, report->placements, report->graph->vertices.ranks);
  add_configuration(root, report);
  if (!report->args->kernel->graphless) cli_add_fields(cJSON_AddObjectToObject(root, "graph"), cli_graph_rows, report);
  add_phases(root, report);
  add_runs(root, report);
  cli_add_fields(cJSON_AddObjectToObject(root, "teps"), cli_rate_rows, &report->rates);
  return cli_put_json(root, cli_add_counters(root, world, &report->counters), to);
}
