/* unit_tsan_loops.c - loops and trees on ranks and workers that are threads of this process and steal, under the thread
 * sanitizer: what crosses from one worker to another is messages, and closures that are exposed. Counts are plain words
 * of the worker that writes them. */
#include <scree/task_loop.h>

#include "base/hash.h"
#include "harness.h"
#include "threads_transport.h"

enum { RANKS = 2, WORKERS = 4, EPOCHS = 4, ITERATIONS = 2000, DEPTH = 9 };

typedef struct {
  uint64_t words[100];
} part_args;
typedef struct {
  uint32_t depth;
} tree_args;
SCREE_LOOP_REDUCED(part, part_args, uint64_t);
SCREE_TASK(tree, tree_args);
SCREE_TASK(root, tree_args);

typedef struct {
  part_type part;
  tree_type tree;
  root_type root;
  struct {
    _Alignas(128) uint64_t ran, sum, stolen;
  } worker[WORKERS];
} rank_state;
typedef struct {
  threads_node node;
  rank_state rank[RANKS];
  scree_tasks_options tasks;
} stage;

static void run_part(scree_task *self, uint64_t begin, uint64_t end, const part_args *args, uint64_t *sum) {
  if (begin % 16 == 0) scree_task_yield(self);
  for (uint64_t i = begin; i < end; i++) *sum += scree__hash(i) + args->words[i % 100];
}
SCREE_LOOP_REDUCED_BODY(part, part_args, uint64_t, run_part, scree_combine_sum_u64);

static void run_tree(scree_task *self, const tree_args *args) {
  rank_state *r = scree_task_arg(self);
  scree_worker *w = scree_task_worker(self);
  scree_scope *scope = args->depth ? scree_finish(self) : NULL;
  for (uint64_t i = 0; i < 2 && scope; i++) tree_spawn(w, r->tree, scope, (tree_args){args->depth - 1});
  if (scope && scree_finish_end(self, scope)) return;
  r->worker[w->index].ran++;
}
SCREE_TASK_BODY(tree, tree_args, run_tree);

static void run_root(scree_task *self, const tree_args *args) {
  rank_state *r = scree_task_arg(self);
  part_args a;
  uint64_t sum = 0, expected = 0;
  for (uint64_t i = 0; i < 100; i++) a.words[i] = i * args->depth;
  for (uint64_t i = 0; i < ITERATIONS; i++) expected += scree__hash(i) + a.words[i % 100];
  check_equal(part_reduce(self, r->part, SCREE_LOOP_PARTITION, 0, ITERATIONS, 0, a, &sum), SCREE_OK);
  check_equal(sum, expected);
  sum = 0;
  check_equal(part_reduce(self, r->part, SCREE_LOOP_LOCAL, 0, ITERATIONS, 3, a, &sum), SCREE_OK);
  check_equal(sum, expected);
}
SCREE_TASK_BODY(root, tree_args, run_root);

static void play_epochs(scree_worker *w, void *arg) {
  rank_state *r = arg;
  for (uint64_t e = 0; e < EPOCHS; e++) {
    r->worker[w->index].ran = 0;
    scree_reduce all = SCREE_REDUCE_INIT;
    if (!check_equal(scree_begin(w), SCREE_OK)) return;
    root_spawn(w, r->root, NULL, (tree_args){w->index});
    if (w->index == 0 && w->rank == 0) tree_spawn(w, r->tree, NULL, (tree_args){DEPTH});
    check_equal(scree_end(w, NULL), SCREE_OK);
    all.sum[0] = r->worker[w->index].ran;
    if (!check_equal(scree_begin(w), SCREE_OK)) return;
    check_equal(scree_end(w, &all), SCREE_OK);
    check_equal(all.sum[0], (2 << DEPTH) - 1);
  }
}

static void play(void *context, uint32_t rank) {
  stage *s = context;
  rank_state *r = &s->rank[rank];
  scree_world *world = threads_world(&s->node, rank);
  if (!check(world != NULL)) return;
  check_equal(scree_tasks_open(world, &s->tasks), SCREE_OK);
  check_equal(part_register(world, r, &r->part), SCREE_OK);
  check_equal(tree_register(world, r, &r->tree), SCREE_OK);
  check_equal(root_register(world, r, &r->root), SCREE_OK);
  check_equal(scree_run_workers(world, WORKERS, play_epochs, r), SCREE_OK);
  scree_tasks_stats stats = {.size = sizeof stats};
  check_equal(scree_tasks_stats_read(world, &stats), SCREE_OK);
  check(stats.iterations > 0);
  if (s->tasks.steal != SCREE_STEAL_OFF) check(stats.exposed > 0);
  check_equal(scree_close(world), SCREE_OK);
}

static void play_with(uint64_t steal) {
  static stage s;
  scree_options options = SCREE_OPTIONS_INIT;
  options.threads = WORKERS;
  s = (stage){.tasks = SCREE_TASKS_OPTIONS_INIT};
  s.tasks.task_stack = 65536;
  s.tasks.steal = steal;
  if (!check(threads_open(&s.node, RANKS, &options))) return;
  threads_run(RANKS, play, &s);
  threads_close(&s.node);
}

HARNESS_TEST(in_a_rank) {
  play_with(SCREE_STEAL_RANK);
}
HARNESS_TEST(over_ranks) {
  play_with(SCREE_STEAL_ALL);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(in_a_rank), cmocka_unit_test(over_ranks)};
HARNESS_MAIN(tests)
