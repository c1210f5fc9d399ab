/* child.c - one job, started, watched and ended.
 *
 * Room: see child.h. Beside the job runs a guard, the leader of its process group: a process that only waits for the
 * end of a pipe which this process holds open. However this process ends, the pipe ends, and the guard ends the job,
 * with all that the job started in its group. */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { OUT_MOST = 16 << 20, ERR_MOST = 64 << 10, TICK_MS = 100 };

/* How long what is told to end is waited for, and, once the job is gone, the end of output that others hold open. */
static const double report_seconds = 3, term_seconds = 5, drain_seconds = 0.5;

typedef struct {
  int fd;
  char *text;
  size_t bytes, room, most;
  bool tail; /* the end is kept, else the beginning */
} stream;

typedef enum { RUNS, REPORTS, ENDS, KILLED, GONE } phase;

typedef struct {
  pid_t guard, pid; /* guard: also the process group */
  int alive;        /* the guard waits for its end */
  int pidfd;        /* readable when the job has ended; -1 on kernels before 5.3 */
  stream streams[2];
  phase phase;
  double deadline; /* of the phase */
  int status;      /* of waitpid */
} job;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void close_fd(int *fd) {
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

/* Holds nothing open but its pipe: not the lock on the results, nor a pipe that someone reads to its end. */
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
  pid_t pid = 0; /* the job's; if it is never told, or no descriptor is to be had, the time is waited in full */
  ssize_t n = read(0, &pid, sizeof pid);
  while (n > 0) n = read(0, &(char){0}, 1);
  kill(0, SIGTERM);
  poll(&(struct pollfd){pid ? open_pidfd(pid) : -1, POLLIN, 0}, 1, (int)(term_seconds * 1e3));
  kill(0, SIGKILL);
  _exit(0);
}

/* ---- start ---- */

/* What the job shall not inherit: signals that this process handles, ignores or blocks. */
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
  if (setpgid(0, group)) _exit(127); /* the guard is gone, so this job is not wanted */
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

/* Pipes that no other program inherits; above 2, so that no end is where it is to be put. 0, or -1 with errno. */
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
  if (pid > 0) setpgid(pid, pid); /* here too: the job may come before the guard's own call */
  return pid;
}

/* Tells the guard which process the job is. 0, or an errno. A guard that is gone is no reason to end. */
static int tell_guard(int alive, pid_t pid) {
  const struct sigaction ignore = {.sa_handler = SIG_IGN};
  struct sigaction before;
  sigaction(SIGPIPE, &ignore, &before);
  int error = write(alive, &pid, sizeof pid) < 0 ? errno : 0;
  sigaction(SIGPIPE, &before, NULL);
  return error;
}

/* Returns 0, or an errno. All ends are the caller's to close. */
static int start(job *j, char *const *argv, char *const *env, int alive[2], int out[2], int err[2], int failed[2]) {
  if (make_pipe(alive) || make_pipe(out) || make_pipe(err) || make_pipe(failed)) return errno;
  j->guard = start_guard(alive);
  if (j->guard < 0) return errno;
  j->pid = fork();
  if (j->pid < 0) return errno;
  if (j->pid == 0) become(argv, env, j->guard, (int[]){out[1], err[1]}, failed[1]);
  setpgid(j->pid, j->guard);
  int error = tell_guard(alive[1], j->pid);
  close_fd(&failed[1]);
  while (read(failed[0], &error, sizeof error) < 0 && errno == EINTR)
    ;
  return error;
}

/* Starts the job; 0, or an errno, and then no process is left. */
static int open_job(job *j, char *const *argv, char *const *env) {
  int alive[2] = {-1, -1}, out[2] = {-1, -1}, err[2] = {-1, -1}, failed[2] = {-1, -1};
  int error = start(j, argv, env, alive, out, err, failed);
  for (int i = 0; i < 2; i++) close_fd(&failed[i]);
  close_fd(&alive[0]);
  close_fd(&out[1]);
  close_fd(&err[1]);
  j->alive = alive[1];
  j->streams[0].fd = out[0];
  j->streams[1].fd = err[0];
  j->pidfd = error ? -1 : open_pidfd(j->pid);
  for (int i = 0; i < 2; i++)
    if (j->streams[i].fd >= 0) fcntl(j->streams[i].fd, F_SETFL, O_NONBLOCK);
  return error;
}

/* ---- output ---- */

/* Makes room for more; false: there is none. */
static bool grow(stream *s) {
  size_t most = s->tail ? 2 * s->most : s->most;
  if (s->bytes < s->room) return true;
  if (s->room < most) {
    size_t room = s->room ? 2 * s->room : 4096;
    char *text = realloc(s->text, room + 1);
    if (!text) return false;
    s->text = text;
    s->room = room;
    return true;
  }
  if (!s->tail) return false;
  memmove(s->text, s->text + s->bytes - s->most, s->most);
  s->bytes = s->most;
  return true;
}

