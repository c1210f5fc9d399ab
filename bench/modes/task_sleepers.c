#include "task_sleepers.h"

#include <malloc.h>
#include <scree/task.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct {
  scree_task **self; /* where it is noted, to be woken */
  uint64_t *asleep;
} sleeper_args;
SCREE_TASK(sleeper, sleeper_args);
static void run_sleeper(scree_task *self, const sleeper_args *args) {
  *args->self = self;
  ++*args->asleep;
  scree_task_suspend(self, "the measurement");
}
SCREE_TASK_BODY(sleeper, sleeper_args, run_sleeper);

typedef struct {
  double heap, resident; /* bytes */
} memory;

static memory now(void) {
  const struct mallinfo2 m = mallinfo2();
  unsigned long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file && fscanf(file, "%*u %lu", &pages) != 1) pages = 0;
  if (file) fclose(file);
  return (memory){(double)(m.uordblks + m.hblkhd), (double)pages * (double)sysconf(_SC_PAGESIZE)};
}

typedef struct {
  uint64_t tasks, asleep;
  scree_task **task;
  memory before, all_asleep;
} measured;

typedef struct {
  measured *m;
} watcher_args;
SCREE_TASK(watcher, watcher_args);
static void run_watcher(scree_task *self, const watcher_args *args) {
  measured *m = args->m;
  while (m->asleep < m->tasks) scree_task_yield(self);
  m->all_asleep = now();
  for (uint64_t i = 0; i < m->tasks; i++) scree_task_wake(scree_task_worker(self), m->task[i]);
}
SCREE_TASK_BODY(watcher, watcher_args, run_watcher);

static bool sleep_all(measured *m) {
  scree_tasks_options options = SCREE_TASKS_OPTIONS_INIT;
  sleeper_type sleeper;
  watcher_type watcher;
  options.task_live = m->tasks + 1;
  scree_world *world = bench_open("shm", NULL);
  if (!world || scree_tasks_open(world, &options) || sleeper_register(world, NULL, &sleeper) ||
      watcher_register(world, NULL, &watcher))
    return false;
  scree_worker *w = scree_worker_of(world, 0);
  m->before = now();
  scree_begin(w);
  for (uint64_t i = 0; i < m->tasks; i++) sleeper_spawn(w, sleeper, NULL, (sleeper_args){&m->task[i], &m->asleep});
  watcher_spawn(w, watcher, NULL, (watcher_args){m});
  scree_end(w, NULL);
  return scree_close(world) == SCREE_OK && m->asleep == m->tasks;
}

bool task_sleepers(bench *b) {
  measured m = {.tasks = 100000};
  m.task = calloc(m.tasks, sizeof(scree_task *));
  const bool good = bench_all(m.task && sleep_all(&m));
  const double n = (double)m.tasks, heap = (m.all_asleep.heap - m.before.heap) / n;
  if (good)
    bench_row(b, BENCH_TEXT("measure", "%-22s", "bytes of a sleeper"), BENCH_CELL("tasks", " %7.0f", n, 1),
              BENCH_CELL("heap_bytes", " %6.0f beside its stack,", heap, 1),
              BENCH_CELL("resident_bytes", " %.0f with it", (m.all_asleep.resident - m.before.resident) / n, 1));
  free(m.task);
  return good;
}
