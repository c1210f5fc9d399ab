/* signals.h - signal handlers of the command; the library installs none.
 *
 * SIGUSR1 prints the report of every world. SIGTERM prints one line and then terminates the process as usual. SIGBUS,
 * which comes where a mapped file has become shorter, prints one line; the exit code is 1. */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H
#include <stdint.h>

/* Installs the handlers for this process, which is that rank. Local. */
void cli_install_signals(uint32_t rank, uint32_t ranks);

#endif
