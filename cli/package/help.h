/* help.h - what the help of sweep and tune says besides the tables of options: presets and axes. */
#ifndef PACKAGE_HELP_H
#define PACKAGE_HELP_H
#include "args/args.h"

void package_print_help(const cli_subcommand *command, bool all);

#endif
