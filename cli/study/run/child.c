/* child.c - watches one job: its output, its deadlines and its end. */
#include "study/run/child.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "study/run/child_start.h"

enum { OUT_MOST = 16 << 20, ERR_MOST = 64 << 10, TICK_MS = 100 };

/* Time limits: for the report, after SIGTERM, and for output that other processes hold open after the job has ended. */
static const double report_seconds = 3, term_seconds = STUDY_TERM_SECONDS, drain_seconds = 0.5;

typedef struct {
  int fd;
  char *text;
  size_t bytes, capacity, max;
  bool tail; /* keep the end, else the beginning */
} stream;

typedef enum { RUNS, REPORTS, ENDS, KILLED, GONE } phase;

typedef struct {
  study_process of;
  stream streams[2];
  phase phase;
  double deadline; /* of the phase */
  int status;      /* of waitpid */
} job;

/* ---- output ---- */

/* Makes space for more output. False: the limit is reached, or no memory. */
static bool grow(stream *s) {
  size_t max = s->tail ? 2 * s->max : s->max;
  if (s->bytes < s->capacity) return true;
  if (s->capacity < max) {
    size_t capacity = s->capacity ? 2 * s->capacity : 4096;
    char *text = realloc(s->text, capacity + 1);
    if (!text) return false;
    s->text = text;
    s->capacity = capacity;
    return true;
  }
  if (!s->tail) return false;
  memmove(s->text, s->text + s->bytes - s->max, s->max);
  s->bytes = s->max;
  return true;
}

/* Reads the available output, but bounded, so that a job that writes endlessly cannot prevent the timeout. Output beyond
 * the limit is dropped, so that the job never blocks on the pipe. */
static void drain(stream *s) {
  char dropped[4096];
  for (int i = 0; i < 256 && s->fd >= 0; i++) {
    bool fits = grow(s);
    ssize_t n = read(s->fd, fits ? s->text + s->bytes : dropped, fits ? s->capacity - s->bytes : sizeof dropped);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n <= 0) study_close_fd(&s->fd);
    if (n > 0 && fits) s->bytes += (size_t)n;
  }
}

/* The text, which the caller frees; NULL: no memory. */
static char *finish(stream *s) {
  if (!s->text) return strdup("");
  size_t skip = s->bytes > s->max ? s->bytes - s->max : 0;
  memmove(s->text, s->text + skip, s->bytes - skip);
  s->text[s->bytes - skip] = 0;
  return s->text;
}

/* ---- watch ---- */

static void enter(job *j, phase next, double seconds) {
  j->phase = next;
  j->deadline = scree__seconds() + seconds;
  if (next == REPORTS) kill(j->of.pid, SIGUSR1); /* launchers forward it to the ranks */
  if (next == ENDS) kill(-j->of.guard, SIGTERM);
  if (next == KILLED) kill(-j->of.guard, SIGKILL);
}

/* Called when the time of the phase is up. */
static void next_phase(job *j, study_outcome *outcome) {
  if (j->phase == RUNS) {
    outcome->timed_out = true;
    enter(j, REPORTS, report_seconds);
  } else if (j->phase == REPORTS) {
    enter(j, ENDS, term_seconds);
  } else { /* a process in a system call may take a while to die */
    enter(j, KILLED, term_seconds);
  }
}

static bool over(const job *j) {
  bool closed = j->streams[0].fd < 0 && j->streams[1].fd < 0;
  return j->phase == GONE && (closed || scree__seconds() >= j->deadline);
}

/* Waits for output, the end of the job, or the next tick. */
static void wait_for_event(job *j) {
  struct pollfd fds[3] = {
      {j->streams[0].fd, POLLIN, 0}, {j->streams[1].fd, POLLIN, 0}, {j->phase == GONE ? -1 : j->of.pidfd, POLLIN, 0}};
  double left = (j->deadline - scree__seconds()) * 1e3;
  poll(fds, 3, left < 0 ? 0 : left < TICK_MS ? (int)left + 1 : TICK_MS);
  drain(&j->streams[0]);
  drain(&j->streams[1]);
  if (j->phase != GONE && waitpid(j->of.pid, &j->status, WNOHANG) == j->of.pid) enter(j, GONE, drain_seconds);
}

static void watch(job *j, study_outcome *outcome, double timeout, volatile const sig_atomic_t *stop,
                  void (*tick)(void *arg), void *arg) {
  double ticked = scree__seconds();
  enter(j, RUNS, timeout);
  while (!over(j)) {
    wait_for_event(j);
    if (stop && *stop && j->phase < ENDS) {
      outcome->stopped = true;
      enter(j, ENDS, term_seconds);
    }
    if (j->phase != GONE && scree__seconds() >= j->deadline) next_phase(j, outcome);
    if (!tick || scree__seconds() - ticked < TICK_MS * 1e-3) continue;
    ticked = scree__seconds();
    tick(arg);
  }
}

/* Ends the rest of the group: the guard and processes that the job left behind. */
static void close_job(job *j) {
  if (j->of.guard > 0) {
    kill(-j->of.guard, SIGKILL);
    while (waitpid(j->of.guard, NULL, 0) < 0 && errno == EINTR)
      ;
  }
  study_close_fd(&j->of.alive);
  study_close_fd(&j->of.pidfd);
  for (int i = 0; i < 2; i++) study_close_fd(&j->streams[i].fd);
}

static int exit_code(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

study_outcome study_child_run(char *const *argv, char *const *env, double timeout, volatile const sig_atomic_t *stop,
                              void (*tick)(void *arg), void *arg) {
  job j = {.streams = {{.max = OUT_MOST}, {.max = ERR_MOST, .tail = true}}};
  study_outcome outcome = {.exit = -1};
  double started = scree__seconds();
  int error = study_start(&j.of, argv, env);
  for (int i = 0; i < 2; i++) j.streams[i].fd = j.of.output[i];
  if (!error) {
    watch(&j, &outcome, timeout, stop, tick, arg);
    outcome.exit = exit_code(j.status);
  }
  close_job(&j);
  if (error && j.of.pid > 0)
    while (waitpid(j.of.pid, NULL, 0) < 0 && errno == EINTR)
      ;
  outcome.seconds = scree__seconds() - started;
  outcome.out = finish(&j.streams[0]);
  outcome.err = finish(&j.streams[1]);
  if (!error) return outcome;
  free(outcome.err);
  if (asprintf(&outcome.err, "'%s' could not be started: %s", argv[0], strerror(error)) < 0) outcome.err = NULL;
  return outcome;
}
