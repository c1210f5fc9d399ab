/* mpi_task_loops.c - loops and trees over real ranks and threads that steal in each manner, under some settings: sums
 * of what each iteration makes, loops in loops, and an epoch that ends although workers without work have requested
 * some. */
#include <scree/task_loop.h>
#include <string.h>

#include "base/hash.h"
#include "harness.h"
#include "ranks.h"
#include "setting.h"

enum { WORKERS = 4, ITERATIONS = 3000, INNER = 7, DEPTH = 10, EPOCHS = 2 };

typedef struct {
  uint64_t key;
  uint32_t depth;
} part_args;
SCREE_LOOP_REDUCED(part, part_args, uint64_t);
SCREE_TASK(branch, part_args);
SCREE_TASK(root, part_args);

typedef struct {
  part_type part;
  branch_type branch;
  root_type root;
  uint32_t workers;
  scree_distribution map;
  struct {
    _Alignas(128) uint64_t ran;
  } worker[WORKERS];
} rank_state;

static uint64_t sum_of(uint64_t key, uint32_t depth, uint64_t n) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < n; i++) sum += depth && i % 500 == 3 ? sum_of(key + i, 0, INNER) : scree__hash(key + i);
  return sum;
}

static void run_part(scree_task *self, uint64_t begin, uint64_t end, const part_args *args, uint64_t *sum) {
  rank_state *r = scree_task_arg(self);
  for (uint64_t i = begin; i < end; i++)
    if (args->depth && i % 500 == 3) {
      if (part_reduce(self, r->part, (scree_loop_policy)(i / 500 % 2), 0, INNER, 0, (part_args){args->key + i, 0}, sum))
        return;
    } else {
      *sum += scree__hash(args->key + i);
    }
}
SCREE_LOOP_REDUCED_BODY(part, part_args, uint64_t, run_part, scree_combine_sum_u64);

static void run_branch(scree_task *self, const part_args *args) {
  rank_state *r = scree_task_arg(self);
  scree_worker *w = scree_task_worker(self);
  r->worker[w->index].ran++;
  scree_scope *scope = args->depth ? scree_finish(self) : NULL;
  for (int i = 0; i < 2 && scope; i++) branch_spawn(w, r->branch, scope, (part_args){args->key, args->depth - 1});
  if (scope) scree_finish_end(self, scope);
}
SCREE_TASK_BODY(branch, part_args, run_branch);

static void run_root(scree_task *self, const part_args *args) {
  rank_state *r = scree_task_arg(self);
  for (scree_loop_policy policy = SCREE_LOOP_PARTITION; policy <= SCREE_LOOP_BY_MAP; policy++) {
    if (policy == SCREE_LOOP_REMOTE && harness_ranks == 1) continue;
    uint64_t sum = 1;
    check_equal(part_reduce(self, r->part, policy, 0, ITERATIONS, args->key % 3 * 10, *args, &sum), SCREE_OK);
    check_equal(sum, 1 + sum_of(args->key, args->depth, ITERATIONS));
  }
}
SCREE_TASK_BODY(root, part_args, run_root);

static void play_epochs(scree_worker *w, void *arg) {
  rank_state *r = arg;
  for (uint32_t e = 0; e < EPOCHS; e++) {
    scree_reduce all = SCREE_REDUCE_INIT;
    r->worker[w->index].ran = 0;
    if (scree_begin(w)) return;
    if (w->index == 0 && w->rank == e % w->ranks) {
      root_spawn(w, r->root, NULL, (part_args){e * 1000 + w->rank, 1});
      branch_spawn(w, r->branch, NULL, (part_args){0, DEPTH});
    }
    check_equal(scree_end(w, NULL), SCREE_OK);
    all.sum[0] = r->worker[w->index].ran;
    if (scree_begin(w)) return;
    check_equal(scree_end(w, &all), SCREE_OK);
    check_equal(all.sum[0], (2 << DEPTH) - 1);
  }
}

static void play(const setting *s, uint64_t steal) {
  static rank_state r;
  scree_tasks_options options = SCREE_TASKS_OPTIONS_INIT;
  scree_world *world = setting_open(s);
  if (!world) return;
  options.task_live = s->batch_max == 1 ? 1 : SCREE_UNSET;
  options.task_stack = 65536;
  options.steal = steal;
  check_equal(scree_tasks_open(world, &options), SCREE_OK);
  check_equal(part_register(world, &r, &r.part), SCREE_OK);
  check_equal(branch_register(world, &r, &r.branch), SCREE_OK);
  check_equal(root_register(world, &r, &r.root), SCREE_OK);
  scree_distribution_init(&r.map, SCREE_DISTRIBUTION_CYCLIC, ITERATIONS, (uint32_t)harness_ranks);
  r.part.map = &r.map;
  const uint32_t threads = (uint32_t)scree_options_of(world)->threads;
  for (r.workers = 1; r.workers <= threads; r.workers += 3) scree_run_workers(world, r.workers, play_epochs, &r);
  check_equal(scree_close(world), SCREE_OK);
}

static const setting settings[] = {
    {.name = "as it is"},
    {.name = "four workers", .threads = 4},
    {.name = "MPI, four workers, a message a block",
     .transport = SCREE_TRANSPORT_MPI,
     .threads = 4,
     SETTING_MESSAGE_A_BLOCK},
    {.name = "two nodes, chaos", .nodes = 2, SETTING_CHAOS(5)},
    {.name = "progress thread", .threads = 4, .progress = SCREE_PROGRESS_FULL},
};

HARNESS_TEST(loops) {
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
    for (uint64_t steal = SCREE_STEAL_OFF; steal <= SCREE_STEAL_ALL; steal++)
      if (settings[i].nodes <= harness_ranks && (i < 2 || steal == SCREE_STEAL_ALL)) play(&settings[i], steal);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(loops)};

int main(int argc, char **argv) {
  harness_level = MPI_THREAD_SERIALIZED;
  return harness__mpi_main(argc, argv, tests, sizeof tests / sizeof *tests);
}
