/* sim_task_loops.c - programs of loops, seed by seed: all policies, loops in loops, unbalanced trees of tasks,
 * reductions, under drawn options and all modes of stealing. Each iteration runs once; what fails ends all loops; work
 * that is all on one rank is found. */
#include <scree/scree_sim.h>
#include <scree/task_loop.h>

#include "base/hash.h"
#include "base/options.h"
#include "base/random.h"
#include "capture.h"
#include "harness.h"

enum { SEEDS = 60, SEEDS_FULL = 2000, WORKERS = 4, EPOCHS = 2, LOOPS = 4096, PAD = 40 };

typedef struct {
  uint32_t number, depth, epoch; /* number: of the loop, among all */
  char pad[PAD];
} loop_args;
typedef struct {
  char bytes[SCREE_LOOP_ARGS_MAX];
} large_args;
typedef struct {
  uint32_t depth, epoch;
} tree_args;
typedef struct {
  uint64_t count, sum, max;
} total;
SCREE_LOOP(part, loop_args);
SCREE_LOOP(large, large_args);
SCREE_LOOP_REDUCED(adds, loop_args, total);
SCREE_TASK(tree, tree_args);
SCREE_TASK(root, tree_args);
SCREE_TASK(branch, tree_args);

/* What all virtual ranks share, since one thread runs them. */
typedef struct {
  uint64_t seed, random;
  uint64_t began[EPOCHS], ran[EPOCHS]; /* iterations and trees: sums of hashes that cancel */
  uint32_t loops;
  uint64_t left[LOOPS]; /* by the number of a loop: iterations that have not run */
  scree_distribution_kind kind;
  uint32_t workers, ranks;
  bool fails, huge;
  uint64_t lifelines; /* that have brought work */
  scree_tasks_options tasks;
  char text[320];
} shared;

typedef struct {
  shared *s;
  part_type part;
  large_type large;
  adds_type adds;
  tree_type tree;
  root_type root;
  branch_type branch;
  scree_distribution map;
} virtual_rank;

static uint64_t draw(shared *s, uint64_t n) {
  return scree__draw(&s->random) % n;
}

static uint64_t hash_of(uint32_t loop, uint64_t i) {
  return scree__hash((uint64_t)loop << 40 ^ i);
}

/* ---- a loop of any policy ---- */

typedef struct {
  scree_loop_policy policy;
  uint64_t begin, end, grain;
  loop_args args;
} plan;

static plan draw_loop(virtual_rank *r, uint32_t depth, uint32_t epoch) {
  shared *s = r->s;
  plan p = {.policy = (scree_loop_policy)draw(s, 4), .begin = draw(s, 20)};
  if (p.policy == SCREE_LOOP_REMOTE && s->ranks == 1) p.policy = SCREE_LOOP_LOCAL;
  p.end = p.begin + draw(s, 3) * draw(s, depth > 1 ? 4 : 12);
  p.grain = p.begin == p.end ? draw(s, 2) : draw(s, p.end - p.begin + 1);
  p.args = (loop_args){.number = ++s->loops % LOOPS, .depth = depth, .epoch = epoch};
  memset(p.args.pad, (int)p.args.number % 100, PAD);
  for (uint64_t i = p.begin; i < p.end; i++) s->began[epoch] += hash_of(p.args.number, i);
  s->left[p.args.number] = p.end - p.begin;
  return p;
}

static void grow_tree(scree_worker *w, virtual_rank *r, scree_scope *scope, uint32_t depth, uint32_t epoch) {
  r->s->began[epoch] += scree__hash(depth);
  tree_spawn(w, r->tree, scope, (tree_args){depth, epoch});
}

static scree_status act(scree_task *self, uint32_t depth, uint32_t epoch);

/* What a call of a body does beside counting. */
static void run_iteration(scree_task *self, const loop_args *args, uint64_t i) {
  virtual_rank *r = scree_task_arg(self);
  shared *s = r->s;
  check_equal(args->pad[PAD - 1], (int)args->number % 100);
  s->ran[args->epoch] += hash_of(args->number, i);
  if (!s->fails) check(s->left[args->number] > 0);
  s->left[args->number]--;
  if (s->fails && draw(s, 40) == 0) scree_fail(scree_task_worker(self), SCREE_EINVAL, "drawn");
  if (draw(s, 4) == 0) scree_task_yield(self);
  if (args->depth && draw(s, 3) == 0) act(self, args->depth - 1, args->epoch);
}

