/* clock.h - time: nanoseconds and seconds of the monotonic clock, and ticks that are cheap to read. Ticks serve for
 * differences within a run; their length is found by comparing with a clock over the whole run. */
#ifndef SCREE__CLOCK_H
#define SCREE__CLOCK_H
#include <stdint.h>
#include <time.h>

static inline uint64_t scree__clock_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

static inline double scree__seconds(void) {
  return 1e-9 * (double)scree__clock_ns();
}

static inline uint64_t scree__ticks(void) {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return scree__clock_ns();
#endif
}

#endif
