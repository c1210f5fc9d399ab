/* sim_global_words.c - litmus tests of words of global memory, on drawn worlds: no seed shows a forbidden outcome.
 * Random programs (test/traffic/global.c) see that no change of a word is lost. */
#include <scree/global.h>

#include "base/random.h"
#include "drawn_world.h"
#include "global_litmus.h"
#include "harness.h"

enum { LITMUS = 60, LITMUS_FULL = 10000, THREADS = LITMUS_THREADS, STEPS = LITMUS_STEPS };

/* ---- what all virtual ranks share, since one thread runs them ---- */

typedef struct {
  uint64_t random, workers, waited;
  scree_global words;
  uint64_t other; /* byte of the second word of a litmus test */
  const litmus *litmus;
  uint64_t got[THREADS][STEPS];
  scree_global_options options;
} shared;

typedef struct {
  uint64_t n;
} job_args;
SCREE_TASK(job, job_args);

typedef struct {
  shared *s;
  const scree_global_map *map;
  job_type job;
} scene_rank;

static uint64_t draw(shared *s, uint64_t n) {
  return scree__draw(&s->random) % n;
}
/* ---- litmus tests ---- */

/* Word 2 + i always contains i. */
static scree_address litmus_word(const scene_rank *r, uint32_t i) {
  return scree_global_at(r->map, &r->s->words, 0, i > 1 ? 4096 + 8 * (i - 2) : i ? r->s->other : 0);
}

/* In a drawn form, each of which has messages of another type. A future may be set when the task has returned, so it is
 * a completion, which stays open: a fence that lets something pass shows in the words alone. */
static bool put_asynchronously(scree_task *self, scene_rank *r, const step *of, scree_completion **open) {
  scree_worker *w = scree_task_worker(self);
  const scree_address at = litmus_word(r, of->word);
  static uint64_t old; /* ignored */
  scree_completion *c = NULL;
  if (of->by == FENCED && draw(r->s, 2) && scree_completion_open(w, &c)) return false;
  *open = c;
  if (c && draw(r->s, 2))
    scree_copy_in(w, c, at, litmus_word(r, 2 + (uint32_t)of->value), 8);
  else if (c)
    scree_scatter_in(w, c, &at, &of->value, 1, 8);
  else if (draw(r->s, 2))
    scree_put_value_nbi(w, at, of->value, 8);
  else
    scree_atomic_swap_nbi(w, at, of->value, 8, &old);
  if (of->by == QUIETED) return scree_quiet(self) == SCREE_OK;
  return scree_fence(self, at) == SCREE_OK;
}

static void run_thread(scree_task *self, scene_rank *r, uint64_t n) {
  shared *s = r->s;
  scree_completion *open[STEPS] = {NULL};
  for (uint64_t i = draw(s, 4); i > 0; i--)
    if (scree_task_yield(self)) return;
  for (uint32_t i = 0; i < STEPS; i++) {
    const step *of = &s->litmus->thread[n][i];
    if (of->by != WAITS) {
      if (!put_asynchronously(self, r, of, &open[i])) return;
      continue;
    }
    if (of->value && scree_put_value(self, litmus_word(r, of->word), of->value, 8)) return;
    if (!of->value && scree_get(self, &s->got[n][i], litmus_word(r, of->word), 8)) return;
  }
  for (uint32_t i = 0; i < STEPS; i++)
    if (open[i] && (scree_completion_wait(self, open[i]) || scree_completion_close(open[i]))) return;
}

static void judge(scree_task *self, scene_rank *r) {
  shared *s = r->s;
  uint64_t last[2];
  for (uint32_t i = 0; i < 2; i++)
    if (scree_get(self, &last[i], litmus_word(r, i), 8)) return;
  check_text(!s->litmus->forbidden(s->got, last), "%s: a forbidden outcome", s->litmus->name);
}

/* ---- the driver ---- */

