/* idle.c - the idle policy of real ranks (docs/decisions/0002-idle.md). */
#include "transport/idle.h"

#include <sched.h>
#include <stddef.h>
#include <time.h>

#include "base/clock.h"
#include "thread/cpu.h"
#include "thread/thread.h"

/* Nanoseconds: how long to yield before sleeping, the shortest and the longest sleep, and an expensive yield. */
enum { YIELD_FOR = 1000000, SLEEP_MIN = 20000, SLEEP_MAX = 500000, EXPENSIVE = 500000 };
/* An expensive yield stops yields for so many times as long as it took; where ranks share cores it must come after so
 * many others in a row. */
enum { NO_YIELDS = 20, IN_A_ROW = 2 };
enum { WATCH_EVERY = 1024 };

/* An eighth of the time that nothing has moved: a sleep lengthens no wait by more than that, and a rank that has been
 * idle for long yields the cores to others. */
static void sleep_for(uint64_t idle) {
  uint64_t ns = idle / 8;
  if (ns < SLEEP_MIN) ns = SLEEP_MIN;
  if (ns > SLEEP_MAX) ns = SLEEP_MAX;
  nanosleep(&(struct timespec){0, (long)ns}, NULL);
}

/* Yields are bounded by time, not number. Among ranks that also poll, a yield takes a microsecond, but next to a
 * process that computes the scheduler charges it with a whole time slice, milliseconds, where a sleep wakes up on time:
 * after such a yield the rank sleeps for a while instead. A few may be due to another rank on the same core, which
 * computes before it waits too. */
void scree__idle_backoff(scree__idle *idle, uint32_t polls) {
  if (polls < idle->spin) {
    scree__cpu_pause();
    return;
  }
  uint64_t now = scree__clock_ns();
  if (polls <= idle->spin + 1) idle->since = now;
  if (now - idle->since >= YIELD_FOR || now < idle->no_yield_until) {
    sleep_for(now - idle->since);
    return;
  }
  sched_yield();
  uint64_t took = scree__clock_ns() - now;
  idle->expensive = took <= EXPENSIVE ? 0 : idle->expensive + 1;
  if (idle->expensive > (idle->spin ? 0 : IN_A_ROW)) idle->no_yield_until = now + NO_YIELDS * took;
}

static void backoff(scree__scheduler *base, uint32_t polls) {
  scree__idle_scheduler *s = (scree__idle_scheduler *)base;
  if (s->watch && polls % WATCH_EVERY == WATCH_EVERY - 1) s->watch(s->context);
  scree__idle_backoff(&s->idle, polls);
}

static uint64_t now(scree__scheduler *base) {
  (void)base;
  return scree__clock_ns();
}

static int make(scree__scheduler *base, pthread_t *thread, void *(*fn)(void *), void *arg) {
  (void)base;
  return scree__thread_make(thread, fn, arg);
}

static void join(scree__scheduler *base, pthread_t thread) {
  (void)base;
  scree__thread_join(thread);
}

static void wait(scree__scheduler *base, pthread_cond_t *changed, pthread_mutex_t *lock) {
  (void)base;
  scree__thread_wait(changed, lock);
}

static void wake(scree__scheduler *base, pthread_cond_t *changed) {
  (void)base;
  scree__thread_wake(changed);
}

static const scree__scheduler_ops ops = {
    .backoff = backoff, .now = now, .make = make, .join = join, .wait = wait, .wake = wake};

void scree__idle_scheduler_init(scree__idle_scheduler *s, uint64_t spin, void (*watch)(void *context), void *context) {
  *s = (scree__idle_scheduler){.base.ops = &ops, .idle.spin = spin, .watch = watch, .context = context};
}
