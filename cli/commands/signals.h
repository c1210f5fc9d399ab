/* signals.h - signal handlers of the command; the library installs none.
 *
 * SIGUSR1 prints the report of every world. A signal that ends the process, such as SIGINT, SIGTERM, SIGHUP or SIGPIPE,
 * does so as usual, after files that are not complete were removed; for SIGTERM a line is printed first. SIGBUS, which
 * comes where a mapped file has become shorter, prints one line; the exit code is 1. */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H
#include <stdint.h>

/* Installs the handlers in a process that a launcher started as that rank. Local. */
void cli_install_signals(uint32_t rank, uint32_t ranks);
/* Installs them in a process that starts ranks, or is the only one. Processes that it forks keep the handlers, but do
 * not print its line. Local. */
void cli_install_own_signals(void);
/* From now on SIGTERM prints nothing: this process has finished its work. Local. */
void cli_end_signals(void);

#endif
