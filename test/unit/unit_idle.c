/* unit_idle.c - the idle policy of real ranks: how long a rank that finds nothing spins, yields and sleeps. The program
 * has its own clock, yield and sleep, by which time passes. */
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "harness.h"
#include "transport/idle.h"

enum { MS = 1000000, YIELD = 1000 }; /* ns */

static struct {
  bool on;
  uint64_t now, yield_takes, yields, sleeps, last_sleep;
} fake;

int clock_gettime(clockid_t clock, struct timespec *time) {
  if (!fake.on || clock != CLOCK_MONOTONIC) return (int)syscall(SYS_clock_gettime, clock, time);
  *time = (struct timespec){(time_t)(fake.now / 1000000000), (long)(fake.now % 1000000000)};
  return 0;
}

int sched_yield(void) {
  if (!fake.on) return (int)syscall(SYS_sched_yield);
  fake.yields++;
  fake.now += fake.yield_takes;
  return 0;
}

int nanosleep(const struct timespec *time, struct timespec *left) {
  if (!fake.on) return (int)syscall(SYS_nanosleep, time, left);
  fake.sleeps++;
  fake.last_sleep = (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_nsec;
  fake.now += fake.last_sleep;
  return 0;
}

static scree__idle_scheduler scheduler;
static uint32_t polls, watched;

static void watch(void *context) {
  ++*(uint32_t *)context;
}

static void begin(uint64_t spin) {
  fake.yields = fake.sleeps = fake.last_sleep = 0;
  fake.now = 5000000000;
  fake.yield_takes = YIELD;
  fake.on = true;
  polls = watched = 0;
  scree__idle_scheduler_init(&scheduler, spin, watch, &watched);
}

static void idle(uint32_t times) {
  for (uint32_t i = 0; i < times; i++) scheduler.base.ops->backoff(&scheduler.base, polls++);
}

/* Spins, yields for a millisecond, then sleeps for an eighth of the time that nothing has moved, up to half a
 * millisecond. */
HARNESS_TEST(spins_then_yields_then_sleeps) {
  begin(100);
  idle(100);
  check_equal(fake.yields + fake.sleeps, 0);
  check_equal(fake.now, 5000000000);
  idle(2); /* time counts from the second of these on */
  check_equal(fake.yields, 2);
  idle(MS / YIELD - 1);
  check_equal(fake.yields, MS / YIELD + 1);
  check_equal(fake.sleeps, 0);
  idle(1);
  check_equal(fake.sleeps, 1);
  check_equal(fake.last_sleep, MS / 8);
  uint64_t slept = 0;
  for (int i = 0; i < 50; i++) {
    const uint64_t before = fake.now;
    idle(1);
    check(fake.last_sleep >= slept && fake.last_sleep <= MS / 2 && fake.now - before == fake.last_sleep);
    slept = fake.last_sleep;
  }
  check_equal(slept, MS / 2);
  check_equal(fake.yields, MS / YIELD + 1);
  polls = 0; /* something has moved */
  idle(102);
  check_equal(fake.yields, MS / YIELD + 3);
  check_equal(fake.sleeps, 51);
  fake.on = false;
}

/* An expensive yield is followed by sleeps, for 20 times as long. Among ranks that share cores only the third in a row
 * is. */
HARNESS_TEST(expensive_yields) {
  for (uint64_t spin = 0; spin < 2; spin++) {
    begin(spin);
    polls = (uint32_t)spin;
    fake.yield_takes = MS / 2; /* not yet */
    idle(2);
    check_equal(fake.yields, 2);
    fake.yield_takes = MS / 2 + 1;
    for (uint64_t row = 1; row <= (spin ? 1 : 3); row++) {
      polls = (uint32_t)spin; /* a message has come in between */
      idle(1);
      check_equal(fake.yields, 2 + row);
      check_equal(fake.sleeps, 0);
    }
    const uint64_t from = fake.now - fake.yield_takes, until = from + 20 * fake.yield_takes, yields = fake.yields;
    fake.yield_takes = YIELD;
    while (fake.now < until && check(fake.sleeps < 1000)) {
      polls = (uint32_t)spin;
      idle(1);
      check_equal(fake.last_sleep, 20000); /* the shortest */
    }
    check_equal(fake.yields, yields);
    polls = (uint32_t)spin;
    idle(1);
    check_equal(fake.yields, yields + 1);
  }
  fake.on = false;
}

/* Two expensive yields with a cheap one between them are not in a row. */
HARNESS_TEST(cheap_yields_between) {
  begin(0);
  for (int i = 0; i < 20; i++) {
    fake.yield_takes = i % 3 == 2 ? YIELD : MS;
    polls = 0;
    idle(1);
  }
  check_equal(fake.yields, 20);
  check_equal(fake.sleeps, 0);
  fake.on = false;
}

HARNESS_TEST(looks_at_others) {
  begin(5000);
  idle(1023);
  check_equal(watched, 0);
  idle(1);
  check_equal(watched, 1);
  idle(1024);
  check_equal(watched, 2);
  scree__idle_scheduler_init(&scheduler, 5000, NULL, NULL); /* nobody to watch */
  idle(2000);
  fake.on = false;
}

HARNESS_MAIN
