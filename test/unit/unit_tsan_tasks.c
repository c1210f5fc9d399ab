/* unit_tsan_tasks.c - trees of tasks, and users of objects by which tasks synchronise, on ranks and workers that are
 * threads of this process, under the thread sanitizer: what crosses from one worker to another is messages alone.
 * Counts are plain words of the worker that writes them. */
#include "base/hash.h"
#include "harness.h"
#include "task_boards.h"
#include "threads_transport.h"

enum { RANKS = 2, WORKERS = 4, EPOCHS = 5, ROOTS = 20, BOARDS = 3 };

typedef struct {
  uint64_t key;
  uint32_t depth;
} node_args;
SCREE_TASK(node, node_args);

typedef struct {
  node_type node;
  struct {
    _Alignas(128) scree_reduce part;
  } worker[WORKERS];
} rank_state;
typedef struct {
  threads_node node;
  rank_state rank[RANKS];
  boards boards[BOARDS];
} stage;

static void spawn(scree_worker *w, rank_state *r, scree_scope *scope, uint64_t key, uint32_t depth) {
  r->worker[w->index].part.sum[0]++;
  node_spawn_on(w, r->node, scope, (uint32_t)(scree__hash(key) % (w->ranks * w->threads)), (node_args){key, depth});
}

static void run_node(scree_task *self, const node_args *args) {
  rank_state *r = scree_task_arg(self);
  scree_worker *w = scree_task_worker(self);
  scree_scope *scope = scree_finish(self);
  for (uint64_t i = 0; i < 2 && args->depth && scope; i++)
    spawn(w, r, scope, scree__hash_draw(args->key, i), args->depth - 1);
  if (!scope || scree_finish_end(self, scope)) return;
  r->worker[w->index].part.sum[0]--;
  r->worker[w->index].part.sum[1]++;
}
SCREE_TASK_BODY(node, node_args, run_node);

static void play_epochs(scree_worker *w, void *arg) {
  rank_state *r = arg;
  for (uint64_t e = 0; e < EPOCHS; e++) {
    scree_reduce *part = &r->worker[w->index].part;
    *part = (scree_reduce)SCREE_REDUCE_INIT;
    if (!check_equal(scree_begin(w), SCREE_OK)) return;
    for (uint64_t i = 0; i < ROOTS; i++) spawn(w, r, NULL, e << 32 | w->index << 16 | w->rank << 8 | i, 3);
    check_equal(scree_end(w, part), SCREE_OK);
    check_equal(part->sum[0], 0);
    check_equal(part->sum[1], 15 * ROOTS * RANKS * WORKERS); /* a tree has 15 */
  }
}

static void play_boards(scree_worker *w, void *rank) {
  boards_play(w, rank);
}

static void play(void *context, uint32_t rank) {
  stage *s = context;
  rank_state *r = &s->rank[rank];
  boards_rank on_boards;
  scree_world *world = threads_world(&s->node, rank);
  scree_tasks_options options = SCREE_TASKS_OPTIONS_INIT;
  if (!check(world != NULL)) return;
  options.task_stack = 65536;
  check_equal(scree_tasks_open(world, &options), SCREE_OK);
  check_equal(node_register(world, r, &r->node), SCREE_OK);
  boards_register(world, &on_boards);
  check_equal(scree_run_workers(world, WORKERS, play_epochs, r), SCREE_OK);
  for (uint64_t i = 0; i < BOARDS; i++) {
    on_boards.s = &s->boards[i];
    check_equal(scree_run_workers(world, WORKERS, play_boards, &on_boards), SCREE_OK);
  }
  check_equal(scree_close(world), SCREE_OK);
}

HARNESS_TEST(trees_and_boards) {
  static stage s;
  scree_options options = SCREE_OPTIONS_INIT;
  options.threads = WORKERS;
  for (uint64_t i = 0; i < BOARDS; i++) s.boards[i] = (boards){.random = i, .workers = WORKERS};
  if (!check(threads_open(&s.node, RANKS, &options))) return;
  threads_run(RANKS, play, &s);
  threads_close(&s.node);
  for (uint64_t i = 0; i < BOARDS; i++) boards_check(&s.boards[i]);
}

HARNESS_MAIN
