/* sim_tasks.c - programs of tasks, seed by seed: trees of tasks over all workers, with scopes in scopes, futures,
 * completions and sends, under drawn options; what fails in each kind of wait; epochs that end with tasks that
 * sleep. */
#include <scree/scree_sim.h>
#include <scree/task.h>

#include "base/hash.h"
#include "base/options.h"
#include "base/random.h"
#include "capture.h"
#include "harness.h"

enum { SEEDS = 300, SEEDS_FULL = 2000, WORKERS = 4, EPOCHS = 2, SCOPES = 4096 };

typedef struct {
  uint64_t hash;
  uint32_t depth, kind, epoch, number; /* number: of the scope, 0: the epoch */
} tree_args;
typedef struct {
  uint64_t future;
  uint64_t value;
} reply_args;
SCREE_TASK(tree, tree_args);
SCREE_TASK(reply, reply_args);
SCREE_MESSAGE(ask, reply_args);

/* What all virtual ranks share, since one thread runs them. */
typedef struct {
  uint64_t seed, random;
  struct {
    uint64_t count, hash;
  } spawned[EPOCHS], ran[EPOCHS]; /* of tree */
  uint32_t numbers, left[SCOPES]; /* by the number of a scope: its trees that have not returned */
  uint64_t asked, handled, alone;
  uint32_t workers;
  bool fails, checked;
  scree_tasks_options tasks;
  char text[320]; /* why a rank's run failed */
} shared;

typedef struct {
  shared *s;
  tree_type tree;
  reply_type reply;
  ask_type ask;
  uint64_t inside[WORKERS]; /* 1: a task of this worker is between two waits */
} virtual_rank;

static uint64_t draw(shared *s, uint64_t n) {
  return scree__draw(&s->random) % n;
}

/* Between two waits a task is alone on its worker. */
static void step_in(scree_task *self) {
  virtual_rank *r = scree_task_arg(self);
  check_equal(r->inside[scree_task_worker(self)->index]++, 0);
}
static void step_out(scree_task *self) {
  virtual_rank *r = scree_task_arg(self);
  check_equal(--r->inside[scree_task_worker(self)->index], 0);
}

/* ---- answers ---- */

static void on_ask(scree_worker *w, const scree_batch *batch, const reply_args *items, void *arg) {
  virtual_rank *r = arg;
  for (uint32_t i = 0; i < batch->count; i++) {
    r->s->handled++;
    if (draw(r->s, 2))
      reply_spawn(w, r->reply, NULL, items[i]);
    else
      scree_future_set_at(w, items[i].future, &items[i].value, sizeof items[i].value);
  }
}
SCREE_HANDLER(ask, reply_args, on_ask);

static void run_reply(scree_task *self, const reply_args *args) {
  virtual_rank *r = scree_task_arg(self);
  if (draw(r->s, 2)) scree_task_yield(self);
  scree_future_set_at(scree_task_worker(self), args->future, &args->value, sizeof args->value);
}
SCREE_TASK_BODY(reply, reply_args, run_reply);

static void add_up(void *kept, const void *value) {
  *(uint64_t *)kept += *(const uint64_t *)value;
}

/* Waits for as many answers as it requests. */
static scree_status ask_all(scree_task *self, uint32_t n) {
  virtual_rank *r = scree_task_arg(self);
  shared *s = r->s;
  scree_worker *w = scree_task_worker(self);
  scree_future f;
  uint64_t sum = 0, expected = 0;
  scree_status status = scree_future_open(w, &f, sizeof sum, n, add_up);
  if (status) return status;
  for (uint32_t i = 0; i < n; i++) {
    const reply_args args = {scree_future_number(&f), draw(s, 1000)};
    expected += args.value;
    if (draw(s, 2))
      ask_send(w, r->ask, (uint32_t)draw(s, w->ranks), args);
    else
      reply_spawn_on(w, r->reply, scree_task_scope(self),
                     (uint32_t)(draw(s, w->ranks) * w->threads + draw(s, s->workers)), args);
  }
  step_out(self);
  status = draw(s, 2) ? scree_future_wait(self, &f, &sum)
                      : scree_future_wait_at(self, scree_future_number(&f), &sum, sizeof sum);
  step_in(self);
  if (status) return status;
  check_equal(sum, expected);
  check(scree_future_test(&f, NULL));
  scree_future_close(&f);
  return SCREE_OK;
}

