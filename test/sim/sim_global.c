/* sim_global.c - generated programs of one-sided operations on drawn worlds, against one array for each allocation.
 * Every task has a slice of each, which only this task accesses, by ranges that do not overlap, all operations in all
 * of their forms. Failures while replies are outstanding. Words that several change: sim_global_words.c. */
#include <scree/global.h>

#include "base/random.h"
#include "drawn_world.h"
#include "global/operation.h"
#include "global_actor.h"
#include "harness.h"

enum {
  SEEDS = 130,
  SEEDS_FULL = 3000,
  AREAS = 8,
  TASKS = 24,
  ROUNDS = 3,
  RANKS = 9,
  RANGES = 6,
  LENT = 300,
  SMALL = 4000,
  LARGE = 3 << 20
};

/* One copy of an allocation, and what it must contain. memory: of what was exported. */
typedef struct {
  scree_global array;
  uint32_t copy;
  unsigned char *model, *memory;
} area;

/* Bytes on the stack of a task that waits until another one has worked on them. */
typedef struct {
  scree_address at;
  unsigned char *model;
} loan;

/* What all virtual ranks share, since one thread runs them. */
typedef struct {
  actor_plan plan;
  area area[AREAS];
  uint32_t areas, tasks, workers, begun; /* begun: of slices */
  const scree_global_map *map[RANKS];    /* of each rank */
  bool fails, lends, large;
  uint64_t lent, passed; /* passed on by ranks of a route */
  scree_global_options options;
} shared;

enum { ALLOCATES, PLAYS, EXAMINES, BORROWS };
typedef struct {
  uint64_t does;
  loan *of;
} job_args;
SCREE_TASK(job, job_args);
typedef struct {
  shared *s;
  const scree_global_map *map;
  job_type job;
  mix_type mix;
} virtual_rank;

static uint64_t draw(shared *s, uint64_t n) {
  return actor_draw(&s->plan, n);
}

static bool act(shared *s, actor *a, const scree_global_map *map, area *of, uint64_t slice) {
  const uint64_t each = of->array.bytes / s->tasks, end = (slice + 1) * each;
  uint64_t at = slice * each;
  for (uint32_t i = 0; i < RANGES && at < end; i++) {
    uint64_t bytes = draw(s, 3) ? 1 + draw(s, 20) : 1 + draw(s, end - at);
    if (i == 0 && each == LARGE && draw(s, 2)) bytes = LARGE;
    const uint64_t max = scree_global_contiguous(&of->array, at);
    if (bytes > end - at) bytes = end - at;
    if (bytes > max) bytes = max;
    if (draw(s, 2) && at % 8 == 0 && bytes > 8) bytes = 8;
    const scree_address where = scree_global_at(map, &of->array, of->copy, at);
    if (!actor_operate(a, where, of->model + at, bytes, of->array.policy)) return false;
    at += bytes;
    const scree__globals *own = scree__globals_of(scree__worker_of(a->w));
    check(own->outstanding <= own->outstanding_max);
  }
  return true;
}

/* What is complete is in the memory of its owner. */
static void look(const shared *s, const area *of, uint64_t slice) {
  const scree_global_map *map = s->map[0];
  const uint64_t each = of->array.bytes / s->tasks, end = (slice + 1) * each;
  for (uint64_t at = slice * each, n; at < end; at += n) {
    const scree_address where = scree_global_at(map, &of->array, of->copy, at);
    const unsigned char *bytes = scree_global_local(s->map[scree_global_owner(map, where)], where);
    n = scree_global_is_linear(where) ? scree_global_span(map, where) : scree_global_contiguous(&of->array, at);
    if (n > end - at) n = end - at;
    if (!check(memcmp(of->memory ? of->memory + at : bytes, of->model + at, n) == 0)) return;
  }
}

/* A task of any worker works on bytes of this one's stack, in one completion with an operation. If few tasks may live,
 * each may wait for another one's end. */