static void run_part(scree_task *self, uint64_t begin, uint64_t end, const loop_args *args) {
  for (uint64_t i = begin; i < end && !scree_error(scree_world_of(scree_task_worker(self))); i++)
    run_iteration(self, args, i);
}
SCREE_LOOP_BODY(part, loop_args, run_part);

static void run_adds(scree_task *self, uint64_t begin, uint64_t end, const loop_args *args, total *t) {
  check_equal(t->count, 0); /* also where a range is several calls */
  for (uint64_t i = begin; i < end && !scree_error(scree_world_of(scree_task_worker(self))); i++) {
    run_iteration(self, args, i);
    t->count++;
    t->sum += hash_of(args->number, i);
    if (i > t->max) t->max = i;
  }
}
static void combine_totals(void *kept, const void *value) {
  total *a = kept;
  const total *b = value;
  a->count += b->count;
  a->sum += b->sum;
  if (b->max > a->max) a->max = b->max;
}
SCREE_LOOP_REDUCED_BODY(adds, loop_args, total, run_adds, combine_totals);

static void run_large(scree_task *self, uint64_t begin, uint64_t end, const large_args *args) {
  virtual_rank *r = scree_task_arg(self);
  for (size_t i = 1; i < sizeof args->bytes; i += 511) check_equal(args->bytes[i], 7);
  if (r->s->huge && end - begin < 100) scree_fail(scree_task_worker(self), SCREE_EINVAL, "enough");
  if (draw(r->s, 3) == 0) scree_task_yield(self);
  for (uint64_t i = begin; i < end && !r->s->huge; i++) r->s->ran[0] += hash_of(0, i);
}
SCREE_LOOP_BODY(large, large_args, run_large);

/* ---- what tasks do ---- */

static scree_status add_up(scree_task *self, const plan *p) {
  virtual_rank *r = scree_task_arg(self);
  total sum = {.count = 3}, expected = {3, 0, 0};
  const scree_status status = adds_reduce(self, r->adds, p->policy, p->begin, p->end, p->grain, p->args, &sum);
  if (status) return status;
  for (uint64_t i = p->begin; i < p->end; i++) combine_totals(&expected, &(total){1, hash_of(p->args.number, i), i});
  check_equal(sum.count, expected.count);
  check_equal(sum.sum, expected.sum);
  check_equal(sum.max, expected.max);
  return SCREE_OK;
}

static scree_status act(scree_task *self, uint32_t depth, uint32_t epoch) {
  virtual_rank *r = scree_task_arg(self);
  scree_worker *w = scree_task_worker(self);
  scree_status status = SCREE_OK;
  const plan p = draw_loop(r, depth, epoch);
  switch (draw(r->s, 4)) {
  case 0:
    status = add_up(self, &p);
    break;
  case 1: {
    scree_scope *scope = scree_finish(self);
    if (!scope) return SCREE_ESTATE;
    part_for_in(w, r->part, scope, p.policy, p.begin, p.end, p.grain, p.args);
    for (uint64_t i = draw(r->s, 3); i > 0 && depth; i--) grow_tree(w, r, scope, depth - 1, epoch);
    status = scree_finish_end(self, scope);
    break;
  }
  default:
    status = part_for(self, r->part, p.policy, p.begin, p.end, p.grain, p.args);
  }
  if (!status) check_equal(r->s->left[p.args.number], 0);
  return status;
}

static void run_tree(scree_task *self, const tree_args *args) {
  virtual_rank *r = scree_task_arg(self);
  r->s->ran[args->epoch] += scree__hash(args->depth);
  if (r->s->fails && draw(r->s, 40) == 0) scree_fail(scree_task_worker(self), SCREE_EINVAL, "drawn");
  if (draw(r->s, 4) == 0) scree_task_yield(self);
  for (uint64_t i = draw(r->s, 4); i > 0 && args->depth; i--)
    grow_tree(scree_task_worker(self), r, draw(r->s, 2) ? scree_task_scope(self) : NULL, args->depth - 1, args->epoch);
  if (args->depth && draw(r->s, 3) == 0) act(self, args->depth - 1, args->epoch);
}
SCREE_TASK_BODY(tree, tree_args, run_tree);

