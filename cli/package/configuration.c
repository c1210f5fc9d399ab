/* configuration.c - one configuration of a study: axes to the words of a command line, which the command line's own
 * parser then reads. */
#include "package/configuration.h"

#include <scree/generate.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "base/option_table.h"
#include "base/option_value.h"
#include "base/options.h"

static __attribute__((format(printf, 2, 3))) bool fail(package_configuration *c, const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(c->why, sizeof c->why, format, list);
  va_end(list);
  return false;
}

static __attribute__((format(printf, 2, 3))) void add(package_configuration *c, const char *format, ...) {
  va_list list;
  va_start(list, format);
  if (c->count < PACKAGE_WORDS && vasprintf(&c->words[c->count], format, list) >= 0) c->count++;
  va_end(list);
}

static const char *value_of(const package_configuration *c, const char *axis) {
  return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(c->axes, axis));
}

/* Does the axis say how the job starts, or in which environment? */
static bool is_special(const char *name) {
  static const char *const special[] = {"kernel",         "graph",    "scale", "ranks", "nodes",
                                        "ranks-per-node", "launcher", "mpi",   "bind",  "program"};
  for (size_t i = 0; i < sizeof special / sizeof special[0]; i++)
    if (strcmp(special[i], name) == 0) return true;
  return strncmp(name, "env.", 4) == 0;
}

/* ---- the words ---- */

static bool find_kernel(package_configuration *c) {
  char known[256] = "";
  c->name = value_of(c, "kernel");
  if (!c->name) c->name = scree_kernel_at(0)->name;
  c->benchmark = cli_benchmark_named(c->name);
  for (size_t i = 0; cli_subcommand_at(i); i++) {
    const cli_subcommand *s = cli_subcommand_at(i);
    if (c->benchmark && s->bit == CLI_BENCH) return c->kernel = s, true;
    if (!s->kernel && s->bit != CLI_GRAPH500) continue;
    if (strcmp(s->name, c->name) == 0) return c->kernel = s, true;
    scree__names_add(known, sizeof known, s->name);
  }
  for (size_t i = 0; cli_benchmark_at(i); i++) scree__names_add(known, sizeof known, cli_benchmark_at(i)->name);
  return fail(c, "axis 'kernel': '%s' is unknown; known are: %s", c->name, known);
}

static bool add_graph(package_configuration *c) {
  const char *graph = value_of(c, "graph"), *scale = value_of(c, "scale");
  char spec[64];
  if (c->benchmark) add(c, "%s", c->benchmark->name);
  if (c->benchmark || c->kernel->kernel->graphless)
    return (!graph && !scale) ||
           fail(c, "axis '%s': %s reads no graph; leave it out", graph ? "graph" : "scale", c->name);
  if (graph && scale) return fail(c, "both graph '%s' and scale '%s' are given; give one of them", graph, scale);
  if (!graph && !scale) return fail(c, "name a graph: graph = FILE or a generator, or scale = S for kron:S");
  snprintf(spec, sizeof spec, "kron:%s", scale ? scale : "");
  if (!graph) graph = spec;
  add(c, "%s%s", *graph == '-' ? "./" : "", graph); /* not an option, nor standard input */
  if (scree_generator_is_named(graph)) {
    scree_generated *generated = NULL;
    const scree_status status = scree_generated_parse(graph, c->why, sizeof c->why, &generated);
    scree_generated_free(generated);
    return status == SCREE_OK;
  }
  return c->elsewhere || access(graph, R_OK) == 0 ||
         fail(c, "axis 'graph': '%s' is neither a readable file nor a generator; 'scree %s --help' lists those", graph,
              c->kernel->name);
}

/* Graph500 makes its own graph. */
static bool add_benchmark(package_configuration *c) {
  const char *scale = value_of(c, "scale");
  if (value_of(c, "graph")) return fail(c, "axis 'graph': graph500 makes its own graph; give scale = S");
  if (scale) add(c, "--scale");
  if (scale) add(c, "%s", scale);
  return true;
}

static bool add_option(package_configuration *c, const char *name, const char *value) {
  bool takes_none = false;
  const bool own = cli_has_option(c->kernel, name, &takes_none);
  if (strcmp(name, "json") == 0)
    return fail(c, "axis 'json' is not legal: the sweep itself reads the JSON that a job prints");
  if (strcmp(name, "validate") == 0)
    return fail(c, "axis 'validate' is not legal: the sweep validates the first repetition of each configuration by "
                   "itself; leave it out");
  const bool flag = own && takes_none, on = strcmp(value, "on") == 0;
  if (flag && !on && strcmp(value, "off") != 0)
    return fail(c, "axis '%s': '%s' is not legal; legal: on, off", name, value);
  if (flag && !on) return true;
  add(c, "--%s", name);
  if (!flag) add(c, "%s", value);
  return true;
}

