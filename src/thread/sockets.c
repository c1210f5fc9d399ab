/* sockets.c - the sockets of the machine. */
#include "thread/sockets.h"

#include <stdbool.h>
#include <stdlib.h>

#include "thread/units.h"

scree__sockets *scree__sockets_of(const scree__unit *units, uint32_t count) {
  scree__sockets *s = calloc(1, sizeof *s + CPU_SETSIZE);
  for (uint32_t i = 0; s && i < count; i++) {
    s->count += i == 0 || units[i].package != units[i - 1].package;
    s->of[units[i].cpu] = (uint8_t)(s->count - 1);
    if (units[i].cpu >= s->cpus) s->cpus = units[i].cpu + 1;
  }
  const bool known = s && s->count > 0 && s->count <= SCREE__SOCKETS_MAX;
  if (!known) free(s);
  return known ? s : NULL;
}

scree__sockets *scree__sockets_find(void) {
  scree__unit *units = calloc(CPU_SETSIZE, sizeof *units);
  scree__sockets *s = units ? scree__sockets_of(units, scree__units_list(units)) : NULL;
  free(units);
  return s;
}
