/* subcommands.c - the subcommands: one for each kernel of the registry, and the others. */
#include <string.h>

#include "args/args.h"

static const cli_subcommand others[] = {
    {CLI_GENERATE, "generate", "make a graph and write it to a file", 2, NULL, NULL},
    {CLI_CONVERT, "convert", "write a graph to a file of another format", 2, NULL, NULL},
    {CLI_INFO, "info", "say what a graph is like, or with --plan what it will take", 1, NULL, NULL},
    {CLI_GRAPH500, "graph500", "the Graph500 benchmark: generate, construct, search, validate", 0, NULL, NULL},
    {CLI_LIMITS, "limits", "find the largest message that MPI sends at once between two ranks", 0, NULL, NULL},
    {CLI_SWEEP, "sweep", "run a plan of configurations, again and again in turns, and keep a record of each run", 0,
     NULL, " [FILE|PRESET]"},
    {CLI_REPORT, "report", "say what results of sweeps show: tables, words, plots, a page", 0, NULL, " RESULTS..."},
    {CLI_TUNE, "tune", "find good settings for one job, in a given time", 0, NULL, ""},
};

enum { KERNELS_MAX = 16 };

const cli_subcommand *cli_subcommand_at(size_t i) {
  static cli_subcommand kernels[KERNELS_MAX]; /* each call writes the same */
  size_t count = 0;
  for (const scree_kernel *k; count < KERNELS_MAX && (k = scree_kernel_at(count)); count++)
    kernels[count] = (cli_subcommand){k->source ? CLI_FROM_SOURCE : CLI_WHOLE_GRAPH, k->name, k->help, 1, k, NULL};
  if (i < count) return &kernels[i];
  return i - count < sizeof others / sizeof others[0] ? &others[i - count] : NULL;
}

const cli_subcommand *cli_kernel_subcommand(const char *name) {
  for (size_t i = 0; cli_subcommand_at(i); i++)
    if (cli_subcommand_at(i)->kernel && strcmp(cli_subcommand_at(i)->name, name) == 0) return cli_subcommand_at(i);
  return NULL;
}

bool cli_has_option(const cli_subcommand *command, const char *name, bool *flag) {
  for (size_t i = 0; cli_option_at(i); i++)
    if ((cli_option_at(i)->of & command->bit) && strcmp(cli_option_at(i)->name, name) == 0)
      return *flag = !cli_option_at(i)->value, true;
  for (size_t i = 0; cli_kernel_option_at(command->kernel, i); i++)
    if (strcmp(cli_kernel_option_at(command->kernel, i)->row.name, name) == 0)
      return *flag = !cli_kernel_option_at(command->kernel, i)->value, true;
  return false;
}

size_t cli_option_names(const cli_subcommand *command, const char **names) {
  size_t count = 0;
  for (size_t i = 0; cli_option_at(i); i++)
    if (cli_option_at(i)->of & command->bit) names[count++] = cli_option_at(i)->name;
  for (size_t i = 0; cli_kernel_option_at(command->kernel, i) && i < CLI_KERNEL; i++)
    names[count++] = cli_kernel_option_at(command->kernel, i)->row.name;
  return count;
}
