/* attack_clock.c - preloaded by attack.sh: clocks jump. The time of day jumps an hour back or forth every thousand
 * calls; the monotonic clock, which never goes back, jumps a minute forward every 20,000 calls, as after a suspended
 * machine resumes. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

int clock_gettime(clockid_t id, struct timespec *t) {
  static int (*real)(clockid_t, struct timespec *);
  static unsigned long of_day, monotonic; /* no more than roughly the number of calls where threads meet */
  if (!real) *(void **)&real = dlsym(RTLD_NEXT, "clock_gettime"); /* as POSIX has it */
  const int rc = real(id, t);
  if (id == CLOCK_REALTIME && __atomic_fetch_add(&of_day, 1, __ATOMIC_RELAXED) / 1000 % 2) t->tv_sec -= 3600;
  if (id == CLOCK_MONOTONIC) t->tv_sec += (time_t)(60 * (__atomic_fetch_add(&monotonic, 1, __ATOMIC_RELAXED) / 20000));
  return rc;
}
