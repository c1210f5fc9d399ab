/* loops.c - loops on the workers of one rank, in turns with those of OpenMP where the compiler has it. All workers run
 * in the first rank; the others sleep. */
#include <math.h>
#include <scree/task_loop.h>
#include <stdlib.h>

#include "modes/modes.h"

enum { EMPTY = 1 << 20, EMPTY_GRAIN = 64, AXPY = 1 << 24, UNEVEN = 200000, TEAM = 2, SPINS = 520 };

/* The sum of a worker, or of a thread of a team, on cache lines of its own. */
typedef struct {
  _Alignas(128) uint64_t sum;
} part;

static double *x, *y;
static uint64_t axpy_runs;

/* ---- the bodies ---- */

static void empty(uint64_t begin, uint64_t end, uint64_t *sum) {
  for (uint64_t i = begin; i < end; i++) __asm__ volatile("" : : "r"(i));
  *sum += end - begin;
}

static void axpy(uint64_t begin, uint64_t end, uint64_t *sum) {
  for (uint64_t i = begin; i < end; i++) y[i] += 2 * x[i];
  *sum += end - begin;
}

/* Takes about 0.5 us, and in one of a hundred iterations 100 times as long: 1 us on average. */
static uint64_t spin(uint64_t i) {
  uint64_t r = i;
  for (int n = SPINS * (i % 100 == 57 ? 100 : 1); n > 0; n--) bench_draw(&r);
  return r;
}

static void uneven(uint64_t begin, uint64_t end, uint64_t *sum) {
  for (uint64_t i = begin; i < end; i++) *sum += spin(i);
}

static uint64_t run_axpy_team(void) {
#pragma omp parallel for schedule(static) num_threads(TEAM)
  for (uint64_t i = 0; i < AXPY; i++) y[i] += 2 * x[i];
  return AXPY;
}

static uint64_t run_uneven_team(void) {
  uint64_t sum = 0;
#pragma omp parallel for schedule(dynamic) num_threads(TEAM) reduction(+ : sum)
  for (uint64_t i = 0; i < UNEVEN; i++) sum += spin(i);
  return sum;
}

/* ---- the rows ---- */

typedef struct {
  const char *name, *rival;
  uint64_t n, grain;
  uint32_t workers;
  void (*range)(uint64_t begin, uint64_t end, uint64_t *sum);
  uint64_t (*team)(void); /* the same by OpenMP; NULL: not measured */
} row;

static const row rows[] = {
    {"empty, grain 64", NULL, EMPTY, EMPTY_GRAIN, 1, empty, NULL},
    {"axpy, 2^24 doubles", "OpenMP static", AXPY, 0, TEAM, axpy, run_axpy_team},
    {"1 us, uneven 100 times", "OpenMP dynamic", UNEVEN, 0, TEAM, uneven, run_uneven_team},
};

/* A row by one system. */
typedef struct {
  const row *row;
  bool is_team;
  uint64_t expected, sum;
  double seconds;
  part *parts;
} job;

typedef struct {
  job *j;
} job_args;
SCREE_LOOP(loop, job_args);
SCREE_TASK(root, job_args);
static struct {
  loop_type loop;
  root_type root;
  part parts[TEAM];
} in_rank;

static void run_loop(scree_task *self, uint64_t begin, uint64_t end, const job_args *args) {
  args->j->row->range(begin, end, &in_rank.parts[scree_task_worker(self)->index].sum);
}
SCREE_LOOP_BODY(loop, job_args, run_loop);

/* The first run warms up. */
static void run_root(scree_task *self, const job_args *args) {
  job *j = args->j;
  for (int i = 0; i < 2; i++) {
    for (int w = 0; w < TEAM; w++) in_rank.parts[w].sum = 0;
    const double start = bench_now();
    loop_for(self, in_rank.loop, SCREE_LOOP_PARTITION, 0, j->row->n, j->row->grain, *args);
    j->seconds = bench_now() - start;
    j->sum = in_rank.parts[0].sum + in_rank.parts[1].sum;
  }
}
SCREE_TASK_BODY(root, job_args, run_root);

static void in_epoch(scree_worker *w, void *arg) {
  if (scree_begin(w)) return;
  if (w->index == 0) root_spawn(w, in_rank.root, NULL, (job_args){arg});
  scree_end(w, NULL);
}

