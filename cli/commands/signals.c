/* signals.c - signal handlers of the command.
 *
 * The handlers are async-signal-safe: they write a prepared line or set a flag. */
#include "commands/signals.h"

#include <scree/scree.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "io/unfinished.h"

static char line[256]; /* prepared, since handlers must not format */
static size_t line_bytes;
static volatile pid_t speaker; /* the process that prints it */
static bool in_job;            /* of several ranks, which a launcher started */
static const char cut[] =
    "scree: a file that is mapped became shorter, or its disk failed: it must stay as it is while it is in use\n";

/* Open MPI 5 kills all ranks of a job as soon as its SIGTERM has ended one of them: each leaves the others time to
 * remove their files. */
static void wait_for_others(void) {
  nanosleep(&(const struct timespec){.tv_nsec = 100000000}, NULL);
}

static void on_end(int number) {
  scree__unfinished_remove();
  if (number == SIGTERM && getpid() == speaker && write(STDERR_FILENO, line, line_bytes) < 0) _exit(128 + number);
  if (number == SIGTERM && in_job) wait_for_others();
  signal(number, SIG_DFL);
  raise(number);
}

/* An image is used in place; SIGBUS means that its pages are gone. */
static void on_bus(int number) {
  scree__unfinished_remove();
  _exit(write(STDERR_FILENO, cut, sizeof cut - 1) < 0 ? 128 + number : 1);
}

static void on_usr1(int number) {
  (void)number;
  scree_report_request();
}

/* Signals that the process was started to ignore, as by nohup, stay ignored. */
static void install(void) {
  static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU, SIGXFSZ};
  struct sigaction end = {.sa_handler = on_end}, bus = {.sa_handler = on_bus},
                   report = {.sa_handler = on_usr1, .sa_flags = SA_RESTART}, is;
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    if (sigaction(ends[i], NULL, &is) || is.sa_handler != SIG_IGN) sigaction(ends[i], &end, NULL);
  sigaction(SIGBUS, &bus, NULL);
  sigaction(SIGUSR1, &report, NULL);
  line_bytes = strlen(line);
  speaker = getpid();
}

void cli_install_signals(uint32_t rank, uint32_t ranks) {
  snprintf(line, sizeof line, "scree: rank %u of %u, process %ld: ended by SIGTERM%s\n", rank, ranks, (long)getpid(),
           ranks == 1 ? "" : ", which the launcher sends to all ranks when one of them has died or its time is over");
  in_job = ranks > 1;
  install();
}

void cli_install_own_signals(void) {
  snprintf(line, sizeof line, "scree: process %ld: ended by SIGTERM\n", (long)getpid());
  install();
}

void cli_end_signals(void) {
  speaker = 0;
}
