/* units.c - the cores and sockets of the machine, by /sys. */
#include "thread/units.h"

#include <stdio.h>
#include <stdlib.h>

/* The number with which that file begins. What /sys does not have counts as `unknown`. */
static uint32_t topology(uint32_t cpu, const char *what, uint32_t unknown) {
  char path[96];
  unsigned value = unknown;
  snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/topology/%s", cpu, what);
  FILE *file = fopen(path, "r");
  if (!file) return unknown;
  if (fscanf(file, "%u", &value) != 1) value = unknown;
  fclose(file);
  return value;
}

static int compare(const void *a, const void *b) {
  const scree__unit *x = a, *y = b;
  if (x->package != y->package) return x->package < y->package ? -1 : 1;
  if (x->core != y->core) return x->core < y->core ? -1 : 1;
  return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

uint32_t scree__units_list(scree__unit *units) {
  cpu_set_t set;
  uint32_t count = 0;
  if (sched_getaffinity(0, sizeof set, &set)) return 0;
  for (uint32_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
    if (CPU_ISSET(cpu, &set))
      units[count++] =
          (scree__unit){topology(cpu, "physical_package_id", 0), topology(cpu, "thread_siblings_list", cpu), cpu};
  qsort(units, count, sizeof *units, compare);
  return count;
}
