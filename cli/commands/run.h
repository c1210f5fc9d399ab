/* run.h - the subcommands that run a kernel. */
#ifndef CLI_RUN_H
#define CLI_RUN_H
#include "args/args.h"

/* Loads the graph, runs the kernel, validates, writes. Collective; returns the exit code, the same on all ranks. */
int cli_run(const cli_args *args, scree_world *world);

#endif
