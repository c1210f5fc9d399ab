/* sim_global_words.c - words of global memory that several tasks change: atomics and delegates, of which none is lost,
 * and litmus tests of consistency, whose forbidden outcomes appear with no seed. On drawn worlds. */
#include <scree/global.h>

#include "base/random.h"
#include "drawn_world.h"
#include "global_litmus.h"
#include "harness.h"

enum {
  SEEDS = 100,
  SEEDS_FULL = 2000,
  LITMUS = 60,
  LITMUS_FULL = 10000,
  ROUNDS = 3,
  TASKS = 20,
  THREADS = LITMUS_THREADS,
  STEPS = LITMUS_STEPS
};
enum { SUM, SHORT, SET, CLEARED, FLIPPED, IMPLICIT, SWAPPED, OBJECT = 8, SPAWNED = OBJECT + 2, WORDS };

/* ---- what all virtual ranks share, since one thread runs them ---- */

typedef struct {
  uint64_t random, flipped, tasks, workers, calls, noted, atomics, waited;
  uint64_t seen[TASKS * 40 / 64]; /* old values of the first sum */
  scree_global words;
  uint64_t other; /* byte of the second word of a litmus test */
  const litmus *litmus;
  uint64_t got[THREADS][STEPS];
  scree_global_options options;
} shared;

typedef struct {
  uint64_t n;
} job_args;
typedef struct {
  uint64_t value;
  unsigned char fill[32];
} bump_args;
typedef struct {
  uint64_t before, twice, fill[3];
} bump_result;
typedef struct {
  scree_address at;
} visit_args;
SCREE_MESSAGE(note, uint64_t);
SCREE_TASK(job, job_args);
SCREE_TASK(visit, visit_args);
SCREE_TASK_AT(visit, visit_args);
SCREE_DELEGATE(bump, bump_args, bump_result);

typedef struct scene_rank {
  shared *s;
  const scree_global_map *map;
  job_type job;
  visit_type visit;
  bump_type bump;
  note_type note;
  void (*run)(scree_task *, struct scene_rank *, uint64_t n);
} scene_rank;

static uint64_t draw(shared *s, uint64_t n) {
  return scree__draw(&s->random) % n;
}
static scree_address word(const scene_rank *r, uint64_t i) {
  return scree_global_at(r->map, &r->s->words, 0, 8 * i);
}

/* ---- sums ---- */

/* One message of each delegate's call. */
static void on_note(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  const scene_rank *r = arg;
  for (uint32_t i = 0; i < batch->count; i++) check_equal(items[i], 3);
  r->s->noted += batch->count;
}
SCREE_HANDLER(note, uint64_t, on_note);

/* No atomics: all on these bytes run on one worker, one at a time. */
static void on_bump(scree_worker *w, void *object, const bump_args *args, bump_result *result, void *arg) {
  uint64_t *count = object;
  scene_rank *r = arg;
  check(args->fill[31] == 7);
  result->before = count[0];
  count[0] += args->value;
  count[1]++;
  result->twice = 2 * count[0];
  note_send(w, r->note, (uint32_t)draw(r->s, w->ranks), args->value);
  if (draw(r->s, 4) == 0) visit_spawn_at(w, r->visit, NULL, word(r, SPAWNED), (visit_args){word(r, SPAWNED)});
}
SCREE_DELEGATE_BODY(bump, bump_args, bump_result, on_bump);

/* A task that was spawned at the owner finds the word there. */
static void run_visit(scree_task *self, const visit_args *args) {
  scene_rank *r = scree_task_arg(self);
  scree_worker *w = scree_task_worker(self);
  check_equal(w->rank, scree_global_owner(r->map, args->at));
  check_equal(scree_worker_number(w, w->rank, w->index), scree_global_worker(w, args->at));
  ++*(uint64_t *)scree_global_local(r->map, args->at); /* no other worker does */
}
SCREE_TASK_BODY(visit, visit_args, run_visit);

