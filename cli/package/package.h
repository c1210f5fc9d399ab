/* package.h - sweep, report and tune: a Python package, which this process becomes, and what that asks this program. */
#ifndef CLI_PACKAGE_H
#define CLI_PACKAGE_H
#include <limits.h>

#include "args/args.h"

/* Executes the package; returns an exit code only if it cannot. */
int cli_package(const cli_args *args);

/* A part of the package: beside the program, as in a build directory; or where it was installed, moved along with it or
 * not. False: there is none. */
bool package_find(const char *part, char path[PATH_MAX]);

/* What the help of sweep says besides the tables of options: presets; the short help has their names alone. */
void package_print_help(const cli_subcommand *command, bool all);

/* scree check: what this program says of configurations, before any of them runs. Returns the exit code.
 *
 * Reads JSON Lines from standard input and answers each by a line, after a first line on this program, which has what
 * tuning tries of each kernel, as lines of a sweep file, and whether each run has a "source".
 * A line has "axes", an object of texts; "ranks": the job starts so many itself; "elsewhere": a launcher may start it
 * on other machines. The answer has "words" of the job's command line, "defaults", the names of axes whose values are
 * the default, "threads" that are busy in each rank, and "why" the configuration is not legal, or why its job "cannot"
 * run. */
int cli_check_study(const cli_args *args);

#endif
