/* package.h - sweep, report and tune: a Python package, which this process becomes. */
#ifndef CLI_PACKAGE_H
#define CLI_PACKAGE_H
#include <limits.h>

#include "args/args.h"

/* Executes the package; returns an exit code only if it cannot. */
int cli_package(const cli_args *args);

/* A part of the package: beside the program, as in a build directory; or where it was installed, moved along with it or
 * not. False: there is none. */
bool package_find(const char *part, char path[PATH_MAX]);

#endif