static void run_root(scree_task *self, const tree_args *args) {
  virtual_rank *r = scree_task_arg(self);
  if (!r->s->huge) {
    act(self, args->depth, args->epoch);
    return;
  }
  large_args a;
  memset(a.bytes, 7, sizeof a.bytes);
  large_for(self, r->large, SCREE_LOOP_PARTITION, 0, UINT64_C(1) << 40, 1, a);
}
SCREE_TASK_BODY(root, tree_args, run_root);

/* ---- the driver ---- */

static void begin_work(scree_worker *w, virtual_rank *r, uint32_t e) {
  shared *s = r->s;
  const bool first = w->rank == 0 && w->index == 0;
  if (s->huge && !first) return;
  if (first || draw(s, 3) == 0) root_spawn(w, r->root, NULL, (tree_args){2, e});
  if (draw(s, 3) == 0) {
    const plan p = draw_loop(r, 2, e);
    part_for_in(w, r->part, NULL, p.policy, p.begin, p.end, p.grain, p.args);
  }
  for (uint64_t i = draw(s, 3); i > 0; i--) grow_tree(w, r, NULL, 3, e);
  if (first && e == 0 && !s->huge && draw(s, 4) == 0) {
    large_args a;
    memset(a.bytes, 7, sizeof a.bytes);
    for (uint64_t i = 0; i < 50; i++) s->began[0] += hash_of(0, i);
    large_for_in(w, r->large, NULL, SCREE_LOOP_PARTITION, 0, 50, 3, a);
  }
}

static void worker_of_rank(scree_worker *w, void *arg) {
  virtual_rank *r = arg;
  for (uint32_t e = 0; e < EPOCHS; e++) {
    if (scree_begin(w)) return;
    begin_work(w, r, e);
    if (scree_end(w, NULL)) return;
    check_equal(r->s->ran[e], r->s->began[e]);
  }
}

/* Each steal brings at least one closure. */
static scree_tasks_stats stats_of(scree_world *world) {
  scree_tasks_stats stats = {.size = sizeof stats};
  check_equal(scree_tasks_stats_read(world, &stats), SCREE_OK);
  check(scree_error(world) || stats.moved >= stats.steals_here + stats.steals_elsewhere);
  return stats;
}

static void play(scree_world *world, void *arg) {
  virtual_rank r = {.s = arg};
  check_equal(scree_tasks_open(world, &r.s->tasks), SCREE_OK);
  check_equal(part_register(world, &r, &r.part), SCREE_OK);
  check_equal(large_register(world, &r, &r.large), SCREE_OK);
  check_equal(adds_register(world, &r, &r.adds), SCREE_OK);
  check_equal(tree_register(world, &r, &r.tree), SCREE_OK);
  check_equal(root_register(world, &r, &r.root), SCREE_OK);
  scree_distribution_init(&r.map, r.s->kind, 64, r.s->ranks);
  r.part.map = r.adds.map = &r.map;
  scree_run_workers(world, r.s->workers, worker_of_rank, &r);
  check(stats_of(world).exposed == 0 || r.s->workers > 1); /* in the first epoch too */
  if (scree_error(world) && scree_error_rank(world) == scree_worker_of(world, 0)->rank)
    snprintf(r.s->text, sizeof r.s->text, "%s", scree_error_text(world));
}

static scree_status run_seed(uint64_t seed, bool fails, bool huge, shared *s) {
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
                .ranks = ranks,
                .kind = (scree_distribution_kind)(scree__draw(&random) % 3),
                .fails = fails,
                .huge = huge,
                .tasks = SCREE_TASKS_OPTIONS_INIT};
  s->tasks.task_live = scree__draw(&random) % 2 ? 1 : 64;
  s->tasks.task_poll = 1 + scree__draw(&random) % 64;
  s->tasks.task_stack = 65536;
  s->tasks.task_guard = SCREE_TASK_GUARD_OFF;
  s->tasks.steal = scree__draw(&random) % 3;
  return scree_sim_run(&config, &options.user, play, s, NULL);
}

static shared s; /* large */

HARNESS_TEST(each_once) {
  uint64_t loops = 0;
  const uint64_t count = harness_seeds(SEEDS, SEEDS_FULL);
  for (uint64_t seed = 1; seed <= count && harness_failures() == 0; seed++) {
    const scree_status status = run_seed(seed, false, false, &s);
    check_text(status == SCREE_OK, "seed %" PRIu64 ": %s", seed, s.text);
    loops += s.loops;
  }
  printf("%" PRIu64 " loops\n", loops);
  check(loops > 5 * count);
}

