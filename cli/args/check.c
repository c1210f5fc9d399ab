/* check.c - what no option of a command line can tell alone. */
#include <scree/generate.h>
#include <stdio.h>
#include <string.h>

#include "args/args.h"

/* The generator of `scree generate`. */
static bool check_generator(cli_args *args) {
  if (scree_generator_is_named(args->graph)) return true;
  size_t used = (size_t)snprintf(args->why, sizeof args->why, "'%s' is no generator; known are:", args->graph);
  for (size_t i = 0; scree_generator_at(i).name && used < sizeof args->why; i++)
    used += (size_t)snprintf(args->why + used, sizeof args->why - used, "%s %s:%s", i ? "," : "",
                             scree_generator_at(i).name, scree_generator_at(i).numbers);
  return false;
}

/* Of the subcommands that run a kernel. */
static bool check_runs(cli_args *args) {
  if (args->sources > 1 && !args->random)
    return cli_fail(args,
                    "option '--sources': %llu sources are drawn, but --source names one; use --source random:SEED",
                    (unsigned long long)args->sources);
  if (args->sources > 1 && args->output)
    return cli_fail(args, "option '--output': only one result can be written, but --sources is %llu; use one source",
                    (unsigned long long)args->sources);
  if (args->output && args->json && strcmp(args->output, "-") == 0 && strcmp(args->json, "-") == 0)
    return cli_fail(args, "options '--output' and '--json' both use standard output; give one of them a file");
  return cli_check_variant(args);
}

bool cli_check(cli_args *args) {
  const cli_subcommand *c = args->command;
  if (c->operands >= 1 && !args->graph)
    return cli_fail(args,
                    "no graph given: scree %s GRAPH, where GRAPH is a file or a generator such as kron:SCALE; --help "
                    "lists them",
                    c->name);
  if (c->operands >= 2 && !args->target) return cli_fail(args, "no file to write given: scree %s GRAPH FILE", c->name);
  if (c->kernel && !check_runs(args)) return false;
  if (c->bit == CLI_GENERATE && !check_generator(args)) return false;
  if (c->words) return true;
  return scree_options_resolve(&args->options, args->from, args->why, sizeof args->why) == 0;
}