static bool lend(virtual_rank *r, actor *a) {
  unsigned char bytes[LENT] = {0}, model[LENT] = {0};
  const uint32_t to = (uint32_t)draw(r->s, a->w->ranks), index = (uint32_t)draw(r->s, r->s->workers);
  loan of = {scree_global_stack(a->self, bytes), model};
  const area *first = &r->s->area[0];
  unsigned char got = 0;
  if (!of.at) return false;
  job_spawn_on(a->w, r->job, a->completion, scree_worker_number(a->w, to, index), (job_args){BORROWS, &of});
  scree_get_in(a->w, a->completion, &got, scree_global_at(r->map, &first->array, first->copy, 0), 1);
  if (scree_completion_wait(a->self, a->completion)) return false;
  r->s->lent++;
  return check(memcmp(bytes, model, LENT) == 0);
}

static void borrow(shared *s, actor *a, const loan *of) {
  if (scree_completion_open(a->w, &a->completion)) return;
  for (uint64_t at = 0, n; at < LENT; at += n) {
    n = 1 + draw(s, LENT - at);
    if (!actor_operate(a, scree_global_add(of->at, (int64_t)at), of->model + at, n, ON_A_STACK)) break;
  }
  actor_finish(a);
  scree_completion_close(a->completion);
}

static void play_slice(virtual_rank *r, actor *a) {
  shared *s = r->s;
  const scree_global_map *map = r->map;
  const uint64_t slice = s->begun++;
  if (a->self && scree_completion_open(a->w, &a->completion)) return;
  for (uint32_t round = 0; round < ROUNDS; round++) {
    bool well = true;
    for (uint32_t i = 0; i < s->areas && well; i++) well = act(s, a, map, &s->area[i], slice);
    if (s->fails && draw(s, 40) == 0) scree_fail(a->w, SCREE_EINVAL, "drawn");
    if (!actor_finish(a) || !well) return;
    for (uint32_t i = 0; i < s->areas; i++) look(s, &s->area[i], slice);
    if (a->self && s->lends && draw(s, 4) == 0 && !lend(r, a)) return;
  }
  if (a->self) scree_completion_close(a->completion);
}

/* ---- allocation, and what is left in the end ---- */

static bool clear(scree_task *self, const scree_global_map *map, const area *of) {
  for (uint64_t at = 0, n; at < of->array.bytes; at += n) {
    n = scree_global_contiguous(&of->array, at);
    if (scree_put(self, scree_global_at(map, &of->array, of->copy, at), of->model + at, n)) return false;
  }
  return true;
}

static void allocate(scree_task *self, virtual_rank *r) {
  shared *s = r->s;
  const uint32_t ranks = r->map->ranks;
  while (s->areas < AREAS) {
    area *of = &s->area[s->areas];
    const scree_global_policy policy = (scree_global_policy)draw(s, SCREE_GLOBAL_EXPORTED + 1);
    if (policy == SCREE_GLOBAL_REMOTE && ranks == 1) continue;
    const uint64_t each = s->large && s->areas == 0 ? LARGE : 8 * (1 + draw(s, SMALL / 8)), bytes = s->tasks * each;
    if (policy == SCREE_GLOBAL_EXPORTED && !(of->memory = malloc(bytes))) return;
    if (of->memory ? scree_global_export(self, of->memory, bytes, true, &of->array)
                   : scree_global_alloc(self, bytes, policy, &of->array))
      return;
    of->copy = (uint32_t)draw(s, ranks);
    of->model = calloc(1, bytes);
    if (!clear(self, r->map, of)) return;
    s->areas++;
  }
}

