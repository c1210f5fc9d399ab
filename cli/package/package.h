/* package.h - sweep, report and tune: a Python package, which this process becomes. */
#ifndef CLI_PACKAGE_H
#define CLI_PACKAGE_H
#include "args/args.h"

/* Executes the package; returns an exit code only if it cannot. */
int cli_package(const cli_args *args);

#endif
