/* idle.h - what a rank does that has nothing to do, outside the simulator.
 *
 * Room: the clock, and spin, then yield, then nap: never a wait inside MPI. */
#ifndef SCREE__IDLE_H
#define SCREE__IDLE_H
#include <sched.h>
#include <stdint.h>
#include <time.h>

#include "base/clock.h"

/* Nanoseconds: how long to yield, the shortest and the longest nap, and a yield that is dear. */
enum { SCREE__YIELD_FOR = 1000000, SCREE__NAP_LEAST = 20000, SCREE__NAP_MOST = 500000, SCREE__DEAR = 500000 };
enum { SCREE__NO_YIELDS = 20 }; /* times as long as a dear yield took */

static inline void scree__cpu_pause(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("yield");
#endif
}

/* An eighth of the time that nothing has moved: a nap lengthens no wait by more than that, and a rank that has long
 * been idle leaves the cores to others. */
static inline void scree__nap(uint64_t idle) {
  uint64_t ns = idle / 8;
  if (ns < SCREE__NAP_LEAST) ns = SCREE__NAP_LEAST;
  if (ns > SCREE__NAP_MOST) ns = SCREE__NAP_MOST;
  nanosleep(&(struct timespec){0, (long)ns}, NULL);
}

/* `round` counts idle polls since something moved, one by one; `spin` is the option of that name. Yields are bounded by
 * time, not number. Among ranks that poll too a yield takes a microsecond, but next to one that computes the scheduler
 * charges it with a whole slice, milliseconds, where a nap wakes up on time: who has met such a yield naps for a while
 * instead (docs/decisions/0010-idle.md). */
static inline void scree__idle(uint32_t round, uint64_t spin) {
  static _Thread_local uint64_t since, dear_until; /* the first yield of this silence; no yields before */
  if (round < spin) {
    scree__cpu_pause();
    return;
  }
  uint64_t now = scree__clock_ns();
  if (round <= spin + 1) since = now;
  if (now - since >= SCREE__YIELD_FOR || now < dear_until) {
    scree__nap(now - since);
    return;
  }
  sched_yield();
  uint64_t took = scree__clock_ns() - now;
  if (took > SCREE__DEAR) dear_until = now + SCREE__NO_YIELDS * took;
}
#endif