static bool add_words(package_configuration *c) {
  const bool graph500 = c->kernel->bit == CLI_GRAPH500;
  const cJSON *axis;
  add(c, "%s", c->kernel->name);
  if (!(graph500 ? add_benchmark(c) : add_graph(c))) return false;
  if (c->ranks) add(c, "--ranks");
  if (c->ranks) add(c, "%llu", (unsigned long long)c->ranks);
  cJSON_ArrayForEach(axis, c->axes) if (!is_special(axis->string) &&
                                        !add_option(c, axis->string, axis->valuestring)) return false;
  if (!value_of(c, "warmup") && c->kernel->kernel) add(c, "--warmup");
  if (!value_of(c, "warmup") && c->kernel->kernel) add(c, "1");
  return true;
}

/* ---- what the job will say ---- */

/* Stores in c->why why a configuration that is legal cannot run. */
static void find_refusal(package_configuration *c, cli_args *args) {
  const char *text = value_of(c, "ranks");
  uint64_t ranks = 2;
  if (text) scree__digits(&text, UINT64_MAX, &ranks);
  if (c->benchmark && !cli_check_bench_ranks(args, ranks)) fail(c, "%s", args->why);
  const bool comm = args->options.progress == SCREE_PROGRESS_COMM, mpi = args->options.transport == SCREE_TRANSPORT_MPI;
  if (c->ranks && (comm || mpi))
    fail(c, "%s needs MPI, and these ranks have none: start them by mpirun, or leave it out",
         comm ? "progress=comm" : "transport=mpi");
  else if (comm && !mpi && !c->elsewhere)
    fail(c, "progress=comm with all ranks on one node and shared memory: nothing travels by MPI, so a communication "
            "thread has nothing to move: set progress to none, or transport to mpi");
  else if (c->kernel->kernel && args->options.progress == SCREE_PROGRESS_FULL &&
           !scree_kernel_variant_progress(c->kernel->kernel, args->variant))
    fail(c,
         "progress=full: the handlers of the algorithm '%s' are not made for a progress thread: set the option "
         "progress to none",
         args->how->algorithm);
}

/* Returns false if the job would read or write a file that the study writes. */
static bool check_files(const package_configuration *c, cli_args *args) {
  for (const cJSON *file = c->writes ? c->writes->child : NULL; file; file = file->next) {
    const cli_named_file written = {file->valuestring, file->string, CLI_WRITES, {NULL, 0}};
    if (cJSON_IsString(file) && *written.path && !cli_add_file(args, &written)) return false;
  }
  return cli_check_files(args);
}

bool package_read(package_configuration *c) {
  char *argv[PACKAGE_WORDS + 2] = {(char *)"scree"};
  static cli_args args;
  const cJSON *axis;
  cJSON_ArrayForEach(axis, c->axes) if (!cJSON_IsString(axis)) return fail(c, "the value of axis '%s' is not a text",
                                                                           axis->string);
  if (!find_kernel(c) || !add_words(c)) return false;
  memcpy(argv + 1, c->words, c->count * sizeof *argv);
  cli_action action = cli_parse((int)c->count + 1, argv, &args);
  if (action == CLI_RUN && !check_files(c, &args)) action = CLI_BAD;
  if (action == CLI_RUN) {
    c->threads = (unsigned)args.options.threads + (args.options.progress != SCREE_PROGRESS_NONE);
    find_refusal(c, &args);
  }
  cli_args_free(&args);
  return action == CLI_RUN || fail(c, "%s", args.why[0] ? args.why : "this requests help");
}

void package_free(package_configuration *c) {
  for (size_t i = 0; i < c->count; i++) free(c->words[i]);
  c->count = 0;
}

/* ---- defaults ---- */

/* A value from the environment counts as the default. */
static bool is_world_default(const char *name, const char *value) {
  scree_options standard = SCREE_OPTIONS_INIT, given;
  char why[256];
  if (scree_options_resolve(&standard, NULL, why, sizeof why)) return false;
  given = standard;
  return !scree_options_set(&given, name, value, why, sizeof why) && memcmp(&given, &standard, sizeof given) == 0;
}

bool package_is_default(const cli_subcommand *kernel, const char *axis, const char *value) {
  static const char *const others[][2] = {{"distribution", "block"},
                                          {"relabel", "auto"},
                                          {"ranks", "2"},
                                          {"sources", "1"},
                                          {"warmup", "1"}}; /* in no table */
  const scree_kernel *k = kernel->kernel;
  const scree_kernel_option *option = k ? scree_kernel_option_find(k, SIZE_MAX, axis) : NULL;
  char standard[64];
  bool flag = false;
  if (strcmp(axis, "kernel") == 0) return strcmp(value, scree_kernel_at(0)->name) == 0;
  if (k && strcmp(axis, "algorithm") == 0) return strcmp(value, scree_kernel_variant_at(k, 0)->name) == 0;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (strcmp(others[i][0], axis) == 0) return strcmp(others[i][1], value) == 0;
  if (cli_has_option(kernel, axis, &flag) && flag) return strcmp(value, "off") == 0;
  if (!option) return is_world_default(axis, value);
  scree__option_format_default(&option->row, standard, sizeof standard);
  return strcmp(value, standard) == 0;
}
