/* check.h - scree check: what this program says of configurations of a study, before any of them runs. */
#ifndef CLI_CHECK_H
#define CLI_CHECK_H
#include "args/args.h"

/* Reads JSON Lines from standard input and answers each by a line, after a first line on this program. Returns the exit
 * code.
 *
 * A line with "axes", an object of texts, is a configuration; "ranks": the job starts so many itself; "elsewhere": a
 * launcher may start it on other machines. The answer has "words" of the job's command line, "defaults", the names of
 * axes whose values are the default, "threads" that are busy in each rank, and "why" the configuration is not legal, or
 * why its job "cannot" run.
 * A line with "tune", a kernel, and "delta", the width that its default chose (0: none), asks for what tuning tries:
 * "axes" as lines of a sweep file, and whether each run has a "source"; or "why" it is not legal. */
int cli_check_study(const cli_args *args);

#endif