static double time_loop(job *j) {
  scree_world *world = bench_open("shm", j->row->workers > 1 ? "threads=2" : NULL);
  if (!world || scree_tasks_open(world, NULL) || loop_register(world, NULL, &in_rank.loop) ||
      root_register(world, NULL, &in_rank.root))
    return (double)INFINITY;
  scree_run_workers(world, j->row->workers, in_epoch, j);
  return scree_close(world) ? (double)INFINITY : j->seconds;
}

static double time_team(job *j) {
  for (int i = 0; i < 2; i++) {
    const double start = bench_now();
    j->sum = j->row->team();
    j->seconds = bench_now() - start;
  }
  return j->seconds;
}

static double timed(void *arg) {
  job *j = arg;
  axpy_runs += j->row->range == axpy ? 2 : 0;
  return j->is_team ? time_team(j) : time_loop(j);
}

/* After axpy each element has the sum of all runs; all values are integers. */
static bool check(void *arg, uint64_t n) {
  const job *j = arg;
  bool good = j->sum == j->expected;
  (void)n;
  for (uint64_t i = 0; j->row->range == axpy && i < AXPY && good; i++) good = y[i] == 2 * x[i] * (double)axpy_runs;
  return good;
}

static void report(bench *b, const row *r, const bench_variant *v, int count) {
  for (int i = 0; i < count; i++)
    bench_row(b, BENCH_TEXT("loop", "%-24s", r->name), BENCH_CELL("workers", " %7.0f", r->workers, 1),
              BENCH_TEXT("system", " %-15s", i ? r->rival : "scree"),
              BENCH_CELL("seconds", " %9.2f", v[i].seconds, 1e9),
              BENCH_CELL("speed", " %6.2f", v[count - 1].seconds / v[i].seconds, 1),
              BENCH_CELL("spread", " %6.0f%%", v[i].spread, 100));
}

static bool measure(bench *b, const row *r, bool has_teams) {
  job jobs[2] = {{.row = r}, {.row = r, .is_team = true}};
  bench_variant v[2];
  const int count = r->team && has_teams ? 2 : 1;
  jobs[0].expected = r->n;
  if (r->range == uneven) r->range(0, r->n, (jobs[0].expected = 0, &jobs[0].expected));
  jobs[1].expected = jobs[0].expected;
  for (int i = 0; i < count; i++)
    v[i] = (bench_variant){.name = r->name, .timed = timed, .check = check, .arg = &jobs[i], .n = r->n};
  if (!bench_rounds(b, v, count)) return false;
  report(b, r, v, count);
  return true;
}

static bool on_one_rank(bench *b, void *unused) {
#ifdef _OPENMP
  const bool has_teams = true;
#else
  const bool has_teams = false;
  printf("OpenMP is not measured: the compiler has none\n");
#endif
  (void)unused;
  x = bench_alloc(AXPY * sizeof *x, true);
  y = bench_alloc(AXPY * sizeof *y, true);
  bool good = x && y;
  for (uint64_t i = 0; good && i < AXPY; i++) x[i] = (double)(i % 7);
  printf("%-24s %7s %-15s %9s %6s %7s\n", "loop", "workers", "", "ns", "speed", "spread");
  for (size_t i = 0; good && i < sizeof rows / sizeof *rows; i++) good = measure(b, &rows[i], has_teams);
  scree_huge_free(x);
  scree_huge_free(y);
  return good;
}

static bool run(bench *b) {
  return bench_on_ranks(b, 1, on_one_rank, NULL);
}

const bench_mode bench_modes[] = {{.name = "loops",
                                   .what = "ns an iteration of an empty loop, of one that memory limits, and of one "
                                           "whose iterations differ 100 times, over OpenMP",
                                   .run = run,
                                   .thread_level = MPI_THREAD_SERIALIZED},
                                  {.name = "tree",
                                   .what = "the unbalanced tree T1 of UTS (Olivier et al., LCPC 2006) by spawns from "
                                           "rank 0, on 1, 2 and all ranks, which steal",
                                   .run = bench_tree,
                                   .needs_mpi = true},
                                  {0}};
