/* child_start.c - starts a job and its guard.
 *
 * However this process ends, its end of the pipe to the guard is closed, and the guard then ends the job with
 * everything in its process group. */
#include "study/run/child_start.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

void study_close_fd(int *fd) {
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

/* ---- guard ---- */

/* A descriptor that is readable when the process has ended; -1: kernels before 5.3 have none. */
static int open_pidfd(pid_t pid) {
#ifdef SYS_pidfd_open
  return (int)syscall(SYS_pidfd_open, pid, 0);
#else
  return (void)pid, -1;
#endif
}

/* Keeps only the pipe open: neither the lock on the results nor a pipe that another process reads to its end. */
static void close_all_but(int fd) {
  dup2(fd, 0);
  for (int i = 1; i < 1024; i++) close(i);
}

static _Noreturn void guard(int alive) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
  if (setpgid(0, 0)) _exit(1);
  close_all_but(alive);
  pid_t pid = 0; /* of the job; without it, or without a pidfd, the guard waits for the full time */
  ssize_t n = read(0, &pid, sizeof pid);
  while (n > 0) n = read(0, &(char){0}, 1);
  kill(0, SIGTERM);
  poll(&(struct pollfd){pid ? open_pidfd(pid) : -1, POLLIN, 0}, 1, STUDY_TERM_SECONDS * 1000);
  kill(0, SIGKILL);
  _exit(0);
}

/* ---- start ---- */

/* The job must not inherit which signals this process handles, ignores or blocks. */
static void reset_signals(void) {
  sigset_t none;
  sigemptyset(&none);
  for (int i = 1; i < NSIG; i++)
    if (i != SIGKILL && i != SIGSTOP) signal(i, SIG_DFL);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

static _Noreturn void become(char *const *argv, char *const *env, pid_t group, const int *ends, int failed) {
  int null = open("/dev/null", O_RDONLY);
  int error = 0;
  if (setpgid(0, group)) _exit(127); /* the guard is gone, so the job must not run */
  if (null < 0 || dup2(null, 0) < 0 || dup2(ends[0], 1) < 0 || dup2(ends[1], 2) < 0) error = errno;
  for (size_t i = 0; env && env[i]; i++)
    if (putenv(env[i])) error = errno;
  reset_signals();
  if (!error) {
    execvp(argv[0], argv);
    error = errno;
  }
  if (write(failed, &error, sizeof error) < 0) _exit(126);
  _exit(127);
}

/* A pipe that no other program inherits; descriptors above 2, since 0 to 2 are replaced later. 0, or -1 with errno. */
static int make_pipe(int ends[2]) {
  ends[0] = ends[1] = -1;
  if (pipe2(ends, O_CLOEXEC)) return -1;
  for (int i = 0; i < 2; i++) {
    int high = fcntl(ends[i], F_DUPFD_CLOEXEC, 3);
    if (high < 0) return -1;
    close(ends[i]);
    ends[i] = high;
  }
  return 0;
}

static pid_t start_guard(const int alive[2]) {
  pid_t pid = fork();
  if (pid == 0) {
    close(alive[1]);
    guard(alive[0]);
  }
  if (pid > 0) setpgid(pid, pid); /* here too: the job may start before the guard calls it */
  return pid;
}

/* Sends the pid of the job to the guard. 0, or an errno. SIGPIPE is ignored meanwhile: the guard may be gone. */
static int send_pid(int alive, pid_t pid) {
  const struct sigaction ignore = {.sa_handler = SIG_IGN};
  struct sigaction before;
  sigaction(SIGPIPE, &ignore, &before);
  int error = write(alive, &pid, sizeof pid) < 0 ? errno : 0;
  sigaction(SIGPIPE, &before, NULL);
  return error;
}

/* Returns 0, or an errno. The caller closes all ends. */
static int start(study_process *p, char *const *argv, char *const *env, int alive[2], int out[2], int err[2],
                 int failed[2]) {
  if (make_pipe(alive) || make_pipe(out) || make_pipe(err) || make_pipe(failed)) return errno;
  p->guard = start_guard(alive);
  if (p->guard < 0) return errno;
  p->pid = fork();
  if (p->pid < 0) return errno;
  if (p->pid == 0) become(argv, env, p->guard, (int[]){out[1], err[1]}, failed[1]);
  setpgid(p->pid, p->guard);
  int error = send_pid(alive[1], p->pid);
  study_close_fd(&failed[1]);
  while (read(failed[0], &error, sizeof error) < 0 && errno == EINTR)
    ;
  return error;
}

int study_start(study_process *p, char *const *argv, char *const *env) {
  int alive[2] = {-1, -1}, out[2] = {-1, -1}, err[2] = {-1, -1}, failed[2] = {-1, -1};
  int error = start(p, argv, env, alive, out, err, failed);
  for (int i = 0; i < 2; i++) study_close_fd(&failed[i]);
  study_close_fd(&alive[0]);
  study_close_fd(&out[1]);
  study_close_fd(&err[1]);
  p->alive = alive[1];
  p->output[0] = out[0];
  p->output[1] = err[0];
  p->pidfd = error ? -1 : open_pidfd(p->pid);
  for (int i = 0; i < 2; i++)
    if (p->output[i] >= 0) fcntl(p->output[i], F_SETFL, O_NONBLOCK);
  return error;
}