HARNESS_TEST(failures) {
  uint64_t failed = 0;
  const uint64_t count = harness_seeds(SEEDS, SEEDS_FULL);
  for (uint64_t seed = 1; seed <= count && harness_failures() == 0; seed++) {
    const scree_status status = run_seed(seed, true, false, &s);
    check_text(status == SCREE_OK || status == SCREE_EINVAL, "seed %" PRIu64 ": %s", seed, s.text);
    failed += status == SCREE_EINVAL;
  }
  printf("%" PRIu64 " of %" PRIu64 " failed\n", failed, count);
  check(failed > count / 10);
}

HARNESS_TEST(huge_loops) {
  const uint64_t count = harness_seeds(SEEDS / 3, SEEDS_FULL);
  for (uint64_t seed = 1; seed <= count && harness_failures() == 0; seed++)
    check_equal(run_seed(seed, false, true, &s), SCREE_EINVAL);
}

/* ---- all work is on one worker ---- */

static uint64_t found[9 * WORKERS]; /* by worker: trees that it has run */

static void run_branch(scree_task *self, const tree_args *args) {
  scree_worker *w = scree_task_worker(self);
  virtual_rank *r = scree_task_arg(self);
  found[scree_worker_number(w, w->rank, w->index)]++;
  scree_task_yield(self);
  for (uint32_t i = 0; i < 2 && args->depth; i++)
    branch_spawn(w, r->branch, scree_task_scope(self), (tree_args){args->depth - 1, 0});
}
SCREE_TASK_BODY(branch, tree_args, run_branch);

static void find_work(scree_worker *w, void *arg) {
  virtual_rank *r = arg;
  if (scree_begin(w)) return;
  if (w->rank == 0 && w->index == 0) branch_spawn(w, r->branch, NULL, (tree_args){10, 0});
  check_equal(scree_end(w, NULL), SCREE_OK);
}

static void play_one(scree_world *world, void *arg) {
  virtual_rank r = {.s = arg};
  check_equal(scree_tasks_open(world, &r.s->tasks), SCREE_OK);
  check_equal(branch_register(world, &r, &r.branch), SCREE_OK);
  scree_run_workers(world, r.s->workers, find_work, &r);
  const scree_tasks_stats stats = stats_of(world);
  r.s->lifelines += stats.lifelines_won;
  check(stats.tries_elsewhere + stats.lifelines == 0 || r.s->tasks.steal == SCREE_STEAL_ALL);
  check(stats.moved == 0 || r.s->tasks.steal != SCREE_STEAL_OFF);
}

/* Nearly every worker finds some of 2,047 tasks that one has: all but those whose rank the schedule starves. The
 * requests end. */
HARNESS_TEST(all_on_one) {
  const uint64_t count = harness_seeds(SEEDS / 4, SEEDS_FULL / 4);
  uint64_t workers = 0, without = 0, lifelines = 0;
  for (uint64_t seed = 1; seed <= count && harness_failures() == 0; seed++) {
    const uint32_t ranks = 1 + (uint32_t)(seed % 5), threads = 1 + (uint32_t)(seed / 5 % 3);
    const scree_sim_config config = {
        .seed = seed, .ranks = ranks, .nodes = 1, .threads = threads, .max_steps = 50000000};
    s = (shared){.workers = threads, .ranks = ranks, .tasks = SCREE_TASKS_OPTIONS_INIT};
    s.tasks.steal = SCREE_STEAL_ALL;
    s.tasks.task_poll = 1;
    s.tasks.task_live = 4; /* so that tasks which yield leave closures */
    s.tasks.task_guard = SCREE_TASK_GUARD_OFF;
    memset(found, 0, sizeof found);
    check_equal(scree_sim_run(&config, NULL, play_one, &s, NULL), SCREE_OK);
    uint64_t sum = 0;
    for (uint32_t w = 0; w < ranks * threads; w++) {
      workers++;
      without += found[w] == 0;
      sum += found[w];
    }
    check_equal(sum, 2047);
    lifelines += s.lifelines;
  }
  printf("%" PRIu64 " of %" PRIu64 " workers have found no work; lifelines have brought work %" PRIu64 " times\n",
         without, workers, lifelines);
  check(without * 8 < workers || count < 8);
  check(lifelines > workers / 4);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(each_once), cmocka_unit_test(failures),
                                          cmocka_unit_test(huge_loops), cmocka_unit_test(all_on_one)};
HARNESS_MAIN(tests)
