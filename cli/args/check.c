/* check.c - checks of combinations of options on a command line. */
#include <scree/generate.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "args/args.h"
#include "args/benchmarks.h"
#include "base/nearest.h"

enum { GENERATORS_MAX = 32 };

/* Refuses a word that was meant as a generator. `what` says what it is instead. */
static bool no_generator(cli_args *args, const char *what) {
  const char *names[GENERATORS_MAX];
  char word[48], known[256] = "", form[64];
  size_t count = 0;
  for (; scree_generator_at(count).name && count < GENERATORS_MAX; count++) {
    names[count] = scree_generator_at(count).name;
    snprintf(form, sizeof form, "%s:%s", names[count], scree_generator_at(count).numbers);
    scree__names_add(known, sizeof known, form);
  }
  snprintf(word, sizeof word, "%.*s", (int)strcspn(args->graph, ":"), args->graph);
  const char *near = scree__nearest(word, names, count);
  return cli_fail(args, "%s '%s'; %s%s%sknown are: %s", what, args->graph, near ? "the nearest is '" : "",
                  near ? near : "", near ? "'; " : "", known);
}

/* A graph that is no generator must be a file. A name such as kronn:10 was probably not meant as one. */
static bool check_graph(cli_args *args) {
  const char *graph = args->graph;
  if (scree_generator_is_named(graph)) return true;
  if (args->command->bit == CLI_GENERATE) return no_generator(args, "unknown generator");
  if (strstr(graph, "://"))
    return cli_fail(args, "'%s': scree reads no URLs; download the file, or pipe it: curl URL | scree %s -", graph,
                    args->command->name);
  const size_t letters = strspn(graph, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_");
  if (!letters || graph[letters] != ':' || access(graph, F_OK) == 0) return true;
  return no_generator(args, "no file and no generator has the name");
}

bool cli_is_written(const cli_args *args, const scree_kernel_array *array) {
  if (!args->answer.columns) return array->listed;
  const size_t n = strlen(array->name);
  for (const char *at = args->answer.columns; *at; at += strcspn(at, ","), at += *at == ',')
    if (strcspn(at, ",") == n && strncmp(at, array->name, n) == 0) return true;
  return false;
}

static bool check_columns(cli_args *args) {
  char known[128] = "";
  for (size_t i = 0; args->kernel->arrays[i].name; i++)
    scree__names_add(known, sizeof known, args->kernel->arrays[i].name);
  for (const char *at = args->answer.columns; at && *at; at += strcspn(at, ","), at += *at == ',') {
    const size_t n = strcspn(at, ",");
    size_t i = 0;
    while (args->kernel->arrays[i].name &&
           (strlen(args->kernel->arrays[i].name) != n || strncmp(at, args->kernel->arrays[i].name, n) != 0))
      i++;
    if (!args->kernel->arrays[i].name)
      return cli_fail(args, "option '--output-columns': '%.*s' is not legal; legal for %s: %s", (int)n, at,
                      args->kernel->name, known);
  }
  return true;
}

/* Checks what the subcommands that run a kernel have in common. */
static bool check_runs(cli_args *args) {
  if (args->source.list && (!args->source.random || args->source.seed != 1))
    return cli_fail(args, "options '--source' and '--sources-file' both name sources; give one of them");
  if (args->source.set && cli_of_source_set(args)->sources != SCREE_UNSET)
    return cli_fail(args, "options '--sources' and '--sources-file' both name sources; give one of them");
  if (!check_columns(args)) return false;
  if (args->source.count > 1 && !args->source.random)
    return cli_fail(args,
                    "option '--sources': %llu sources are drawn, but --source names one; use --source random:SEED",
                    (unsigned long long)args->source.count);
  if (args->source.count > 1 && args->answer.file)
    return cli_fail(args, "option '--output': only one result can be written, but --sources is %llu; use one source",
                    (unsigned long long)args->source.count);
  if (args->answer.file && args->json && strcmp(args->answer.file, "-") == 0 && strcmp(args->json, "-") == 0)
    return cli_fail(args, "options '--output' and '--json' both use standard output; give one of them a file");
  return cli_check_answer_file(args) && cli_check_variant(args);
}

static bool check_command(cli_args *args) {
  const cli_subcommand *c = args->command;
  if (c->operands >= 1 && !args->graph)
    return cli_fail(args,
                    "no graph given: scree %s GRAPH, where GRAPH is a file or a generator such as kron:SCALE; --help "
                    "lists them",
                    c->name);
  if (c->operands >= 2 && !args->target) return cli_fail(args, "no file to write given: scree %s GRAPH FILE", c->name);
  if (c->kernel && !check_runs(args)) return false;
  if (c->bit == CLI_PATH && (args->source.label == SCREE_UNSET || args->source.target == SCREE_UNSET))
    return cli_fail(args, "a path has two ends: scree path GRAPH --source V --target V");
  if (c->bit == CLI_PATH && !cli_check_answer_file(args)) return false;
  if (c->operands >= 1 && !check_graph(args)) return false;
  if (!cli_opens_world(c)) return true;
  if (scree_options_resolve(&args->options, args->from, args->why, sizeof args->why)) return false;
  return c->bit != CLI_BENCH || cli_benchmark_of(args);
}

bool cli_check(cli_args *args) {
  return check_command(args) && cli_check_files(args);
}
