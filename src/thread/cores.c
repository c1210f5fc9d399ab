/* cores.c - cores that threads may run on, and are on: what the system reports of the calling thread. */
#include <sched.h>

#include "base/hash.h"
#include "thread/sockets.h"
#include "thread/thread.h"

uint64_t scree__thread_allowed_hash(void) {
  cpu_set_t set;
  uint64_t hash = 1;
  if (sched_getaffinity(0, sizeof set, &set)) return 0;
  for (uint32_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
    if (CPU_ISSET(cpu, &set)) hash = scree__hash_draw(hash, cpu);
  return hash;
}

uint32_t scree__pin_core(scree__core_share share, uint32_t count, uint32_t cores, uint32_t i) {
  const uint64_t of = share.of ? share.of : 1;
  if (of * count <= cores) return (uint32_t)((uint64_t)share.index * cores / of) + i;
  return (uint32_t)(((uint64_t)share.index * (count - 1) + i) % cores);
}

/* A cpu that was added later counts as of the first socket. */
uint32_t scree__sockets_here(const scree__sockets *sockets) {
  const int cpu = sched_getcpu();
  return cpu >= 0 && (uint32_t)cpu < sockets->cpus ? sockets->of[cpu] : 0;
}
