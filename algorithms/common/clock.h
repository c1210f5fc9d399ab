/* clock.h - time that is cheap to read.
 *
 * Room: ticks, for differences within a run; how long one is, is found by comparing with a clock over the whole run. */
#ifndef SCREE__CLOCK_H
#define SCREE__CLOCK_H
#include <stdint.h>
#include <time.h>

static inline double scree__seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline uint64_t scree__ticks(void) {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return (uint64_t)(1e9 * scree__seconds());
#endif
}

#endif