/* ---- trees ---- */

static uint64_t hash_of(const tree_args *args) {
  return scree__hash(args->hash ^ args->depth ^ (uint64_t)args->epoch << 32);
}

static void grow(scree_worker *w, virtual_rank *r, scree_scope *scope, uint32_t depth, uint32_t epoch,
                 uint32_t number) {
  shared *s = r->s;
  const tree_args args = {scree__draw(&s->random), depth, (uint32_t)draw(s, 6), epoch, number};
  s->left[number]++;
  s->spawned[epoch].count++;
  s->spawned[epoch].hash += hash_of(&args);
  const uint32_t dest = (uint32_t)(draw(s, w->ranks) * w->threads + draw(s, s->workers));
  switch (draw(s, 5)) {
  case 0:
    tree_spawn(w, r->tree, scope, args);
    break;
  case 1:
    tree_spawn_by(w, r->tree, scope, args, draw(s, 100000));
    break;
  default:
    tree_spawn_on(w, r->tree, scope, dest, args);
  }
}

/* All that was spawned in a scope has run when it ends: `ran` of its tasks is what it counts here. */
static scree_status grow_scope(scree_task *self, uint32_t depth, uint32_t epoch) {
  virtual_rank *r = scree_task_arg(self);
  scree_scope *scope = scree_finish(self);
  const uint32_t number = ++r->s->numbers % SCOPES;
  if (!scope) return SCREE_ESTATE;
  for (uint64_t i = draw(r->s, 3); i > 0; i--) grow(scree_task_worker(self), r, scope, depth, epoch, number);
  step_out(self);
  const scree_status status = scree_finish_end(self, scope);
  step_in(self);
  if (!status) check_equal(r->s->left[number], 0);
  return status;
}

static scree_status grow_completion(scree_task *self, uint32_t depth, uint32_t epoch) {
  virtual_rank *r = scree_task_arg(self);
  scree_completion *c;
  const uint32_t number = ++r->s->numbers % SCOPES;
  scree_status status = scree_completion_open(scree_task_worker(self), &c);
  if (status) return status;
  for (uint64_t i = draw(r->s, 3); i > 0; i--) grow(scree_task_worker(self), r, c, depth, epoch, number);
  scree_completion_enroll(c, 2);
  scree_completion_complete(c, 2);
  step_out(self);
  status = scree_completion_wait(self, c);
  step_in(self);
  if (!status) check_equal(r->s->left[number], 0);
  return status ? status : scree_completion_close(c);
}

static scree_status act(scree_task *self, const tree_args *args) {
  virtual_rank *r = scree_task_arg(self);
  scree_status status = SCREE_OK;
  switch (args->kind) {
  case 0:
    return grow_scope(self, args->depth - 1, args->epoch);
  case 1:
    return ask_all(self, 1 + (uint32_t)draw(r->s, 3));
  case 2:
    return grow_completion(self, args->depth - 1, args->epoch);
  case 3:
    step_out(self);
    status = scree_task_yield(self);
    step_in(self);
    /* fall through */
  default:
    for (uint64_t i = draw(r->s, 3); i > 0; i--)
      grow(scree_task_worker(self), r, scree_task_scope(self), args->depth - 1, args->epoch, args->number);
    return status;
  }
}

static void run_tree(scree_task *self, const tree_args *args) {
  virtual_rank *r = scree_task_arg(self);
  shared *s = r->s;
  step_in(self);
  s->ran[args->epoch].count++;
  s->ran[args->epoch].hash += hash_of(args);
  if (s->fails && draw(s, 40) == 0) scree_fail(scree_task_worker(self), SCREE_EINVAL, "drawn");
  if (args->depth > 0) act(self, args);
  s->left[args->number]--;
  step_out(self);
}
SCREE_TASK_BODY(tree, tree_args, run_tree);

/* ---- the driver ---- */