static bool call_all(scree_task *self, scene_rank *r) {
  scree_worker *w = scree_task_worker(self);
  const scree_address at = word(r, OBJECT);
  const bump_args args = {3, {[31] = 7}};
  bump_result result, other, third;
  scree_future f;
  scree_completion *c;
  bump_cast(w, r->bump, at, 16, args);
  if (bump_call(self, r->bump, at, 16, args, &result) || scree_completion_open(w, &c)) return false;
  check_equal(result.twice, 2 * (result.before + 3));
  scree_future_open(w, &f, 8, 1, NULL);
  bump_call_into(w, &f, r->bump, at, 16, args, &other);
  bump_call_in(w, c, r->bump, at, 16, args, &third);
  uint64_t before;
  if (scree_future_wait(self, &f, &before) || scree_completion_wait(self, c)) return false;
  check(before == other.before && other.twice == 2 * (other.before + 3) && third.before != other.before);
  scree_future_close(&f);
  scree_completion_close(c);
  return true;
}

/* Old values of the first sum are all different; nothing that others do is lost. */
static bool change_words(scree_task *self, scene_rank *r, uint64_t n) {
  shared *s = r->s;
  scree_worker *w = scree_task_worker(self);
  const uint64_t bit = UINT64_C(1) << n % 64, flip = scree__draw(&s->random);
  uint64_t old = 0, cleared;
  scree_atomic_fetch_add_nbi(w, word(r, SHORT), 3, 4, NULL);
  scree_atomic_fetch_add_nbi(w, word(r, IMPLICIT), 5, 8, NULL);
  scree_atomic_or_nbi(w, word(r, SET), bit, 8, NULL);
  scree_atomic_and_nbi(w, word(r, CLEARED), ~bit, 8, &cleared);
  scree_atomic_xor_nbi(w, word(r, FLIPPED), flip, 8, NULL);
  s->flipped ^= flip;
  if (scree_atomic_fetch_add(self, word(r, SUM), 1, 8, &old) || !check(old < sizeof s->seen * 8)) return false;
  check((s->seen[old / 64] >> old % 64 & 1) == 0);
  s->seen[old / 64] |= UINT64_C(1) << old % 64;
  for (uint64_t seen = 0, tried = 1; seen != tried;) { /* one more, by compare and swap */
    tried = seen;
    if (scree_atomic_compare_swap(self, word(r, SWAPPED), tried, tried + 1, 8, &seen)) return false;
  }
  return scree_quiet(self) == SCREE_OK;
}

static void add_up(scree_task *self, scene_rank *r, uint64_t n) {
  for (uint32_t round = 0; round < ROUNDS; round++)
    if (!change_words(self, r, n) || !call_all(self, r)) return;
}

