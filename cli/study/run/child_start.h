/* child_start.h - starts a job and its guard; private to child.c.
 *
 * The guard is the leader of the process group of the job: a process that only waits for the end of a pipe that this
 * process holds open. */
#ifndef STUDY_CHILD_START_H
#define STUDY_CHILD_START_H
#include <sys/types.h>

enum { STUDY_TERM_SECONDS = 5 }; /* between SIGTERM and SIGKILL */

typedef struct {
  pid_t guard, pid; /* guard: also the id of the process group */
  int alive;        /* the pipe whose end the guard waits for */
  int pidfd;        /* readable when the job has ended; -1 on kernels before 5.3 */
  int output[2];    /* standard output and error of the job */
} study_process;

/* Starts the job. 0, or an errno: the job does not run. In both cases the caller waits for guard and pid, if above 0, and
 * closes the descriptors. */
int study_start(study_process *p, char *const *argv, char *const *env);
/* Closes the descriptor unless it is -1, and sets it to -1. */
void study_close_fd(int *fd);

#endif
