/* sockets.h - which socket (processor package) a thread is on. */
#ifndef SCREE__SOCKETS_H
#define SCREE__SOCKETS_H
#include <stdint.h>

#include "thread/units.h"

enum { SCREE__SOCKETS_MAX = 16 };

typedef struct {
  uint32_t count; /* of the machine, as far as the calling thread may run on them; at least 1 */
  uint32_t cpus;
  uint8_t of[]; /* cpu -> socket */
} scree__sockets;

/* By /sys, without which there is one. NULL: no memory, or the machine has more than SCREE__SOCKETS_MAX. To be freed by
 * free. */
scree__sockets *scree__sockets_find(void);
/* The same of these CPUs, which are sorted by package. */
scree__sockets *scree__sockets_of(const scree__unit *units, uint32_t count);

/* Of the calling thread, now. */
uint32_t scree__sockets_here(const scree__sockets *sockets);
#endif
