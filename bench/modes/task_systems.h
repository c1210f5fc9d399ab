/* task_systems.h - the systems whose tasks are measured beside each other. The peers are loaded from $SCREE_PEERS/lib,
 * a prefix that they were installed under; nothing of them is needed to build this. */
#ifndef TASK_SYSTEMS_H
#define TASK_SYSTEMS_H
#include "common.h"

/* Tasks that yield to each other: all begin, then each yields `each` times. The time is from the first of these yields
 * until a task has done its last: the cost of tasks that return is not counted as yields. */
typedef struct {
  uint64_t tasks, each, begun, yields;
  double start, end;
} ring;
#define RING_RUN(r, YIELD)                                                                                             \
  do {                                                                                                                 \
    (r)->begun++;                                                                                                      \
    while ((r)->begun < (r)->tasks) YIELD;                                                                             \
    if ((r)->start <= 0) (r)->start = bench_now();                                                                     \
    for (uint64_t i = 0; i < (r)->each; i++) {                                                                         \
      (r)->yields += (r)->end <= 0;                                                                                    \
      YIELD;                                                                                                           \
    }                                                                                                                  \
    if ((r)->end <= 0) (r)->end = bench_now();                                                                         \
  } while (0)
/* Returns the time of all yields, at the rate of those until `end`. */
static inline double ring_seconds(const ring *r) {
  return (r->end - r->start) * (double)(r->tasks * r->each) / (double)r->yields;
}

/* The functions return the measured seconds, or infinity. */
typedef struct {
  const char *name, *light; /* light: what it calls tasks that never wait; NULL: none of their own */
  /* NULL: it is available. Else the reason, in static memory. */
  const char *(*missing)(void);
  double (*yields)(ring *r, size_t stack);
  /* Spawns `at_once` empty tasks, waits for them, and that `times` times. */
  double (*spawns)(uint64_t at_once, uint64_t times, bool light);
  /* The n-th Fibonacci number by a task for each call, which waits for the two that it makes. NULL: not measured. */
  double (*fib)(uint32_t n, uint32_t workers, uint64_t *value);
} task_system;

extern const task_system task_scree, task_argobots, task_qthreads;

/* Measures yields of tasks that touch three lines of their frames in each turn, with or without the scheduler's
 * prefetch. */
double task_scree_touching(ring *r, size_t stack, bool prefetch);

/* Open a library of $SCREE_PEERS, and find a function in it. NULL if unavailable; *missing is the reason, in static
 * memory. */
void *task_peer_open(const char *library, const char **missing);
typedef void task_peer_fn(void);
task_peer_fn *task_peer_find(void *library, const char *name, const char **missing);
#endif