static void allocate(scree_task *self, scene_rank *r) {
  static const uint64_t zeros[4096 / 8 + THREADS] = {[4096 / 8 + 1] = 1, 2, 3};
  shared *s = r->s;
  if (scree_global_alloc(self, sizeof zeros, draw(s, 3) ? SCREE_GLOBAL_CYCLIC : SCREE_GLOBAL_LOCAL, &s->words)) return;
  scree_put(self, scree_global_at(r->map, &s->words, 0, 0), zeros, sizeof zeros);
}

static void run_job(scree_task *self, const job_args *args) {
  scene_rank *r = scree_task_arg(self);
  if (args->n == UINT64_MAX)
    allocate(self, r);
  else if (args->n < THREADS)
    run_thread(self, r, args->n);
  else
    judge(self, r);
}
SCREE_TASK_BODY(job, job_args, run_job);

static void work(scree_worker *w, void *arg) {
  scene_rank *r = arg;
  shared *s = r->s;
  const bool first = w->rank == 0 && w->index == 0;
  const uint64_t all = w->ranks * s->workers;
  if (scree_begin(w)) return;
  if (first) job_spawn(w, r->job, NULL, (job_args){UINT64_MAX});
  if (scree_end(w, NULL) || scree_begin(w)) return;
  for (uint64_t i = w->rank * s->workers + w->index; i < THREADS; i += all)
    job_spawn_on(w, r->job, NULL, (uint32_t)(draw(s, w->ranks) * w->threads + draw(s, s->workers)), (job_args){i});
  if (scree_end(w, NULL) || scree_begin(w)) return;
  if (first) job_spawn(w, r->job, NULL, (job_args){THREADS});
  scree_end(w, NULL);
}

static void play(scree_world *world, void *arg) {
  scene_rank r = {.s = arg};
  scree_tasks_options tasks = SCREE_TASKS_OPTIONS_INIT;
  tasks.task_stack = 65536;
  check_equal(scree_tasks_open(world, &tasks), SCREE_OK);
  check_equal(scree_global_open(world, &r.s->options), SCREE_OK);
  r.map = scree_global_map_of(world);
  check_equal(job_register(world, &r, &r.job), SCREE_OK);
  scree_run_workers(world, (uint32_t)r.s->workers, work, &r);
  scree_global_stats stats = {.size = sizeof stats};
  check_equal(scree_global_stats_read(world, &stats), SCREE_OK);
  r.s->waited += stats.wait_ns;
  check(stats.local + stats.direct + stats.requests + stats.words >= stats.atomics + stats.calls);
  if (scree_worker_of(world, 0)->ranks == 1) check(stats.requests <= stats.calls); /* of tasks of other workers */
  if (scree_error(world)) printf("%s\n", scree_error_text(world));
}

static uint64_t waited; /* ns, in all runs */

static void run_seed(uint64_t seed, const litmus *of) {
  static shared s;
  drawn_world d = draw_world(seed, 3, 3);
  memset(&s, 0, sizeof s);
  s.random = scree__draw(&d.random);
  s.litmus = of;
  s.other = 8 * (1 + scree__draw(&d.random) % 511);
  s.workers = d.config.threads;
  s.options = (scree_global_options)SCREE_GLOBAL_OPTIONS_INIT;
  s.options.global_heap = 1 << 20;
  s.options.global_stripe = UINT64_C(16) << scree__draw(&d.random) % 6;
  s.options.global_direct = scree__draw(&d.random) % 3;
  s.options.global_outstanding = scree__draw(&d.random) % 2 ? 1 : SCREE_UNSET;
  const scree_status status = scree_sim_run(&d.config, &d.options.user, play, &s, NULL);
  waited += s.waited;
  check_text(status == SCREE_OK, "seed %" PRIu64 ": %d", seed, (int)status);
  if (harness_failures()) printf("seed %" PRIu64 "\n", seed);
}

HARNESS_TEST(consistency) {
  const uint64_t count = harness_seeds(LITMUS, LITMUS_FULL);
  for (size_t i = 0; i < LITMUS_TESTS; i++)
    for (uint64_t seed = 1; seed <= count && harness_failures() == 0; seed++) run_seed(seed, &litmus_tests[i]);
  check(waited > 0);
}

HARNESS_MAIN
