/* sim_global_loops.c - a loop, a scope and a completion wait for the implicit operations that their tasks have begun,
 * wherever these run. No task calls scree_quiet, and worlds are not checked: there operations take another path. */
#undef SCREE_CHECK_INLINE
#include <scree/global.h>
#include <scree/scree_sim.h>
#include <scree/task_loop.h>

#include "harness.h"

enum { WORDS = 96, ITERATIONS = 600, SEEDS = 60, RANKS = 3 };

typedef struct {
  scree_global words;
} loop_args;
SCREE_LOOP(add, loop_args);
SCREE_LOOP_REDUCED(count, loop_args, uint64_t);
SCREE_TASK(adder, loop_args);
SCREE_TASK(root, uint64_t);

typedef struct {
  add_type add;
  count_type count;
  adder_type adder;
  root_type root;
} types;

static void add_some(scree_task *self, uint64_t begin, uint64_t end, const loop_args *args) {
  scree_worker *w = scree_task_worker(self);
  const scree_global_map *map = scree_global_map_of(scree_world_of(w));
  for (uint64_t i = begin; i < end; i++) {
    const scree_address at = scree_global_at(map, &args->words, 0, 8 * (i % WORDS));
    if (i % 3)
      scree_atomic_fetch_add_nbi(w, at, 1, 8, NULL);
    else /* by a request with a slot */
      scree_atomic_fetch_add_nbi(w, at, 1, 4, NULL);
  }
}
SCREE_LOOP_BODY(add, loop_args, add_some);

static void count_some(scree_task *self, uint64_t begin, uint64_t end, const loop_args *args, uint64_t *value) {
  add_some(self, begin, end, args);
  *value = end - begin;
}
SCREE_LOOP_REDUCED_BODY(count, loop_args, uint64_t, count_some, scree_combine_sum_u64);

static void run_adder(scree_task *self, const loop_args *args) {
  add_some(self, 0, ITERATIONS, args);
}
SCREE_TASK_BODY(adder, loop_args, run_adder);

/* The additions that have arrived, which are then taken away. */
static uint64_t arrived(scree_task *self, const scree_global *words) {
  const scree_global_map *map = scree_global_map_of(scree_world_of(scree_task_worker(self)));
  uint64_t sum = 0;
  for (uint64_t i = 0; i < WORDS; i++) {
    uint64_t word = 0;
    const scree_address at = scree_global_at(map, words, 0, 8 * i);
    check_equal(scree_get(self, &word, at, 8), SCREE_OK);
    check_equal(scree_put_value(self, at, 0, 8), SCREE_OK);
    sum += word;
  }
  return sum;
}

static void run_loops(scree_task *self, const types *t, const loop_args *args) {
  static const scree_loop_policy policies[] = {SCREE_LOOP_PARTITION, SCREE_LOOP_LOCAL, SCREE_LOOP_REMOTE};
  for (int p = 0; p < 3; p++)
    for (uint64_t grain = 0; grain < 20; grain += 7) {
      uint64_t value = 0;
      check_equal(add_for(self, t->add, policies[p], 0, ITERATIONS, grain, *args), SCREE_OK);
      check_equal(arrived(self, &args->words), ITERATIONS);
      check_equal(count_reduce(self, t->count, policies[p], 0, ITERATIONS, grain, *args, &value), SCREE_OK);
      check_equal(value, ITERATIONS);
      check_equal(arrived(self, &args->words), ITERATIONS);
    }
}

static void run_scopes(scree_task *self, const types *t, const loop_args *args) {
  scree_worker *w = scree_task_worker(self);
  scree_scope *scope = scree_finish(self);
  for (uint32_t r = 0; r < RANKS; r++) adder_spawn_on(w, t->adder, scope, scree_worker_number(w, r, 0), *args);
  adder_spawn(w, t->adder, scope, *args);
  check_equal(scree_finish_end(self, scope), SCREE_OK);
  check_equal(arrived(self, &args->words), (RANKS + 1) * ITERATIONS);
  scree_completion *c;
  check_equal(scree_completion_open(w, &c), SCREE_OK);
  add_for_in(w, t->add, c, SCREE_LOOP_PARTITION, 0, ITERATIONS, 0, *args);
  check_equal(scree_completion_wait(self, c), SCREE_OK);
  check_equal(arrived(self, &args->words), ITERATIONS);
  check_equal(scree_completion_close(c), SCREE_OK);
}

static void run_root(scree_task *self, const uint64_t *unused) {
  const types *t = scree_task_arg(self);
  loop_args args = {0};
  check_equal(scree_global_alloc(self, 8 * WORDS, SCREE_GLOBAL_CYCLIC, &args.words), SCREE_OK);
  arrived(self, &args.words); /* memory that was allocated is not cleared */
  run_loops(self, t, &args);
  run_scopes(self, t, &args);
  check_equal(scree_global_free(self, &args.words), SCREE_OK);
}
SCREE_TASK_BODY(root, uint64_t, run_root);

static void play(scree_world *world, void *unused) {
  types t;
  scree_worker *w = scree_worker_of(world, 0);
  scree_global_options o = SCREE_GLOBAL_OPTIONS_INIT;
  scree_tasks_options tasks = SCREE_TASKS_OPTIONS_INIT;
  o.global_heap = 65536;
  o.global_stripe = 64;
  o.global_direct = SCREE_GLOBAL_DIRECT_OFF;
  tasks.task_stack = 65536;
  tasks.steal = SCREE_STEAL_ALL;
  check_equal(scree_tasks_open(world, &tasks), SCREE_OK);
  check_equal(scree_global_open(world, &o), SCREE_OK);
  check_equal(add_register(world, &t, &t.add), SCREE_OK);
  check_equal(count_register(world, &t, &t.count), SCREE_OK);
  check_equal(adder_register(world, &t, &t.adder), SCREE_OK);
  check_equal(root_register(world, &t, &t.root), SCREE_OK);
  check_equal(scree_begin(w), SCREE_OK);
  if (w->rank == 0) root_spawn(w, t.root, NULL, 0);
  check_equal(scree_end(w, NULL), SCREE_OK);
}

HARNESS_TEST(bodies_are_waited_for) {
  for (uint64_t seed = 1; seed <= SEEDS && !harness_failures(); seed++) {
    const scree_sim_config config = {.seed = seed, .ranks = RANKS, .nodes = 1 + (uint32_t)seed % 2};
    check_equal(scree_sim_run(&config, NULL, play, NULL, NULL), SCREE_OK);
    if (harness_failures()) printf("seed %" PRIu64 "\n", seed);
  }
}

HARNESS_MAIN
