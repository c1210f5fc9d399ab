/* local_job.c - the parent of ranks: makes them, passes signals on to them, and ends them when one of them has died. */
#include "open/local_job.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "io/say.h"
#include "thread/bind.h"
#include "transport/shm/local.h"

/* ns: time for the other ranks to notice a death, and to end by a signal. */
#define NOTICE UINT64_C(2000000000)
#define HEED   UINT64_C(3000000000)

typedef struct {
  void *shared;   /* of scree__local_bytes, then `outcome` */
  AO_t *outcome;  /* by rank: 0, or 1 + the status when it has finished; relaxed: read when the process has ended */
  pid_t *process; /* by rank; 0: it has ended */
  uint32_t ranks, threads, living;
  bool broken;  /* a rank has died */
  int ended_by; /* the signal that ends the job; 0: none */
  int next;     /* which is sent when the time is over; 0: none */
  uint64_t at;  /* ns: that time */
  sigset_t before, awaited;
  struct sigaction child; /* what the program does with SIGCHLD */
} job;

/* ---- a rank ---- */

static void be_rank(const job *j, uint32_t rank, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1); /* it died before */
  sigaction(SIGCHLD, &j->child, NULL);
  sigprocmask(SIG_SETMASK, &j->before, NULL);
  const int nothing = rank > 0 ? open("/dev/null", O_RDONLY | O_CLOEXEC) : -1;
  if (nothing >= 0 && nothing != STDIN_FILENO) {
    dup2(nothing, STDIN_FILENO);
    close(nothing);
  }
  setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
  scree__bind_rank(rank, j->ranks, j->threads);
  scree__local_enter(j->shared, rank, j->ranks);
}

/* Never returns. Files of stdio are the parent's too, but what is in their buffers is this rank's. */
static void run_rank(job *j, uint32_t rank, pid_t parent, scree__local_fn *fn, void *arg) {
  be_rank(j, rank, parent);
  const scree_status status = fn(arg);
  fflush(NULL);
  AO_store(&j->outcome[rank], 1 + (AO_t)status);
  _exit(0);
}

/* ---- their parent ---- */

static void send_all(const job *j, int signal) {
  for (uint32_t r = 0; r < j->ranks; r++)
    if (j->process[r]) kill(j->process[r], signal);
}

/* Signals are sent in turn until all have ended: `first` at once, or after NOTICE, if it is 0. */
static void end_all(job *j, int first) {
  if (first) send_all(j, first);
  j->next = first ? SIGKILL : SIGTERM;
  j->at = scree__clock_ns() + (first ? HEED : NOTICE);
}

/* A signal from the terminal or a closed pipe is not a failure of the program: then the job ends as a process does. */
static bool ends_the_job(int signal) {
  return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT || signal == SIGPIPE;
}

static void say_death(const job *j, uint32_t rank, pid_t process, int code) {
  char how[96];
  if (WIFSIGNALED(code))
    snprintf(how, sizeof how, "was ended by signal %d (%s)", WTERMSIG(code), strsignal(WTERMSIG(code)));
  else
    snprintf(how, sizeof how, "ended its process with code %d", WEXITSTATUS(code));
  scree__say("scree: rank %u of %u (process %ld) %s before its work was done; the other ranks are ended\n", rank,
             j->ranks, (long)process, how);
}

/* A rank has ended: it has finished, or the job ends. */
static void note_end(job *j, uint32_t rank, int code) {
  const pid_t process = j->process[rank];
  j->process[rank] = 0;
  j->living--;
  if (AO_load(&j->outcome[rank]) || j->broken || j->ended_by) return;
  if (WIFSIGNALED(code) && ends_the_job(WTERMSIG(code))) {
    j->ended_by = WTERMSIG(code);
    end_all(j, SIGTERM);
    return;
  }
  j->broken = true;
  say_death(j, rank, process, code);
  end_all(j, 0);
}

/* Only the ranks: the program may have other children. */
static void reap(job *j) {
  int code;
  for (uint32_t r = 0; r < j->ranks; r++)
    if (j->process[r] && waitpid(j->process[r], &code, WNOHANG) == j->process[r]) note_end(j, r, code);
}

