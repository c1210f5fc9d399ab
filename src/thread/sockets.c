/* sockets.c - finds the sockets of the machine, by hwloc. */
#include "thread/sockets.h"

#include <hwloc.h>
#include <stdlib.h>

static scree__sockets *list(hwloc_topology_t machine, int packages) {
  const int last = hwloc_bitmap_last(hwloc_topology_get_topology_cpuset(machine));
  if (packages < 1 || packages > SCREE__SOCKETS_MAX || last < 0) return NULL;
  scree__sockets *s = calloc(1, sizeof *s + (size_t)last + 1);
  if (!s) return NULL;
  s->count = (uint32_t)packages;
  s->cpus = (uint32_t)last + 1;
  for (int p = 0; p < packages; p++) {
    const hwloc_obj_t package = hwloc_get_obj_by_type(machine, HWLOC_OBJ_PACKAGE, (unsigned)p);
    int cpu = hwloc_bitmap_first(package->cpuset);
    for (; cpu >= 0; cpu = hwloc_bitmap_next(package->cpuset, cpu)) s->of[cpu] = (uint8_t)p;
  }
  return s;
}

scree__sockets *scree__sockets_find(void) {
  hwloc_topology_t machine;
  hwloc_cpuset_t mine = hwloc_bitmap_alloc();
  scree__sockets *found = NULL;
  if (mine && hwloc_topology_init(&machine) == 0) {
    if (hwloc_topology_load(machine) == 0 && hwloc_get_cpubind(machine, mine, HWLOC_CPUBIND_THREAD) == 0 &&
        hwloc_topology_restrict(machine, mine, 0) == 0)
      found = list(machine, hwloc_get_nbobjs_by_type(machine, HWLOC_OBJ_PACKAGE));
    hwloc_topology_destroy(machine);
  }
  hwloc_bitmap_free(mine);
  return found;
}
