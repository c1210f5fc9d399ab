/* task_qthreads.c - Qthreads, with one worker. */
#include <math.h>
#include <stdlib.h>

#include "task_systems.h"

/* As qthread.h declares them; aligned_t has 64 bits. */
static int (*initialize)(void), (*start_task)(uint64_t (*)(void *), const void *, uint64_t *);
static int (*read_full)(uint64_t *, const uint64_t *);
static void (*finalize)(void), (*yield)(int);

#define FIND(fn, name) (fn = (__typeof__(fn))task_peer_find(library, "qthread_" name, &why))
static const char *missing(void) {
  const char *why;
  void *library = task_peer_open("libqthread.so", &why);
  FIND(initialize, "initialize");
  FIND(start_task, "fork");
  FIND(read_full, "readFF");
  FIND(finalize, "finalize");
  FIND(yield, "yield_");
  return why;
}

static uint64_t *open_state(uint64_t tasks, size_t stack) {
  char bytes[32];
  snprintf(bytes, sizeof bytes, "%zu", stack);
  setenv("QTHREAD_STACK_SIZE", bytes, 1);
  setenv("QTHREAD_NUM_SHEPHERDS", "1", 1);
  setenv("QTHREAD_NUM_WORKERS_PER_SHEPHERD", "1", 1);
  uint64_t *returned = calloc(tasks, sizeof *returned);
  return returned && initialize() == 0 ? returned : NULL;
}

static void run_all(uint64_t (*fn)(void *), void *arg, uint64_t *returned, uint64_t tasks) {
  for (uint64_t i = 0; i < tasks; i++) start_task(fn, arg, &returned[i]);
  for (uint64_t i = 0; i < tasks; i++) read_full(NULL, &returned[i]);
}

static uint64_t run_ring(void *arg) {
  ring *r = arg;
  RING_RUN(r, yield(0));
  return 0;
}

static double yields(ring *r, size_t stack) {
  uint64_t *returned = open_state(r->tasks, stack);
  if (!returned) return (double)INFINITY;
  run_all(run_ring, r, returned, r->tasks);
  finalize();
  free(returned);
  return ring_seconds(r);
}

static uint64_t run_empty(void *arg) {
  (void)arg;
  return 0;
}

static double spawns(uint64_t at_once, uint64_t times, bool light) {
  uint64_t *returned = light ? NULL : open_state(at_once, 16 << 10);
  if (!returned) return (double)INFINITY;
  run_all(run_empty, NULL, returned, at_once);
  const double start = bench_now();
  for (uint64_t n = 0; n < times; n++) run_all(run_empty, NULL, returned, at_once);
  const double seconds = bench_now() - start;
  finalize();
  free(returned);
  return seconds;
}

const task_system task_qthreads = {"Qthreads", NULL, missing, yields, spawns, NULL};
