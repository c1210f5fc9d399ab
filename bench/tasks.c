/* tasks.c - what tasks cost, interleaved with Argobots and Qthreads where $SCREE_PEERS has them. Runs on one rank. Bare
 * rows are contexts without a scheduler: what the processor allows. */
#include <math.h>
#include <stdlib.h>

#include "modes/task_contexts.h"
#include "modes/task_sleepers.h"
#include "modes/task_systems.h"

static const task_system *const systems[] = {&task_scree, &task_argobots, &task_qthreads};
enum {
  SYSTEMS = sizeof systems / sizeof *systems,
  SMALL = 4 << 10,
  USUAL = 16 << 10,
  AT_ONCE = 1024,
  FIB = 32,
  FIB_VALUE = 2178309,
  FIB_TASKS = 7049155
};

/* A measure of one system. */
typedef struct {
  const task_system *of; /* NULL: bare contexts */
  uint64_t tasks, turns; /* turns: yields of each, or how often as many are spawned */
  size_t stack;
  bool light, prefetch;
} job;

static double time_yields(void *arg) {
  const job *j = arg;
  if (!j->of) return task_contexts_run(j->tasks, j->stack, j->prefetch, j->tasks * j->turns);
  ring r = {.tasks = j->tasks, .each = j->turns};
  return j->of->yields(&r, j->stack);
}

static double time_spawns(void *arg) {
  const job *j = arg;
  return j->of->spawns(j->tasks, j->turns, j->light);
}

/* Also checks the number. */
static double time_fib(void *arg) {
  const job *j = arg;
  uint64_t value = 0;
  const double seconds = j->of->fib(FIB, (uint32_t)j->turns, &value);
  return value == FIB_VALUE ? seconds : (double)INFINITY;
}

static void print_row(bench *b, const char *measure, const char *system, const bench_variant *v, double first) {
  const job *j = v->arg;
  bench_row(b, BENCH_TEXT("measure", "%-22s", measure), BENCH_CELL("tasks", " %7.0f", (double)j->tasks, 1),
            BENCH_CELL("stack", " %6.0f", (double)j->stack, 1), BENCH_TEXT("system", " %-18s", system),
            BENCH_CELL("seconds", " %8.1f", v->seconds, 1e9), BENCH_CELL("ratio", " %6.2f", v->seconds / first, 1),
            BENCH_CELL("spread", " %6.0f%%", v->spread, 100));
}

/* Those that there are, interleaved; the first is the yardstick of `ratio`. */
static bool measure(bench *b, const char *name, double (*timed)(void *), job like, bool light) {
  job jobs[SYSTEMS + 2];
  const char *names[SYSTEMS + 2];
  bench_variant variants[SYSTEMS + 2];
  int n = 0;
  const bool bare = timed == time_yields;
  for (int i = 0; i < SYSTEMS + (bare ? 2 : 0); i++) {
    const task_system *s = i < SYSTEMS ? systems[i] : NULL;
    if (s && s->missing()) continue;
    for (int l = 0; l <= (s && light && s->light); l++) {
      jobs[n] = like;
      jobs[n].of = s;
      jobs[n].light = l;
      jobs[n].prefetch = i > SYSTEMS;
      names[n] = !s ? (i > SYSTEMS ? "bare, prefetched" : "bare, not prefetched") : l ? s->light : s->name;
      variants[n] = (bench_variant){.name = name, .timed = timed, .arg = &jobs[n], .n = like.tasks * like.turns};
      n++;
    }
  }
  const bool good = bench_rounds(b, variants, n);
  for (int i = 0; good && i < n; i++) print_row(b, name, names[i], &variants[i], variants[0].seconds);
  task_contexts_close();
  return good;
}

/* One worker of each, and two of the library. */
static bool measure_fib(bench *b) {
  job jobs[SYSTEMS + 1];
  const char *names[SYSTEMS + 1];
  bench_variant variants[SYSTEMS + 1];
  int n = 0;
  for (int i = -1; i < SYSTEMS; i++) {
    const task_system *s = systems[i < 0 ? 0 : i];
    if (!s->fib || s->missing()) continue;
    jobs[n] = (job){.of = s, .tasks = FIB_TASKS, .turns = i == 0 ? 2 : 1, .stack = USUAL};
    names[n] = i == 0 ? "scree, 2 workers" : s->name;
    variants[n] = (bench_variant){.name = "fib(32)", .timed = time_fib, .arg = &jobs[n], .n = FIB_TASKS};
    n++;
  }
  const bool good = bench_rounds(b, variants, n);
  for (int i = 0; good && i < n; i++) print_row(b, "fib(32)", names[i], &variants[i], variants[0].seconds);
  return good;
}

static double time_touching(void *arg) {
  const job *j = arg;
  ring r = {.tasks = j->tasks, .each = j->turns};
  return task_scree_touching(&r, j->stack, j->prefetch);
}

/* The case for the prefetch (Grappa, figure 5): tasks that do not fit in a cache. */
static bool measure_prefetch(bench *b) {
  static const char *const names[] = {"scree", "not prefetched"};
  job jobs[2];
  bench_variant variants[2];
  for (int i = 0; i < 2; i++) {
    jobs[i] = (job){.tasks = 100000, .turns = 20, .stack = USUAL, .prefetch = i == 0};
    variants[i] = (bench_variant){
        .name = "yield, 3 lines touched", .timed = time_touching, .arg = &jobs[i], .n = jobs[i].tasks * jobs[i].turns};
  }
  const bool good = bench_rounds(b, variants, 2);
  for (int i = 0; good && i < 2; i++) print_row(b, variants[i].name, names[i], &variants[i], variants[0].seconds);
  return good;
}

static bool on_one_rank(bench *b, void *unused) {
  static const struct {
    uint64_t tasks, turns;
    size_t stack;
  } rings[] = {{2, 500000, USUAL}, {1024, 1000, USUAL}, {20000, 50, SMALL}, {200000, 10, SMALL}};
  (void)unused;
  printf("%-22s %7s %6s %-18s %8s %6s %7s\n", "", "tasks", "stack", "", "ns", "ratio", "spread");
  bool good = true;
  for (size_t i = 0; i < sizeof rings / sizeof *rings; i++)
    good = good && measure(b, "yield", time_yields,
                           (job){.tasks = rings[i].tasks, .turns = rings[i].turns, .stack = rings[i].stack}, false);
  good = good && measure_prefetch(b);
  good =
      good && measure(b, "spawn, run, join", time_spawns, (job){.tasks = AT_ONCE, .turns = 500, .stack = USUAL}, true);
  return good && measure_fib(b) && task_sleepers(b);
}

static bool run(bench *b) {
  const char *why;
  for (int i = 0; b->rank == 0 && i < SYSTEMS; i++)
    if ((why = systems[i]->missing())) printf("%s is not measured: %s\n", systems[i]->name, why);
  return bench_on_ranks(b, 1, on_one_rank, NULL);
}

const bench_mode bench_modes[] = {
    {.name = "tasks",
     .what = "yields of 2 to 200,000 tasks, with and without prefetch, empty tasks, a tree of tasks, and memory of "
             "tasks that sleep, in turns with the peers of "
             "$SCREE_PEERS (a prefix, under which Argobots and Qthreads are installed)",
     .run = run,
     .thread_level = MPI_THREAD_SERIALIZED},
    {0}};
