/* pin.c - binds threads to cores. */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "thread/thread.h"
#include "thread/units.h"

static bool same_core(const scree__unit *a, const scree__unit *b) {
  return a->package == b->package && a->core == b->core;
}

static uint32_t count_cores(const scree__unit *units, uint32_t count) {
  uint32_t cores = 0;
  for (uint32_t i = 0; i < count; i++) cores += i == 0 || !same_core(&units[i - 1], &units[i]);
  return cores;
}

/* All CPUs of the core of that number. */
static cpu_set_t core_set(const scree__unit *units, uint32_t count, uint32_t number) {
  cpu_set_t set;
  CPU_ZERO(&set);
  uint32_t core = 0;
  for (uint32_t i = 0; i < count; i++) {
    core += i > 0 && !same_core(&units[i - 1], &units[i]);
    if (core == number) CPU_SET(units[i].cpu, &set);
  }
  return set;
}

/* That part of all units, of `of` equal ones: the threads of all ranks are far apart, and neighbours of different
 * ranks. */
static cpu_set_t part_set(const scree__unit *units, uint32_t count, uint32_t part, uint32_t of) {
  cpu_set_t set;
  CPU_ZERO(&set);
  const uint32_t end = (uint32_t)((uint64_t)(part + 1) * count / of);
  for (uint32_t i = (uint32_t)((uint64_t)part * count / of); i < end; i++) CPU_SET(units[i].cpu, &set);
  return set;
}

bool scree__thread_pin(const pthread_t *threads, uint32_t count, scree__core_share share, bool scatter, char *why,
                       size_t size) {
  scree__unit *units = calloc(CPU_SETSIZE, sizeof *units);
  const uint32_t found = units ? scree__units_list(units) : 0, cores = count_cores(units, found),
                 of = share.of ? share.of : 1;
  int error = found ? 0 : errno;
  scatter = scatter && (uint64_t)count * of <= found;
  for (uint32_t i = 1; i < count && !error; i++) {
    const cpu_set_t set = scatter ? part_set(units, found, i * of + share.index, count * of)
                                  : core_set(units, found, scree__pin_core(share, count, cores, i));
    error = pthread_setaffinity_np(threads[i], sizeof set, &set);
  }
  free(units);
  if (error) snprintf(why, size, "threads cannot be bound to cores: %s: set the option pin to off", strerror(error));
  return !error;
}
