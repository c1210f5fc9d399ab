/* task_scree.c - the library's own tasks, in a world of one rank. */
#include <math.h>
#include <scree/task.h>

#include "task/task.h"
#include "task_systems.h"

typedef struct {
  ring *r;
} ring_args;
SCREE_TASK(in_ring, ring_args);
static void run_ring(scree_task *self, const ring_args *args) {
  ring *r = args->r; /* in a register, as a peer's argument is */
  RING_RUN(r, scree_task_yield(self));
}
SCREE_TASK_BODY(in_ring, ring_args, run_ring);

SCREE_TASK(touching, ring_args);
static void run_touching(scree_task *self, const ring_args *args) {
  enum { LINE = 64 };
  volatile char touched[3 * LINE];
  ring *r = args->r;
  RING_RUN(r, (touched[0]++, touched[LINE]++, touched[2 * LINE]++, scree_task_yield(self)));
}
SCREE_TASK_BODY(touching, ring_args, run_touching);

typedef struct {
  uint64_t unused;
} empty_args;
SCREE_TASK(empty, empty_args);
static void run_empty(scree_task *self, const empty_args *args) {
  (void)self, (void)args;
}
SCREE_TASK_BODY(empty, empty_args, run_empty);

typedef struct {
  uint64_t at_once, times;
  empty_type empty;
  double *seconds;
} spawner_args;
SCREE_TASK(spawner, spawner_args);
static void run_spawner(scree_task *self, const spawner_args *args) {
  double start = 0;
  for (uint64_t n = 0; n <= args->times; n++) {
    if (n == 1) start = bench_now();
    scree_scope *scope = scree_finish(self);
    for (uint64_t i = 0; i < args->at_once; i++)
      empty_spawn(scree_task_worker(self), args->empty, scope, (empty_args){i});
    scree_finish_end(self, scope);
  }
  *args->seconds = bench_now() - start;
}
SCREE_TASK_BODY(spawner, spawner_args, run_spawner);

typedef struct {
  uint64_t n, *value;
} fib_args;
SCREE_TASK(fib, fib_args);
static void run_fib(scree_task *self, const fib_args *args) {
  const fib_type *fib = scree_task_arg(self);
  uint64_t value[2] = {args->n, 0};
  scree_scope *scope = args->n > 1 ? scree_finish(self) : NULL;
  for (uint64_t i = 0; i < 2 && scope; i++)
    fib_spawn(scree_task_worker(self), *fib, scope, (fib_args){args->n - 1 - i, &value[i]});
  if (scope) scree_finish_end(self, scope);
  *args->value = value[0] + value[1];
}
SCREE_TASK_BODY(fib, fib_args, run_fib);

/* A world whose tasks have stacks of the requested size. */
typedef struct {
  scree_world *world;
  in_ring_type in_ring;
  touching_type touching;
  empty_type empty;
  spawner_type spawner;
} state;

static bool open_state(state *s, uint64_t tasks, size_t stack) {
  scree_tasks_options options = SCREE_TASKS_OPTIONS_INIT;
  options.task_live = tasks;
  options.task_stack = stack;
  s->world = bench_open("shm", NULL);
  return s->world && !scree_tasks_open(s->world, &options) && !in_ring_register(s->world, NULL, &s->in_ring) &&
         !touching_register(s->world, NULL, &s->touching) && !empty_register(s->world, NULL, &s->empty) &&
         !spawner_register(s->world, NULL, &s->spawner);
}

static const char *missing(void) {
  return NULL;
}

static double yields(ring *r, size_t stack) {
  state s;
  if (!open_state(&s, r->tasks, stack)) return (double)INFINITY;
  scree_worker *w = scree_worker_of(s.world, 0);
  scree_begin(w);
  for (uint64_t i = 0; i < r->tasks; i++) in_ring_spawn(w, s.in_ring, NULL, (ring_args){r});
  scree_end(w, NULL);
  return scree_close(s.world) ? (double)INFINITY : ring_seconds(r);
}

double task_scree_touching(ring *r, size_t stack, bool prefetch) {
  state s;
  if (!open_state(&s, r->tasks, stack)) return (double)INFINITY;
  scree_worker *w = scree_worker_of(s.world, 0);
  scree__tasks_of(scree__worker_of(w))->blind = !prefetch;
  scree_begin(w);
  for (uint64_t i = 0; i < r->tasks; i++) touching_spawn(w, s.touching, NULL, (ring_args){r});
  scree_end(w, NULL);
  return scree_close(s.world) ? (double)INFINITY : ring_seconds(r);
}

static double spawns(uint64_t at_once, uint64_t times, bool light) {
  state s;
  double seconds = (double)INFINITY;
  if (light || !open_state(&s, at_once, 16 << 10)) return seconds;
  scree_worker *w = scree_worker_of(s.world, 0);
  scree_begin(w);
  spawner_spawn(w, s.spawner, NULL, (spawner_args){at_once, times, s.empty, &seconds});
  scree_end(w, NULL);
  return scree_close(s.world) ? (double)INFINITY : seconds;
}

typedef struct {
  fib_type fib;
  fib_args first;
} tree;

static void in_epoch(scree_worker *w, void *arg) {
  const tree *t = arg;
  if (scree_begin(w)) return;
  if (w->index == 0) fib_spawn(w, t->fib, NULL, t->first);
  scree_end(w, NULL);
}

static double fib(uint32_t n, uint32_t workers, uint64_t *value) {
  tree t = {.first = {n, value}};
  scree_world *world = bench_open("shm", workers > 1 ? "threads=2" : NULL);
  if (!world || scree_tasks_open(world, NULL) || fib_register(world, &t.fib, &t.fib)) return (double)INFINITY;
  const double start = bench_now();
  scree_run_workers(world, workers, in_epoch, &t);
  const double seconds = bench_now() - start;
  return scree_close(world) ? (double)INFINITY : seconds;
}

const task_system task_scree = {"scree", NULL, missing, yields, spawns, fib};
