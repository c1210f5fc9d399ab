/* trace.h - the option --trace: a timeline of the whole job, in a file that rank 0 writes. */
#ifndef CLI_TRACE_H
#define CLI_TRACE_H
#include <stdio.h>

#include "args/args.h"
#include "io/output_file.h"

typedef struct {
  FILE *to; /* on rank 0, until it is closed; NULL: no trace */
  scree__output_file file;
} cli_trace;

/* Opens the file and begins the trace, if the command line requests it. Collective; returns 0, or the exit code. */
int cli_trace_begin(const cli_args *args, scree_world *world, cli_trace *trace);
/* After the command, whose exit code is `code`: ends the trace and gives the file its name, unless the input was
 * refused; before scree_close, so that no rank ends, and no launcher kills rank 0, while it writes. Collective; returns
 * the exit code of the job. */
int cli_trace_end(const cli_args *args, scree_world *world, cli_trace *trace, int code);

#endif