static void examine(scree_task *self, virtual_rank *r) {
  for (uint32_t i = 0; i < r->s->areas; i++) {
    const area *of = &r->s->area[i];
    unsigned char *all = malloc(of->array.bytes);
    for (uint64_t at = 0, n; at < of->array.bytes; at += n) {
      n = scree_global_contiguous(&of->array, at);
      if (scree_get(self, all + at, scree_global_at(r->map, &of->array, of->copy, at), n)) break;
    }
    uint64_t bad = 0;
    while (bad < of->array.bytes && all[bad] == of->model[bad]) bad++;
    check_text(bad == of->array.bytes, "byte %" PRIu64 " of %" PRIu64 ", policy %u", bad, of->array.bytes,
               of->array.policy);
    free(all);
  }
}

static actor *new_actor(scree_worker *w, virtual_rank *r, scree_task *self) {
  actor *a = calloc(1, sizeof *a);
  *a = (actor){.self = self, .w = w, .plan = &r->s->plan, .map = r->map, .mix = r->mix};
  return a;
}

static void run_job(scree_task *self, const job_args *args) {
  virtual_rank *r = scree_task_arg(self);
  actor *a = new_actor(scree_task_worker(self), r, self);
  if (args->does == ALLOCATES)
    allocate(self, r);
  else if (args->does == PLAYS)
    play_slice(r, a);
  else if (args->does == BORROWS)
    borrow(r->s, a, args->of);
  else
    examine(self, r);
  free(a);
}
SCREE_TASK_BODY(job, job_args, run_job);

static void work(scree_worker *w, void *arg) {
  virtual_rank *r = arg;
  shared *s = r->s;
  if (scree_begin(w)) return;
  if (w->rank == w->ranks - 1 && w->index == 0) job_spawn(w, r->job, NULL, (job_args){.does = ALLOCATES});
  if (scree_end(w, NULL) || scree_begin(w)) return;
  const uint64_t mine = w->rank * s->workers + w->index, workers = w->ranks * s->workers;
  for (uint64_t i = workers + mine; i < s->tasks; i += workers) job_spawn(w, r->job, NULL, (job_args){.does = PLAYS});
  if (mine < s->tasks) { /* on the worker's own stack */
    actor *a = new_actor(w, r, NULL);
    play_slice(r, a);
    free(a);
  }
  if (scree_end(w, NULL) || scree_begin(w)) return;
  if (w->index == 0) job_spawn(w, r->job, NULL, (job_args){.does = EXAMINES});
  scree_end(w, NULL);
}

static void play(scree_world *world, void *arg) {
  virtual_rank r = {.s = arg};
  scree_tasks_options tasks = SCREE_TASKS_OPTIONS_INIT;
  tasks.task_stack = 65536;
  tasks.task_live = r.s->lends ? 64 : 1;
  check_equal(scree_tasks_open(world, &tasks), SCREE_OK);
  check_equal(scree_global_open(world, &r.s->options), SCREE_OK);
  r.map = r.s->map[scree_worker_of(world, 0)->rank] = scree_global_map_of(world);
  check_equal(job_register(world, &r, &r.job), SCREE_OK);
  check_equal(actor_register(world, &r.mix), SCREE_OK);
  scree_run_workers(world, r.s->workers, work, &r);
  scree_stats stats;
  scree_stats_read(world, &stats);
  r.s->passed += stats.passed;
  if (scree_error(world) && !r.s->fails) printf("%s\n", scree_error_text(world));
}

/* ---- the driver ---- */

