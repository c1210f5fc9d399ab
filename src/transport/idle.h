/* idle.h - what a rank does that has nothing to do, outside the simulator.
 *
 * Room: the clock, and spin, then yield, then nap: never a wait inside MPI. */
#ifndef SCREE__IDLE_H
#define SCREE__IDLE_H
#include <sched.h>
#include <stdint.h>
#include <time.h>

enum { SCREE__YIELDS = 4096, SCREE__NAP_NS = 20000 };

static inline uint64_t scree__clock(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return (uint64_t)at.tv_sec * UINT64_C(1000000000) + (uint64_t)at.tv_nsec;
}

static inline void scree__cpu_pause(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("yield");
#endif
}

/* `round` counts idle polls since something moved; `spin` is the option of that name. */
static inline void scree__idle(uint32_t round, uint64_t spin) {
  if (round < spin) {
    scree__cpu_pause();
  } else if (round < spin + SCREE__YIELDS) {
    sched_yield();
  } else {
    struct timespec nap = {0, SCREE__NAP_NS};
    nanosleep(&nap, NULL);
  }
}
#endif
