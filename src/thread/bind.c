/* bind.c - cores and affinity, as the system reports them. */
#include "thread/bind.h"

#include <sched.h>
#include <stdio.h>

enum { NONE = CPU_SETSIZE };

/* What the calling thread may use. */
typedef struct {
  uint32_t core[CPU_SETSIZE];   /* of each cpu: the first cpu of its core; NONE: not to be used */
  uint32_t number[CPU_SETSIZE]; /* of such a first cpu: that of its core */
  uint32_t cores;
} machine;

/* Without /sys each cpu is a core. */
static uint32_t core_of(uint32_t cpu) {
  char path[96];
  uint32_t first;
  snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/topology/thread_siblings_list", cpu);
  FILE *file = fopen(path, "re");
  if (!file || fscanf(file, "%u", &first) != 1 || first >= NONE) first = cpu;
  if (file) fclose(file);
  return first;
}

static void look(machine *m) {
  cpu_set_t allowed;
  const bool known = sched_getaffinity(0, sizeof allowed, &allowed) == 0;
  m->cores = 0;
  for (uint32_t cpu = 0; cpu < NONE; cpu++) m->number[cpu] = NONE;
  for (uint32_t cpu = 0; cpu < NONE; cpu++) {
    m->core[cpu] = known && CPU_ISSET(cpu, &allowed) ? core_of(cpu) : NONE;
    if (m->core[cpu] < NONE && m->number[m->core[cpu]] == NONE) m->number[m->core[cpu]] = m->cores++;
  }
}

uint32_t scree__bind_cores(void) {
  machine m;
  look(&m);
  return m.cores;
}

bool scree__bind_rank(uint32_t index, uint32_t of, uint32_t threads) {
  machine m;
  cpu_set_t mine;
  look(&m);
  if (m.cores < (uint64_t)of * threads) return false;
  const uint64_t from = (uint64_t)index * m.cores / of, to = (uint64_t)(index + 1) * m.cores / of;
  CPU_ZERO(&mine);
  for (uint32_t cpu = 0; cpu < NONE; cpu++)
    if (m.core[cpu] < NONE && m.number[m.core[cpu]] >= from && m.number[m.core[cpu]] < to) CPU_SET(cpu, &mine);
  return sched_setaffinity(0, sizeof mine, &mine) == 0;
}
