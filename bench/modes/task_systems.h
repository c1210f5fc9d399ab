/* task_systems.h - the systems whose tasks are measured beside each other. The peers are loaded from $SCREE_PEERS/lib, a prefix
 * that they were installed under; nothing of them is needed to build this. */
#ifndef TASK_SYSTEMS_H
#define TASK_SYSTEMS_H
#include "common.h"

/* Tasks that yield to each other: all begin, then each yields `each` times. The time is from the first of these yields to the
 * last. */
typedef struct {
  uint64_t tasks, each, begun, ended;
  double start, end;
} ring;
#define RING_RUN(r, YIELD)                                                                                             \
  do {                                                                                                                 \
    (r)->begun++;                                                                                                      \
    while ((r)->begun < (r)->tasks) YIELD;                                                                             \
    if ((r)->start <= 0) (r)->start = bench_now();                                                                     \
    for (uint64_t i = 0; i < (r)->each; i++) YIELD;                                                                    \
    if (++(r)->ended == (r)->tasks) (r)->end = bench_now();                                                            \
  } while (0)

/* All return the seconds that count, or infinity. */
typedef struct {
  const char *name, *light; /* light: what it calls tasks that never wait; NULL: none of their own */
  /* NULL: it is there. Else the reason, in static memory. */
  const char *(*missing)(void);
  double (*yields)(ring *r, size_t stack);
  /* Spawns `at_once` empty tasks, waits for them, and that `times` times. */
  double (*spawns)(uint64_t at_once, uint64_t times, bool light);
  /* The n-th Fibonacci number by a task for each call, which waits for the two that it makes. NULL: not measured. */
  double (*fib)(uint32_t n, uint32_t workers, uint64_t *value);
} task_system;

extern const task_system task_scree, task_argobots, task_qthreads;

/* A library of $SCREE_PEERS, and what is in it. NULL: it is not there; *missing says why, in static memory. */
void *task_peer_open(const char *library, const char **missing);
typedef void task_peer_fn(void);
task_peer_fn *task_peer_find(void *library, const char *name, const char **missing);
#endif
