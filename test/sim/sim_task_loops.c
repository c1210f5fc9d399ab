/* sim_task_loops.c - two scenes of loops and of stealing: a loop of 2^40 iterations ends as soon as it fails, and work
 * that is all on one rank is found. Random programs of loops: test/traffic. */
#include <scree/scree_sim.h>
#include <scree/task_loop.h>

#include "base/random.h"
#include "harness.h"

enum { SEEDS = 20, SEEDS_FULL = 1000, RANKS = 9, WORKERS = 4, DEPTH = 10 };

typedef struct {
  uint32_t depth;
} branch_args;
typedef struct {
  char bytes[SCREE_LOOP_ARGS_MAX];
} large_args;
SCREE_LOOP(large, large_args);
SCREE_TASK(branch, branch_args);
SCREE_TASK(root, branch_args);

/* Of all virtual ranks, since one thread runs them. */
static struct {
  scree_tasks_options tasks;
  uint32_t workers;
  uint64_t lifelines;              /* that have brought work */
  uint64_t found[RANKS * WORKERS]; /* by worker: branches that it has run */
} s;
typedef struct {
  large_type large;
  branch_type branch;
  root_type root;
} virtual_rank;

/* ---- a huge loop ---- */

static void run_large(scree_task *self, uint64_t begin, uint64_t end, const large_args *args) {
  for (size_t i = 1; i < sizeof args->bytes; i += 511) check_equal(args->bytes[i], 7);
  if (end - begin < 100) scree_fail(scree_task_worker(self), SCREE_EINVAL, "enough");
  if (begin % 3 == 0) scree_task_yield(self);
}
SCREE_LOOP_BODY(large, large_args, run_large);

static void run_root(scree_task *self, const branch_args *unused) {
  const virtual_rank *r = scree_task_arg(self);
  large_args a;
  memset(a.bytes, 7, sizeof a.bytes);
  large_for(self, r->large, SCREE_LOOP_PARTITION, 0, UINT64_C(1) << 40, 1, a);
}
SCREE_TASK_BODY(root, branch_args, run_root);

static void begin_huge(scree_worker *w, void *arg) {
  const virtual_rank *r = arg;
  if (scree_begin(w)) return;
  if (w->rank == 0 && w->index == 0) root_spawn(w, r->root, NULL, (branch_args){0});
  scree_end(w, NULL);
}

static void play_huge(scree_world *world, void *unused) {
  virtual_rank r;
  check_equal(scree_tasks_open(world, &s.tasks), SCREE_OK);
  check_equal(large_register(world, &r, &r.large), SCREE_OK);
  check_equal(root_register(world, &r, &r.root), SCREE_OK);
  scree_run_workers(world, s.workers, begin_huge, &r);
}

HARNESS_TEST(huge_loops) {
  const uint64_t count = harness_seeds(SEEDS, SEEDS_FULL);
  for (uint64_t seed = 1; seed <= count && harness_failures() == 0; seed++) {
    uint64_t random = scree__hash(seed);
    const uint32_t ranks = 1 + (uint32_t)(scree__draw(&random) % RANKS);
    scree_sim_config config = {.seed = seed, .ranks = ranks, .max_steps = 50000000, .quiet = true};
    config.nodes = 1 + (uint32_t)(scree__draw(&random) % ranks);
    config.threads = 1 + (uint32_t)(scree__draw(&random) % WORKERS);
    s.workers = 1 + (uint32_t)(scree__draw(&random) % config.threads);
    s.tasks = (scree_tasks_options)SCREE_TASKS_OPTIONS_INIT;
    s.tasks.task_live = scree__draw(&random) % 2 ? 1 : 64;
    s.tasks.task_poll = 1 + scree__draw(&random) % 64;
    s.tasks.task_stack = 65536;
    s.tasks.task_guard = SCREE_TASK_GUARD_OFF;
    s.tasks.steal = scree__draw(&random) % 3;
    check_equal(scree_sim_run(&config, NULL, play_huge, NULL, NULL), SCREE_EINVAL);
  }
}

/* ---- all work is on one worker ---- */

static void run_branch(scree_task *self, const branch_args *args) {
  scree_worker *w = scree_task_worker(self);
  virtual_rank *r = scree_task_arg(self);
  s.found[scree_worker_number(w, w->rank, w->index)]++;
  scree_task_yield(self);
  for (uint32_t i = 0; i < 2 && args->depth; i++)
    branch_spawn(w, r->branch, scree_task_scope(self), (branch_args){args->depth - 1});
}
SCREE_TASK_BODY(branch, branch_args, run_branch);

static void find_work(scree_worker *w, void *arg) {
  virtual_rank *r = arg;
  if (scree_begin(w)) return;
  if (w->rank == 0 && w->index == 0) branch_spawn(w, r->branch, NULL, (branch_args){DEPTH});
  check_equal(scree_end(w, NULL), SCREE_OK);
}

static void play_one(scree_world *world, void *unused) {
  virtual_rank r;
  scree_tasks_stats stats = {.size = sizeof stats};
  check_equal(scree_tasks_open(world, &s.tasks), SCREE_OK);
  check_equal(branch_register(world, &r, &r.branch), SCREE_OK);
  scree_run_workers(world, s.workers, find_work, &r);
  check_equal(scree_tasks_stats_read(world, &stats), SCREE_OK);
  s.lifelines += stats.lifelines_won;
}

/* Nearly every worker finds some of 2,047 tasks that one has: all but those whose rank the schedule starves. The
 * requests end. */
HARNESS_TEST(all_on_one) {
  const uint64_t count = harness_seeds(SEEDS - SEEDS / 4, SEEDS_FULL / 2);
  uint64_t workers = 0, without = 0, lifelines = 0;
  for (uint64_t seed = 1; seed <= count && harness_failures() == 0; seed++) {
    const uint32_t ranks = 1 + (uint32_t)(seed % 5), threads = 1 + (uint32_t)(seed / 5 % 3);
    const scree_sim_config config = {
        .seed = seed, .ranks = ranks, .nodes = 1, .threads = threads, .max_steps = 50000000};
    memset(&s, 0, sizeof s);
    s.workers = threads;
    s.tasks = (scree_tasks_options)SCREE_TASKS_OPTIONS_INIT;
    s.tasks.steal = SCREE_STEAL_ALL;
    s.tasks.task_poll = 1;
    s.tasks.task_live = 4; /* so that tasks which yield leave closures */
    s.tasks.task_guard = SCREE_TASK_GUARD_OFF;
    check_equal(scree_sim_run(&config, NULL, play_one, NULL, NULL), SCREE_OK);
    uint64_t sum = 0;
    for (uint32_t w = 0; w < ranks * threads; w++) {
      workers++;
      without += s.found[w] == 0;
      sum += s.found[w];
    }
    check_equal(sum, (2 << DEPTH) - 1);
    lifelines += s.lifelines;
  }
  printf("%" PRIu64 " of %" PRIu64 " workers have found no work; lifelines have brought work %" PRIu64 " times\n",
         without, workers, lifelines);
  check(without * 8 < workers || count < 8);
  check(lifelines > workers / 4);
}

HARNESS_MAIN