static void worker_of_rank(scree_worker *w, void *arg) {
  virtual_rank *r = arg;
  for (uint32_t e = 0; e < EPOCHS; e++) {
    if (scree_begin(w)) return;
    for (uint64_t i = draw(r->s, 4); i > 0; i--) grow(w, r, NULL, 1 + (uint32_t)draw(r->s, 4), e, 0);
    if (scree_end(w, NULL)) return;
    check_equal(r->s->ran[e].count, r->s->spawned[e].count);
    check_equal(r->s->ran[e].hash, r->s->spawned[e].hash);
  }
}

static void play(scree_world *world, void *arg) {
  virtual_rank r = {.s = arg};
  check_equal(scree_tasks_open(world, &r.s->tasks), SCREE_OK);
  check_equal(tree_register(world, &r, &r.tree), SCREE_OK);
  check_equal(reply_register(world, &r, &r.reply), SCREE_OK);
  check_equal(ask_register(world, &r, &r.ask), SCREE_OK);
  scree_run_workers(world, r.s->workers, worker_of_rank, &r);
  if (scree_error(world) && scree_error_rank(world) == scree_worker_of(world, 0)->rank)
    snprintf(r.s->text, sizeof r.s->text, "%s", scree_error_text(world));
}

static scree_status run_seed(uint64_t seed, bool fails, shared *s) {
  uint64_t random = scree__hash(seed);
  const uint32_t ranks = 1 + (uint32_t)(scree__draw(&random) % 9),
                 threads = 1 + (uint32_t)(scree__draw(&random) % WORKERS);
  const scree_sim_config config = {.seed = seed,
                                   .ranks = ranks,
                                   .nodes = 1 + (uint32_t)(scree__draw(&random) % ranks),
                                   .threads = threads,
                                   .max_steps = 50000000,
                                   .quiet = true};
  scree__options options = SCREE__OPTIONS_INIT;
  if (scree__draw(&random) % 2) options.test_pool_blocks = options.in_flight = 1;
  if (scree__draw(&random) % 4 == 0) options.checked = SCREE_CHECKED_ON;
  if (scree__draw(&random) % 4 == 0) options.detector = SCREE_DETECTOR_FLAT;
  options.batch_max = 1 + scree__draw(&random) % 8;
  options.flush_age = scree__draw(&random) % 3 * 1000000;
  *s = (shared){.seed = seed,
                .random = scree__draw(&random),
                .workers = 1 + (uint32_t)(scree__draw(&random) % threads),
                .fails = fails,
                .tasks = SCREE_TASKS_OPTIONS_INIT};
  s->text[0] = 0;
  s->tasks.task_live = scree__draw(&random) % 2 ? 1 : 64;
  s->tasks.task_poll = 1 + scree__draw(&random) % 64;
  s->tasks.task_stack = 65536;
  s->tasks.task_guard = scree__draw(&random) % 3;
  return scree_sim_run(&config, &options.user, play, s, NULL);
}

HARNESS_TEST(each_once) {
  uint64_t tasks = 0;
  const uint64_t count = harness_seeds(SEEDS, SEEDS_FULL);
  for (uint64_t seed = 1; seed <= count && harness_failures() == 0; seed++) {
    shared s;
    const scree_status status = run_seed(seed, false, &s);
    check_text(status == SCREE_OK, "seed %" PRIu64 ": %s", seed, s.text);
    for (int e = 0; e < EPOCHS; e++) tasks += s.ran[e].count;
  }
  printf("%" PRIu64 " tasks\n", tasks);
  check(tasks > 10 * count || count < 10);           /* few seeds may draw small programs */
  check_equal(scree_task_yield(NULL), SCREE_ESTATE); /* the thread is in no world any more */
}

HARNESS_TEST(failures) {
  uint64_t failed = 0;
  const uint64_t count = harness_seeds(SEEDS, SEEDS_FULL);
  for (uint64_t seed = 1; seed <= count && harness_failures() == 0; seed++) {
    shared s;
    const scree_status status = run_seed(seed, true, &s);
    check_text(status == SCREE_OK || status == SCREE_EINVAL, "seed %" PRIu64 ": %s", seed, s.text);
    failed += status == SCREE_EINVAL;
  }
  printf("%" PRIu64 " of %" PRIu64 " failed\n", failed, count);
  check(failed > count / 10);
}

HARNESS_MAIN
