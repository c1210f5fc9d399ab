/* tree.c - the unbalanced tree T1 of UTS (Olivier et al., UTS: An Unbalanced Tree Search Benchmark, LCPC 2006) by
 * spawns: a geometric tree, 4 children on average down to depth 10, from seed 19. A node is its SHA-1; a child's is
 * that of its parent's and its number. Rank 0 spawns the root; each node is a task of the epoch, and `steal` is
 * `all`. */
#include <scree/task.h>

#include "irregular/tree.h"
#include "modes.h"

SCREE_TASK(node, scree__vertex);

typedef struct {
  node_type node;
  uint64_t nodes; /* of this rank */
} rank_state;

static const scree__tree *const T1 = &scree__trees[0];

static void run_node(scree_task *self, const scree__vertex *v) {
  rank_state *r = scree_task_arg(self);
  r->nodes++;
  for (uint32_t i = 0; i < v->children; i++)
    node_spawn(scree_task_worker(self), r->node, NULL, scree__tree_child(T1, v, i));
}
SCREE_TASK_BODY(node, scree__vertex, run_node);

/* One variant; each turn opens a world of its own. The figures are those of the last turn. */
typedef struct {
  bench *b;
  int ranks;
  double seconds, fullest; /* fullest: nodes of that rank over the mean */
  uint64_t tries, won, lifelines, lifelines_won, moved;
} turn;

static bool count(turn *t, const rank_state *r, scree_world *world) {
  scree_tasks_stats s = {.size = sizeof s};
  const bool good = scree_tasks_stats_read(world, &s) == SCREE_OK;
  const uint64_t mine[] = {r->nodes, s.tries_elsewhere, s.steals_elsewhere, s.lifelines, s.lifelines_won, s.moved};
  uint64_t all[sizeof mine / sizeof *mine];
  bench_sum(mine, all, sizeof mine / sizeof *mine);
  t->fullest = bench_slowest((double)r->nodes) * t->ranks / (double)T1->vertices;
  t->tries = all[1], t->won = all[2], t->lifelines = all[3], t->lifelines_won = all[4], t->moved = all[5];
  return bench_all(good && all[0] == T1->vertices);
}

static bool take_turn(bench *b, void *arg) {
  turn *t = arg;
  static rank_state r;
  scree_tasks_options options = SCREE_TASKS_OPTIONS_INIT;
  options.steal = SCREE_STEAL_ALL;
  r.nodes = 0;
  scree_world *world = bench_open("shm", NULL);
  if (!bench_all(world && !scree_tasks_open(world, &options) && !node_register(world, &r, &r.node))) return false;
  scree_worker *w = scree_worker_of(world, 0);
  const double start = bench_now();
  scree_begin(w);
  if (b->rank == 0) node_spawn(w, r.node, NULL, scree__tree_root(T1));
  scree_end(w, NULL);
  t->seconds = bench_slowest(bench_now() - start);
  const bool good = count(t, &r, world);
  return scree_close(world) == SCREE_OK && good;
}

static double timed(void *arg) {
  turn *t = arg;
  t->seconds = 0; /* ranks that sleep keep it */
  if (!bench_on_ranks(t->b, t->ranks, take_turn, t)) t->seconds = (double)INFINITY;
  return t->seconds;
}

bool bench_tree(bench *b) {
  turn turns[3];
  bench_variant v[3];
  int n = 0;
  for (int i = 0; i < 3; i++) {
    const int ranks = i == 2 ? b->ranks : i + 1;
    if (ranks > b->ranks || (n && ranks <= turns[n - 1].ranks)) continue;
    turns[n] = (turn){.b = b, .ranks = ranks};
    v[n] = (bench_variant){.name = "tree", .timed = timed, .arg = &turns[n], .n = 1};
    n++;
  }
  if (!bench_rounds(b, v, n)) return false;
  if (b->rank == 0)
    printf("%5s %8s %7s %8s %8s %7s %9s %7s %9s %8s\n", "ranks", "s", "spread", "over 1", "fullest", "tries", "won",
           "lines", "won", "moved");
  for (int i = 0; i < n; i++)
    bench_row(b, BENCH_CELL("ranks", "%5.0f", turns[i].ranks, 1), BENCH_CELL("seconds", " %8.3f", v[i].seconds, 1),
              BENCH_CELL("spread", " %6.0f%%", v[i].spread, 100),
              BENCH_CELL("speedup", " %8.2f", v[0].seconds / v[i].seconds, 1),
              BENCH_CELL("fullest", " %8.2f", turns[i].fullest, 1),
              BENCH_CELL("tries", " %7.0f", (double)turns[i].tries, 1),
              BENCH_CELL("tries_won", " %9.0f", (double)turns[i].won, 1),
              BENCH_CELL("lifelines", " %7.0f", (double)turns[i].lifelines, 1),
              BENCH_CELL("lifelines_won", " %9.0f", (double)turns[i].lifelines_won, 1),
              BENCH_CELL("moved", " %8.0f", (double)turns[i].moved, 1));
  return true;
}
