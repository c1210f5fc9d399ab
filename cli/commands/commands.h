/* commands.h - what the subcommands of args/args.h do. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H
#include "args/args.h"

/* A subcommand that opens a world. Collective; returns the exit code, the same on all ranks. */
int cli_run_command(const cli_args *args, scree_world *world);
/* A subcommand that launches jobs itself or needs none (command->words is not NULL), in one process. Returns the exit
 * code. */
int cli_run_alone(const cli_args *args);

/* The subcommands of kernels: load, run, check, write. Collective; as cli_run_command. */
int cli_run(const cli_args *args, scree_world *world);
/* scree path: a shortest path. Collective; as cli_run_command. */
int cli_path(const cli_args *args, scree_world *world);
/* scree generate and scree convert: load or generate a graph and write it. Collective; as cli_run_command. */
int cli_convert(const cli_args *args, scree_world *world);

#endif
