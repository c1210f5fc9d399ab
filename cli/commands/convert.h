/* convert.h - scree generate and scree convert. */
#ifndef CLI_CONVERT_H
#define CLI_CONVERT_H
#include "args/args.h"

/* Loads or makes a graph and writes it. Collective; returns the exit code, the same on all ranks. */
int cli_convert(const cli_args *args, scree_world *world);

#endif
