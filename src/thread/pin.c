/* pin.c - binds threads to cores, by hwloc. */
#include <errno.h>
#include <hwloc.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "thread/thread.h"

/* The machine, reduced to what the calling thread may run on. */
static bool load(hwloc_topology_t *machine) {
  if (hwloc_topology_init(machine)) return false;
  hwloc_cpuset_t mine = hwloc_bitmap_alloc();
  bool loaded = mine && hwloc_topology_load(*machine) == 0 &&
                hwloc_get_cpubind(*machine, mine, HWLOC_CPUBIND_THREAD) == 0 &&
                hwloc_topology_restrict(*machine, mine, 0) == 0;
  hwloc_bitmap_free(mine);
  if (!loaded) hwloc_topology_destroy(*machine);
  return loaded;
}

/* The sets of all ranks' threads, far apart: neighbours are of different ranks. */
static bool scattered(hwloc_topology_t machine, hwloc_cpuset_t *sets, uint32_t count, scree__core_share share) {
  const uint32_t of = share.of ? share.of : 1, total = of * count;
  hwloc_obj_t root = hwloc_get_root_obj(machine);
  hwloc_cpuset_t *all = calloc(total, sizeof *all);
  const bool chosen = all && hwloc_distrib(machine, &root, 1, all, total, INT_MAX, 0) == 0;
  for (uint32_t i = 0; chosen && i < count; i++) sets[i] = hwloc_bitmap_dup(all[i * of + share.index]);
  for (uint32_t i = 0; chosen && i < total; i++) hwloc_bitmap_free(all[i]);
  free(all);
  return chosen;
}

/* One set for each thread, to be freed by hwloc_bitmap_free. */
static bool choose(hwloc_topology_t machine, hwloc_cpuset_t *sets, uint32_t count, scree__core_share share,
                   bool scatter) {
  const int cores = hwloc_get_nbobjs_by_type(machine, HWLOC_OBJ_CORE),
            units = hwloc_get_nbobjs_by_type(machine, HWLOC_OBJ_PU);
  const hwloc_obj_type_t type = cores > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
  const uint32_t found = (uint32_t)(cores > 0 ? cores : units);
  if (units < 1) return false;
  if (scatter && (uint64_t)count * share.of <= (uint64_t)units) return scattered(machine, sets, count, share);
  for (uint32_t i = 0; i < count; i++)
    sets[i] = hwloc_bitmap_dup(hwloc_get_obj_by_type(machine, type, scree__pin_core(share, count, found, i))->cpuset);
  return true;
}

static bool bind_all(hwloc_topology_t machine, const pthread_t *threads, uint32_t count, const hwloc_cpuset_t *sets) {
  bool bound = true;
  for (uint32_t i = 1; i < count && bound; i++)
    bound = sets[i] && hwloc_set_thread_cpubind(machine, threads[i], sets[i], 0) == 0;
  return bound;
}

bool scree__thread_pin(const pthread_t *threads, uint32_t count, scree__core_share share, bool scatter, char *why,
                       size_t size) {
  hwloc_topology_t machine;
  hwloc_cpuset_t *sets = calloc(count, sizeof(hwloc_cpuset_t));
  bool loaded = sets && load(&machine);
  bool bound = loaded && choose(machine, sets, count, share, scatter) && bind_all(machine, threads, count, sets);
  if (!bound) snprintf(why, size, "threads cannot be bound to cores: %s: set the option pin to off", strerror(errno));
  for (uint32_t i = 0; loaded && i < count; i++)
    if (sets[i]) hwloc_bitmap_free(sets[i]);
  if (loaded) hwloc_topology_destroy(machine);
  free(sets);
  return bound;
}
