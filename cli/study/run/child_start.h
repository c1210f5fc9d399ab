/* child_start.h - starts a job and its guard; private to child.c.
 *
 * The guard is the leader of the process group of the job: a process that only waits for the end of a pipe that this
 * process holds open. */
#ifndef STUDY_CHILD_START_H
#define STUDY_CHILD_START_H
#include <sys/types.h>

enum { STUDY_TERM_SECONDS = 5 }; /* what is told to end has so long */

typedef struct {
  pid_t guard, pid; /* guard: also the process group */
  int alive;        /* the guard waits for its end */
  int pidfd;        /* readable when the job has ended; -1 on kernels before 5.3 */
  int output[2];    /* what the job writes: standard output and error */
} study_process;

/* Starts the job; 0, or an errno, and then the job does not run: guard, if above 0, and pid are to be waited for. The
 * descriptors are the caller's to close. */
int study_start(study_process *p, char *const *argv, char *const *env);
/* Closes it unless it is -1, which it is then. */
void study_close_fd(int *fd);

#endif
