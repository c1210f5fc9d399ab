/* run.h - what scree sssp and scree bfs do once the command line is read.
 *
 * Room: one function. */
#ifndef CLI_RUN_H
#define CLI_RUN_H
#include "args/args.h"

/* Loads, runs, checks, writes. Collective; returns the exit code, the same on all ranks. */
int cli_run(const cli_args *args, scree_world *world);

#endif
