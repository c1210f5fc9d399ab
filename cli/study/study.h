/* study.h - the subcommands that launch others, or read what they left.
 *
 * Their entries. They are plain processes: MPI is not initialised. */
#ifndef STUDY_H
#define STUDY_H
#include "args/args.h"

/* Each returns the exit code: 0 all well; 1 something failed (of a sweep: at least one run); 2 bad usage or input;
 * 130 stopped by Ctrl-C. */
int study_sweep(const study_request *request);
int study_tune(const study_request *request);

/* What the help of sweep and tune says beside the tables of options: presets and axes. */
void study_print_help(const cli_subcommand *command, bool all);

#endif