static void examine(scree_task *self, scene_rank *r) {
  const shared *s = r->s;
  const uint64_t times = s->tasks * ROUNDS;
  uint64_t got[WORDS] = {0};
  for (uint32_t i = 0; i < WORDS; i++)
    if (scree_get(self, &got[i], word(r, i), 8)) return;
  check_equal(got[SUM], times);
  check_equal(got[SHORT] & UINT32_MAX, times * 3);
  check_equal(got[SET], s->tasks < 64 ? (UINT64_C(1) << s->tasks) - 1 : UINT64_MAX);
  check_equal(got[CLEARED], ~got[SET]);
  check_equal(got[FLIPPED], s->flipped);
  check_equal(got[IMPLICIT], times * 5);
  check_equal(got[SWAPPED], times);
  check_equal(got[OBJECT], times * 4 * 3);
  check_equal(got[OBJECT + 1], times * 4);
  check(got[SPAWNED] > 0 || times < 4);
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
  for (uint32_t i = 0; n < THREADS && i < STEPS; i++) {
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
  const uint64_t ones = UINT64_MAX;
  shared *s = r->s;
  if (scree_global_alloc(self, sizeof zeros, draw(s, 3) ? SCREE_GLOBAL_CYCLIC : SCREE_GLOBAL_LOCAL, &s->words)) return;
  if (scree_put(self, word(r, 0), zeros, sizeof zeros)) return;
  if (!s->litmus) scree_put(self, word(r, CLEARED), &ones, sizeof ones);
}

static void run_job(scree_task *self, const job_args *args) {
  scene_rank *r = scree_task_arg(self);
  if (args->n == UINT64_MAX)
    allocate(self, r);
  else if (args->n < r->s->tasks)
    r->run(self, r, args->n);
  else if (r->s->litmus)
    judge(self, r);
  else
    examine(self, r);
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
  for (uint64_t i = w->rank * s->workers + w->index; i < s->tasks; i += all)
    job_spawn_on(w, r->job, NULL, (uint32_t)(draw(s, w->ranks) * w->threads + draw(s, s->workers)), (job_args){i});
  if (scree_end(w, NULL) || scree_begin(w)) return;
  if (first) job_spawn(w, r->job, NULL, (job_args){s->tasks});
  scree_end(w, NULL);
}

static void play(scree_world *world, void *arg) {
  scene_rank r = {.s = arg};
  scree_tasks_options tasks = SCREE_TASKS_OPTIONS_INIT;
  tasks.task_stack = 65536;
  r.run = r.s->litmus ? run_thread : add_up;
  check_equal(scree_tasks_open(world, &tasks), SCREE_OK);
  check_equal(scree_global_open(world, &r.s->options), SCREE_OK);
  r.map = scree_global_map_of(world);
  check_equal(job_register(world, &r, &r.job), SCREE_OK);
  check_equal(visit_register(world, &r, &r.visit), SCREE_OK);
  check_equal(bump_register(world, &r, &r.bump), SCREE_OK);
  check_equal(note_register(world, &r, &r.note), SCREE_OK);
  scree_run_workers(world, (uint32_t)r.s->workers, work, &r);
  scree_global_stats stats = {.size = sizeof stats};
  check_equal(scree_global_stats_read(world, &stats), SCREE_OK);
  r.s->calls += stats.calls;
  r.s->atomics += stats.atomics;
  r.s->waited += stats.wait_ns;
  if (!r.s->litmus) check_equal(stats.answered, stats.requests);
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
  s.tasks = of ? THREADS : 1 + scree__draw(&d.random) % TASKS;
  s.options = (scree_global_options)SCREE_GLOBAL_OPTIONS_INIT;
  s.options.global_heap = 1 << 20;
  s.options.global_stripe = UINT64_C(16) << scree__draw(&d.random) % 6;
  s.options.global_direct = scree__draw(&d.random) % 3;
  s.options.global_outstanding = scree__draw(&d.random) % 2 ? 1 : SCREE_UNSET;
  const scree_status status = scree_sim_run(&d.config, &d.options.user, play, &s, NULL);
  check_equal(s.calls, of ? 0 : s.tasks * ROUNDS * 4);
  check_equal(s.noted, s.calls);
  check(of || s.atomics >= s.tasks * ROUNDS * 7);
  waited += s.waited;
  check_text(status == SCREE_OK, "seed %" PRIu64 ": %d", seed, (int)status);
  if (harness_failures()) printf("seed %" PRIu64 "\n", seed);
}

HARNESS_TEST(sums) {
  const uint64_t count = harness_seeds(SEEDS, SEEDS_FULL);
  for (uint64_t seed = 1; seed <= count && harness_failures() == 0; seed++) run_seed(seed, NULL);
  check(waited > 0);
}

HARNESS_TEST(consistency) {
  const uint64_t count = harness_seeds(LITMUS, LITMUS_FULL);
  for (size_t i = 0; i < LITMUS_TESTS; i++)
    for (uint64_t seed = 1; seed <= count && harness_failures() == 0; seed++) run_seed(seed, &litmus_tests[i]);
}

HARNESS_MAIN
