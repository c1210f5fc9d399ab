/* child.h - runs one job in a process group of its own, with a time limit, and collects its output. */
#ifndef STUDY_CHILD_H
#define STUDY_CHILD_H
#include <stdbool.h>
#include <stddef.h>

typedef struct {
  int exit;       /* code; 128 + number if a signal ended it; -1: it could not be started, see err */
  bool timed_out; /* it was told to report (SIGUSR1), given 3 s, then ended: SIGTERM, 5 s later SIGKILL */
  bool stopped;   /* *stop became true: it was ended, SIGTERM first */
  double seconds;
  char *out, *err; /* standard output and error, at most 16 MiB and the last 64 KiB of them; end with 0 */
} study_outcome;

/* Runs argv with env (NAME=VALUE, added to the environment) in a process group of its own, standard input from
 * /dev/null, and waits. The job ends with this process however it ends: a guard beside it sees to that. `*stop` may be set by a
 * signal handler. `tick`, if not NULL, is called some ten times a second. The caller frees out and err. */
study_outcome study_child_run(char *const *argv, char *const *env, double timeout, volatile const bool *stop,
                              void (*tick)(void *arg), void *arg);

#endif