static scree_status run_seed(uint64_t seed, shared *s, bool fails) {
  drawn_world d = draw_world(seed, 3, 3);
  memset(s, 0, sizeof *s);
  s->plan.random = scree__draw(&d.random);
  s->fails = fails;
  s->lends = scree__draw(&d.random) % 2;
  s->large = scree__draw(&d.random) % 20 == 0;
  if (s->large) d.config.ranks = 1 + (uint32_t)(seed % 3), d.config.nodes = d.config.threads = 1;
  if (s->large && seed % 2) d.config.nodes = d.config.ranks;
  s->workers = d.config.threads;
  s->tasks = d.config.ranks * d.config.threads + 1 + (uint32_t)(scree__draw(&d.random) % (s->large ? 3 : TASKS));
  s->options = (scree_global_options)SCREE_GLOBAL_OPTIONS_INIT;
  s->options.global_heap = 32 << 20;
  s->options.global_stripe = UINT64_C(8) << scree__draw(&d.random) % 10;
  s->options.global_direct = scree__draw(&d.random) % 3;
  s->options.global_outstanding = scree__draw(&d.random) % 2 ? 1 + scree__draw(&d.random) % 3 : SCREE_UNSET;
  if (scree__draw(&d.random) % 2)
    d.options.user.flush_age = UINT64_C(3600000000000); /* a worker that waits publishes what it waits for */
  const scree_status status = scree_sim_run(&d.config, &d.options.user, play, s, NULL);
  for (uint32_t i = 0; i < AREAS; i++) {
    free(s->area[i].model);
    free(s->area[i].memory);
  }
  return status;
}

/* Each operation in each form on each kind of memory. Delegates have no form that waits on a worker's own stack, and
 * stacks are lent to tasks, which wait otherwise. */
static void check_drawn(uint64_t drawn[OPERATIONS][FORMS][PLACES]) {
  for (int o = 0; o < OPERATIONS; o++)
    for (int f = 0; f < FORMS; f++)
      for (int p = 0; p < PLACES; p++) {
        const bool legal = f != POLL || (o != OPERATION_CALL && p != ON_A_STACK);
        check_text((drawn[o][f][p] > 0) == legal, "operation %d, form %d, policy %d: %" PRIu64, o, f, p,
                   drawn[o][f][p]);
      }
}

static void run_seeds(bool fails) {
  static shared s;
  uint64_t drawn[OPERATIONS][FORMS][PLACES] = {{{0}}};
  uint64_t operations[FORMS] = {0}, max[FORMS] = {0}, bytes = 0, failed = 0, lent = 0, passed = 0;
  const uint64_t count = harness_seeds(SEEDS, SEEDS_FULL);
  for (uint64_t seed = 1; seed <= count && harness_failures() == 0; seed++) {
    const scree_status status = run_seed(seed, &s, fails);
    check_text(status == SCREE_OK || (fails && status == SCREE_EINVAL), "seed %" PRIu64 ": %d", seed, (int)status);
    if (harness_failures()) printf("seed %" PRIu64 "\n", seed);
    for (int i = 0; i < FORMS; i++) {
      operations[i] += s.plan.operations[i];
      if (s.plan.max[i] > max[i]) max[i] = s.plan.max[i];
    }
    for (int o = 0; o < OPERATIONS; o++)
      for (int f = 0; f < FORMS; f++)
        for (int p = 0; p < PLACES; p++) drawn[o][f][p] += s.plan.drawn[o][f][p];
    bytes += s.plan.bytes;
    lent += s.lent;
    passed += s.passed;
    failed += status == SCREE_EINVAL;
  }
  printf("operations: %" PRIu64 " wait, %" PRIu64 " poll, %" PRIu64 " by futures, %" PRIu64 " by completions, %" PRIu64
         " implicit, %" PRIu64 " bytes; %" PRIu64 " stacks, %" PRIu64 " runs failed\n",
         operations[WAIT], operations[POLL], operations[INTO], operations[IN], operations[NBI], bytes, lent, failed);
  if (count < SEEDS) return; /* too few for some of everything */
  for (int i = 0; i < FORMS; i++) check(operations[i] > count && (fails || max[i] >= LARGE / 2));
  check_drawn(drawn);
  check(lent > count / 2 && passed > 10 * count);
  check(!fails || failed > count / 10);
}

HARNESS_TEST(against_a_model) {
  run_seeds(false);
}
HARNESS_TEST(failures) {
  run_seeds(true);
}

HARNESS_MAIN
