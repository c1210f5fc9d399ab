/* signals.c - signal handlers of the command.
 *
 * The handlers are async-signal-safe: they write a prepared line or set a flag. */
#include "commands/signals.h"

#include <scree/scree.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char line[256]; /* prepared, since handlers must not format */
static size_t line_bytes;
static const char cut[] =
    "scree: a file that is mapped became shorter, or its disk failed: it must stay as it is while it is in use\n";

static void on_term(int number) {
  if (write(STDERR_FILENO, line, line_bytes) < 0) _exit(128 + number);
  signal(number, SIG_DFL);
  raise(number);
}

/* An image is used in place; SIGBUS means that its pages are gone. */
static void on_bus(int number) {
  _exit(write(STDERR_FILENO, cut, sizeof cut - 1) < 0 ? 128 + number : 1);
}

static void on_usr1(int number) {
  (void)number;
  scree_report_request();
}

void cli_install_signals(uint32_t rank, uint32_t ranks) {
  snprintf(line, sizeof line, "scree: rank %u of %u, process %ld: ended by SIGTERM%s\n", rank, ranks, (long)getpid(),
           ranks == 1 ? "" : ", which the launcher sends to all ranks when one of them has died or its time is over");
  line_bytes = strlen(line);
  struct sigaction term = {.sa_handler = on_term}, bus = {.sa_handler = on_bus},
                   report = {.sa_handler = on_usr1, .sa_flags = SA_RESTART};
  sigaction(SIGTERM, &term, NULL);
  sigaction(SIGBUS, &bus, NULL);
  sigaction(SIGUSR1, &report, NULL);
}
