/* signals.h - what the command does on signals: the library itself installs no handler.
 *
 * Room: SIGUSR1 prints the report of every world; SIGTERM says a line and ends as before. */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H
#include <stdint.h>

/* Installs the handlers for this process, which is that rank. Local. */
void cli_install_signals(uint32_t rank, uint32_t ranks);

#endif
