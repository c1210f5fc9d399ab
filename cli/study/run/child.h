/* child.h - runs one job in a process group of its own, with a time limit, and collects its output. */
#ifndef STUDY_CHILD_H
#define STUDY_CHILD_H
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct {
  int exit;       /* exit code; 128 + number if a signal ended it; -1: it could not be started, err has the reason */
  bool timed_out; /* got SIGUSR1 to report, 3 s later SIGTERM, 5 s later SIGKILL */
  bool stopped;   /* *stop was set: ended, by SIGTERM first */
  double seconds;
  char *out, *err; /* standard output (first 16 MiB) and error (last 64 KiB), ending with 0 */
} study_outcome;

/* Runs argv in a process group of its own, with env (NAME=VALUE) added to the environment and standard input from
 * /dev/null, and waits. However this process ends, a guard process ends the job too. A signal handler may set `*stop`.
 * `tick`, if not NULL, is called about ten times per second. The caller frees out and err. */
study_outcome study_child_run(char *const *argv, char *const *env, double timeout, volatile const sig_atomic_t *stop,
                              void (*tick)(void *arg), void *arg);

#endif