/* Reads what is there, up to a bound: who writes without end must not keep this process from its clock. What finds no
 * room is dropped: the job must not wait for it. */
static void drain(stream *s) {
  char dropped[4096];
  for (int i = 0; i < 256 && s->fd >= 0; i++) {
    bool fits = grow(s);
    ssize_t n = read(s->fd, fits ? s->text + s->bytes : dropped, fits ? s->room - s->bytes : sizeof dropped);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n <= 0) close_fd(&s->fd);
    if (n > 0 && fits) s->bytes += (size_t)n;
  }
}

/* The text, which the caller frees; NULL: no memory. */
static char *finish(stream *s) {
  if (!s->text) return strdup("");
  size_t skip = s->bytes > s->most ? s->bytes - s->most : 0;
  memmove(s->text, s->text + skip, s->bytes - skip);
  s->text[s->bytes - skip] = 0;
  return s->text;
}

/* ---- watch ---- */

static void enter(job *j, phase next, double seconds) {
  j->phase = next;
  j->deadline = now() + seconds;
  if (next == REPORTS) kill(j->pid, SIGUSR1); /* a launcher hands it on */
  if (next == ENDS) kill(-j->guard, SIGTERM);
  if (next == KILLED) kill(-j->guard, SIGKILL);
}

/* Moves on from a phase whose time is up. */
static void next_phase(job *j, study_outcome *outcome) {
  if (j->phase == RUNS) {
    outcome->timed_out = true;
    enter(j, REPORTS, report_seconds);
  } else if (j->phase == REPORTS) {
    enter(j, ENDS, term_seconds);
  } else { /* what is in the kernel may take its time to be killed */
    enter(j, KILLED, term_seconds);
  }
}

static bool over(const job *j) {
  bool closed = j->streams[0].fd < 0 && j->streams[1].fd < 0;
  return j->phase == GONE && (closed || now() >= j->deadline);
}

/* Waits for output, the end or the next tick. */
static void wait_a_while(job *j) {
  struct pollfd fds[3] = {
      {j->streams[0].fd, POLLIN, 0}, {j->streams[1].fd, POLLIN, 0}, {j->phase == GONE ? -1 : j->pidfd, POLLIN, 0}};
  double left = (j->deadline - now()) * 1e3;
  poll(fds, 3, left < 0 ? 0 : left < TICK_MS ? (int)left + 1 : TICK_MS);
  drain(&j->streams[0]);
  drain(&j->streams[1]);
  if (j->phase != GONE && waitpid(j->pid, &j->status, WNOHANG) == j->pid) enter(j, GONE, drain_seconds);
}

static void watch(job *j, study_outcome *outcome, double timeout, volatile const bool *stop, void (*tick)(void *arg),
                  void *arg) {
  double ticked = now();
  enter(j, RUNS, timeout);
  while (!over(j)) {
    wait_a_while(j);
    if (stop && *stop && j->phase < ENDS) {
      outcome->stopped = true;
      enter(j, ENDS, term_seconds);
    }
    if (j->phase != GONE && now() >= j->deadline) next_phase(j, outcome);
    if (!tick || now() - ticked < TICK_MS * 1e-3) continue;
    ticked = now();
    tick(arg);
  }
}

/* Ends what is left of the group: the guard, and what the job left behind. */
static void close_job(job *j) {
  if (j->guard > 0) {
    kill(-j->guard, SIGKILL);
    while (waitpid(j->guard, NULL, 0) < 0 && errno == EINTR)
      ;
  }
  close_fd(&j->alive);
  close_fd(&j->pidfd);
  for (int i = 0; i < 2; i++) close_fd(&j->streams[i].fd);
}

static int exit_code(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

study_outcome study_child_run(char *const *argv, char *const *env, double timeout, volatile const bool *stop,
                              void (*tick)(void *arg), void *arg) {
  job j = {.streams = {{.most = OUT_MOST}, {.most = ERR_MOST, .tail = true}}};
  study_outcome outcome = {.exit = -1};
  double started = now();
  int error = open_job(&j, argv, env);
  if (!error) {
    watch(&j, &outcome, timeout, stop, tick, arg);
    outcome.exit = exit_code(j.status);
  }
  close_job(&j);
  if (error && j.pid > 0)
    while (waitpid(j.pid, NULL, 0) < 0 && errno == EINTR)
      ;
  outcome.seconds = now() - started;
  outcome.out = finish(&j.streams[0]);
  outcome.err = finish(&j.streams[1]);
  if (!error) return outcome;
  free(outcome.err);
  if (asprintf(&outcome.err, "'%s' could not be started: %s", argv[0], strerror(error)) < 0) outcome.err = NULL;
  return outcome;
}
