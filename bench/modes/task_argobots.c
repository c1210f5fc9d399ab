/* task_argobots.c - threads and tasklets of Argobots, on the stream that the program starts with. */
#include <math.h>
#include <stdlib.h>

#include "task_systems.h"

/* As abt.h declares them, whose handles are pointers. */
static int (*init)(int, char **), (*finalize)(void), (*stream_self)(void **), (*main_pools)(void *, int, void **);
static int (*pool_create)(int, int, int, void **), (*set_pools)(void *, int, int, void **);
static int (*attr_create)(void **), (*attr_set_stacksize)(void *, size_t), (*attr_free)(void **);
static int (*thread_create)(void *, void (*)(void *), void *, void *, void **), (*thread_free)(void **);
static int (*tasklet_create)(void *, void (*)(void *), void *, void **), (*tasklet_free)(void **), (*yield)(void);

#define FIND(fn, name) (fn = (__typeof__(fn))task_peer_find(library, "ABT_" name, &why))
static const char *missing(void) {
  const char *why;
  void *library = task_peer_open("libabt.so", &why);
  FIND(init, "init");
  FIND(finalize, "finalize");
  FIND(stream_self, "xstream_self");
  FIND(main_pools, "xstream_get_main_pools");
  FIND(pool_create, "pool_create_basic");
  FIND(set_pools, "xstream_set_main_sched_basic");
  FIND(attr_create, "thread_attr_create");
  FIND(attr_set_stacksize, "thread_attr_set_stacksize");
  FIND(attr_free, "thread_attr_free");
  FIND(thread_create, "thread_create");
  FIND(thread_free, "thread_free");
  FIND(tasklet_create, "task_create");
  FIND(tasklet_free, "task_free");
  FIND(yield, "thread_yield");
  return why;
}

typedef struct {
  void *pool, *attr, **task;
} state;

/* Its pool of stacks has those of the default size, which the environment sets. */
static bool open_state(state *s, uint64_t tasks, size_t stack) {
  char bytes[32];
  void *stream;
  snprintf(bytes, sizeof bytes, "%zu", stack);
  setenv("ABT_THREAD_STACKSIZE", bytes, 1);
  setenv("ABT_SET_AFFINITY", "0", 1);
  s->task = calloc(tasks, sizeof *s->task);
  return s->task && !init(0, NULL) && !stream_self(&stream) && !main_pools(stream, 1, &s->pool) &&
         !attr_create(&s->attr) && !attr_set_stacksize(s->attr, stack);
}

static void close_state(state *s) {
  attr_free(&s->attr);
  finalize();
  free(s->task);
}

static void run_ring(void *arg) {
  ring *r = arg;
  RING_RUN(r, yield());
}

static double yields(ring *r, size_t stack) {
  state s;
  if (!open_state(&s, r->tasks, stack)) return (double)INFINITY;
  for (uint64_t i = 0; i < r->tasks; i++) thread_create(s.pool, run_ring, r, s.attr, &s.task[i]);
  for (uint64_t i = 0; i < r->tasks; i++) thread_free(&s.task[i]);
  close_state(&s);
  return ring_seconds(r);
}

static void run_empty(void *arg) {
  (void)arg;
}

static double spawns(uint64_t at_once, uint64_t times, bool light) {
  state s;
  if (!open_state(&s, at_once, 16 << 10)) return (double)INFINITY;
  double start = 0;
  for (uint64_t n = 0; n <= times; n++) {
    if (n == 1) start = bench_now(); /* the first ones make the stacks */
    for (uint64_t i = 0; i < at_once; i++)
      if (light)
        tasklet_create(s.pool, run_empty, NULL, &s.task[i]);
      else
        thread_create(s.pool, run_empty, NULL, s.attr, &s.task[i]);
    for (uint64_t i = 0; i < at_once; i++)
      if (light)
        tasklet_free(&s.task[i]);
      else
        thread_free(&s.task[i]);
  }
  const double seconds = bench_now() - start;
  close_state(&s);
  return seconds;
}

/* ---- a tree ---- */

typedef struct {
  const state *s;
  uint64_t value;
} fib_args;

static void run_fib(void *arg) {
  fib_args *a = arg, child[2];
  void *task[2];
  if (a->value < 2) return;
  for (int i = 0; i < 2; i++) {
    child[i] = (fib_args){a->s, a->value - 1 - (uint64_t)i};
    thread_create(a->s->pool, run_fib, &child[i], a->s->attr, &task[i]);
  }
  for (int i = 0; i < 2; i++) thread_free(&task[i]); /* joins it */
  a->value = child[0].value + child[1].value;
}

/* A pool of Argobots runs the newest task first. In the default pool, a queue, all tasks would wait for their children
 * at once. */
static double fib(uint32_t n, uint32_t workers, uint64_t *value) {
  enum { RANDWS = 2, PRIVATE = 0, DEFAULT_SCHEDULER = 0 };
  state s;
  fib_args first = {&s, n};
  void *stream;
  if (workers != 1 || !open_state(&s, 1, 16 << 10) || stream_self(&stream) ||
      pool_create(RANDWS, PRIVATE, 1, &s.pool) || set_pools(stream, DEFAULT_SCHEDULER, 1, &s.pool))
    return (double)INFINITY;
  const double start = bench_now();
  thread_create(s.pool, run_fib, &first, s.attr, &s.task[0]);
  thread_free(&s.task[0]);
  const double seconds = bench_now() - start;
  close_state(&s);
  *value = first.value;
  return seconds;
}

const task_system task_argobots = {"Argobots", "tasklet", missing, yields, spawns, fib};
