/* units.h - the CPUs that a thread may run on, and which of them are of one core, or of one socket. */
#ifndef SCREE__UNITS_H
#define SCREE__UNITS_H
#include <sched.h>
#include <stdint.h>

typedef struct {
  uint32_t package, core, cpu; /* core: its first CPU, since numbers of cores are those of a die */
} scree__unit;

/* Those of the calling thread, at most CPU_SETSIZE: neighbours are of one core, then of one package. Returns how many;
 * 0: unknown, with errno. */
uint32_t scree__units_list(scree__unit *units);
#endif