/* The next signal, or 0 when the time of j->at has come. */
static int await_signal(const job *j) {
  int signal = -1;
  while (signal < 0) {
    const uint64_t now = scree__clock_ns(), left = j->next && j->at > now ? j->at - now : 0;
    if (j->next && !left) return 0;
    const struct timespec wait = {(time_t)(left / 1000000000), (long)(left % 1000000000)};
    signal = j->next ? sigtimedwait(&j->awaited, NULL, &wait) : sigwaitinfo(&j->awaited, NULL);
  }
  return signal;
}

static void supervise(job *j) {
  for (reap(j); j->living; reap(j)) {
    const int signal = await_signal(j);
    if (signal == 0) {
      const int next = j->next;
      end_all(j, next);
    } else if (signal == SIGUSR1) {
      send_all(j, signal);
    } else if (signal != SIGCHLD && !j->ended_by) {
      j->ended_by = signal;
      end_all(j, signal);
    }
  }
}

static void refuse(const job *j, uint32_t rank, const char *what, const char *remedy) {
  scree__say("scree: scree_local_run: rank %u of %u: %s: %s: %s, or start fewer ranks\n", rank, j->ranks, what,
             strerror(errno), remedy);
}

/* False: not all ranks could be made, and none is left. */
static bool make_ranks(job *j, scree__local_fn *fn, void *arg) {
  const pid_t parent = getpid();
  fflush(NULL);
  for (uint32_t r = 0; r < j->ranks; r++) {
    const pid_t process = fork();
    if (process == 0) run_rank(j, r, parent, fn, arg);
    if (process > 0) {
      j->process[r] = process;
      j->living++;
      continue;
    }
    refuse(j, r, "no process", "raise the limit of processes (ulimit -u)");
    j->broken = true;
    end_all(j, SIGKILL);
    supervise(j);
    return false;
  }
  return true;
}

static scree_status highest(const job *j) {
  AO_t highest = 0;
  for (uint32_t r = 0; r < j->ranks; r++)
    if (AO_load(&j->outcome[r]) > highest) highest = AO_load(&j->outcome[r]);
  return j->broken || j->ended_by ? SCREE_EPEER : (scree_status)(highest - 1);
}

/* Those that the program ignores stay ignored; but if it ignored SIGCHLD, the end of no child would be reported. */
static void block_signals(job *j) {
  static const int all[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1};
  struct sigaction is;
  sigemptyset(&j->awaited);
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i] == SIGCHLD || sigaction(all[i], NULL, &is) || is.sa_handler != SIG_IGN) sigaddset(&j->awaited, all[i]);
  sigprocmask(SIG_BLOCK, &j->awaited, &j->before);
  sigaction(SIGCHLD, &(struct sigaction){.sa_handler = SIG_DFL}, &j->child);
}

/* The program must not receive a SIGCHLD of a rank: pending ones are dropped. */
static void unblock_signals(const job *j) {
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  while (sigtimedwait(&child, NULL, &(struct timespec){0, 0}) > 0) continue;
  sigaction(SIGCHLD, &j->child, NULL);
  sigprocmask(SIG_SETMASK, &j->before, NULL);
}

static scree_status run_children(job *j, scree__local_fn *fn, void *arg) {
  block_signals(j);
  const bool made = make_ranks(j, fn, arg);
  if (made) supervise(j);
  unblock_signals(j);
  if (j->ended_by) raise(j->ended_by);
  return made ? highest(j) : SCREE_ENOMEM;
}

scree_status scree__local_job(uint32_t ranks, const scree__options *options, scree__local_fn *fn, void *arg) {
  const size_t meeting = scree__local_bytes(ranks), bytes = meeting + ranks * sizeof(AO_t);
  job j = {.ranks = ranks, .threads = scree__options_threads(options), .process = calloc(ranks, sizeof *j.process)};
  j.shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  scree_status status = SCREE_ENOMEM;
  if (j.process && j.shared != MAP_FAILED) {
    j.outcome = (AO_t *)(void *)((char *)j.shared + meeting);
    scree__local_start(j.shared, ranks, options);
    status = run_children(&j, fn, arg);
  } else {
    refuse(&j, 0, "no shared memory", "free memory on this host");
  }
  if (j.shared != MAP_FAILED) munmap(j.shared, bytes);
  free(j.process);
  return status;
}
