/* machine.c - numbers of this machine: cores, and a graph size that fits. */
#include "package/machine.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/host.h"

enum { CPUS = 8192 };
typedef struct {
  cpu_set_t part[CPUS / CPU_SETSIZE];
} cpus; /* a cpu_set_t alone holds fewer */

static bool is_in(const cpus *set, int cpu) {
  return CPU_ISSET_S((size_t)cpu, sizeof set->part, set->part);
}

/* The first allowed hardware thread on the core of `cpu`. */
static int first_of_core(int cpu, const cpus *allowed) {
  char name[96], line[256] = "";
  snprintf(name, sizeof name, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
  FILE *file = fopen(name, "re");
  if (file && !fgets(line, sizeof line, file)) line[0] = 0;
  if (file) fclose(file);
  for (char *at = line, *end; *at; at = *end ? end + 1 : end) {
    long from = strtol(at, &end, 10), to = from;
    if (end == at) break;
    if (*end == '-') to = strtol(end + 1, &end, 10);
    for (; from <= to && from < CPUS; from++)
      if (from >= 0 && is_in(allowed, (int)from)) return (int)from;
  }
  return cpu;
}

uint64_t package_cores(void) {
  static uint64_t cores;
  cpus allowed = {0};
  if (cores || sched_getaffinity(0, sizeof allowed, allowed.part)) return cores ? cores : 1;
  for (int i = 0; i < CPUS; i++)
    if (is_in(&allowed, i)) cores += first_of_core(i, &allowed) == i;
  return cores ? cores : 1;
}

uint64_t package_fit(void) {
  const uint64_t bytes_per_vertex = 1500;
  uint64_t fit = 17, left = scree__memory_left("") / 2;
  for (uint64_t cores = package_cores(); cores > 1; cores /= 2) fit++;
  while (fit > 1 && bytes_per_vertex << fit > left) fit--;
  return fit;
}
