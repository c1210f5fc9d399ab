/* commands.c - the table from subcommands to what they do. */
#include "commands/commands.h"

#include "commands/graph500/graph500.h"
#include "commands/info/info.h"
#include "commands/measure/eager.h"
#include "package/package.h"

static const struct {
  int bits;
  int (*run)(const cli_args *args, scree_world *world);
  int (*alone)(const cli_args *args);
} actions[] = {
    {CLI_RUNS, cli_run, NULL},        {CLI_WRITERS, cli_convert, NULL},   {CLI_PATH, cli_path, NULL},
    {CLI_INFO, cli_info, NULL},       {CLI_GRAPH500, cli_graph500, NULL}, {CLI_LIMITS, cli_limits, NULL},
    {CLI_PACKAGE, NULL, cli_package}, {CLI_CHECK, NULL, cli_check_study}, {CLI_COMPLETION, NULL, cli_completion},
    {CLI_MAN, NULL, cli_man},
};

static size_t action_of(const cli_args *args) {
  size_t i = 0;
  while (!(actions[i].bits & args->command->bit)) i++;
  return i;
}

int cli_run_command(const cli_args *args, scree_world *world) {
  return actions[action_of(args)].run(args, world);
}

int cli_run_alone(const cli_args *args) {
  return actions[action_of(args)].alone(args);
}
