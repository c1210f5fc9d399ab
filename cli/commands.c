/* commands.c - the table from subcommands to what they do. */
#include "commands/commands.h"

#include "commands/eager.h"
#include "commands/graph500/graph500.h"
#include "commands/info/info.h"
#include "package/check.h"
#include "package/package.h"
#include "study/study.h"

#include <stdlib.h>

static const struct {
  int bits;
  int (*run)(const cli_args *args, scree_world *world);
  int (*alone)(const study_request *request);
} actions[] = {
    {CLI_RUNS, cli_run, NULL},          {CLI_WRITERS, cli_convert, NULL},       {CLI_PATH, cli_path, NULL},
    {CLI_INFO, cli_info, NULL},         {CLI_GRAPH500, cli_graph500, NULL},     {CLI_LIMITS, cli_limits, NULL},
    {CLI_SWEEP, NULL, study_sweep},     {CLI_TUNE, NULL, study_tune},           {CLI_MAN, NULL, cli_man},
    {CLI_CHECK, NULL, cli_check_study}, {CLI_COMPLETION, NULL, cli_completion},
};

static size_t action_of(const cli_args *args) {
  size_t i = 0;
  while (!(actions[i].bits & args->command->bit)) i++;
  return i;
}

int cli_run_command(const cli_args *args, scree_world *world) {
  return actions[action_of(args)].run(args, world);
}

/* STUDY_PYTHON=python: the package in place of what it replaces. */
int cli_run_alone(const cli_args *args) {
  const int packaged = CLI_REPORT | (getenv("STUDY_PYTHON") ? CLI_SWEEP | CLI_TUNE : 0);
  if (args->command->bit & packaged) return cli_package(args);
  return actions[action_of(args)].alone(&args->study);
}
