/* bind.h - the cores that a process may use, and its ranks on them. The numbers of cpus are those of /sys, not of
 * hwloc, whose discovery of the machine takes longer than a short job. */
#ifndef SCREE__BIND_H
#define SCREE__BIND_H
#include <stdbool.h>
#include <stdint.h>

/* Cores of which the calling thread may use a cpu; 0: unknown. */
uint32_t scree__bind_cores(void);
/* Binds the calling thread, and the threads that it makes, to cores of its own: `index` of `of` ranks on the cores that
 * it may use. False: there are fewer than `threads` for each rank, or the system refuses; nothing has changed. */
bool scree__bind_rank(uint32_t index, uint32_t of, uint32_t threads);
#endif
