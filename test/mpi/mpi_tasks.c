/* mpi_tasks.c - tasks over real ranks and threads: trees whose scopes are waited for, answers of other workers, under
 * some settings; users of objects by which tasks synchronise; a failure while tasks wait, and an epoch that ends with
 * one that waits for nothing that will happen. */
#include <atomic_ops.h>
#include <sched.h>
#include <string.h>

#include "base/hash.h"
#include "harness.h"
#include "ranks.h"
#include "setting.h"
#include "task_boards.h"

enum { EPOCHS = 3, ROOTS = 20, WORKERS = 4 };

typedef struct {
  uint64_t key;
  uint32_t depth;
} node_args;
typedef struct {
  uint64_t future, value;
} answer_args;
SCREE_TASK(node, node_args);
SCREE_TASK(answer, answer_args);
SCREE_TASK(borrowed, uint64_t);
SCREE_MESSAGE(seed, node_args);

/* Of a worker: what it has spawned, and run, as sums that cancel. */
typedef struct {
  _Alignas(128) scree_reduce part;
  uint64_t waited;
} worker_state;
typedef enum { WELL, FAILS, SLEEPS } manner;
typedef struct {
  node_type node;
  answer_type answer;
  seed_type seed;
  uint32_t workers;
  manner how;
  worker_state worker[WORKERS + 1];
} rank_state;

static uint64_t draw(uint64_t key, uint64_t i, uint64_t n) {
  return scree__hash_draw(key, i) % n;
}

static void spawn_node(scree_worker *w, rank_state *r, scree_scope *scope, uint64_t key, uint32_t depth) {
  scree_reduce *part = &r->worker[w->index].part;
  part->sum[0] += scree__hash(key);
  part->sum[1]++;
  const uint32_t to = scree_worker_number(w, (uint32_t)draw(key, 1, w->ranks), (uint32_t)draw(key, 2, r->workers));
  if (!scope && draw(key, 3, 5) == 0)
    seed_send(w, r->seed, (uint32_t)draw(key, 1, w->ranks), (node_args){key, depth});
  else if (draw(key, 3, 4))
    node_spawn_on(w, r->node, scope, to, (node_args){key, depth});
  else
    node_spawn(w, r->node, scope, (node_args){key, depth});
}

static void run_answer(scree_task *self, const answer_args *args) {
  scree_future_set_at(scree_task_worker(self), args->future, &args->value, sizeof args->value);
}
SCREE_TASK_BODY(answer, answer_args, run_answer);

/* A handler spawns, of any worker that takes part, and of a progress thread, which passes tasks to workers. */
static void on_seed(scree_worker *w, const scree_batch *batch, const node_args *items, void *arg) {
  rank_state *r = arg;
  for (uint32_t i = 0; i < batch->count; i++) node_spawn(w, r->node, NULL, items[i]);
}
SCREE_HANDLER(seed, node_args, on_seed);

static scree_status ask(scree_task *self, rank_state *r, uint64_t key) {
  scree_worker *w = scree_task_worker(self);
  scree_future f;
  uint64_t value = 0;
  scree_status status = scree_future_open(w, &f, sizeof value, 1, NULL);
  if (status) return status;
  const uint32_t to = scree_worker_number(w, (uint32_t)draw(key, 4, w->ranks), (uint32_t)draw(key, 5, r->workers));
  answer_spawn_on(w, r->answer, NULL, to, (answer_args){scree_future_number(&f), key});
  status = scree_future_wait(self, &f, &value);
  if (status) return status;
  check_equal(value, key);
  scree_future_close(&f);
  r->worker[w->index].waited++;
  return SCREE_OK;
}

static void grow(scree_worker *w, rank_state *r, scree_scope *scope, const node_args *args) {
  for (uint64_t i = draw(args->key, 6, 4); i > 0 && args->depth; i--)
    spawn_node(w, r, scope, scree__hash_draw(args->key, 100 + i), args->depth - 1);
}

static void run_node(scree_task *self, const node_args *args) {
  rank_state *r = scree_task_arg(self);
  scree_worker *w = scree_task_worker(self);
  if (r->how == FAILS && w->rank == 0 && draw(args->key, 9, 8) == 0) scree_fail(w, SCREE_EMPI, "planned");
  if (draw(args->key, 7, 3) == 0) {
    scree_scope *scope = scree_finish(self);
    if (!scope) return;
    grow(w, r, scope, args);
    if (scree_finish_end(self, scope)) return;
  } else {
    if (draw(args->key, 8, 2) && ask(self, r, args->key)) return;
    grow(w, r, scree_task_scope(self), args);
  }
  scree_reduce *part = &r->worker[w->index].part; /* after the waits */
  part->sum[0] -= scree__hash(args->key);
  part->sum[1]--;
  if (r->how == SLEEPS && w->rank == w->ranks - 1 && args->depth == 0) scree_task_suspend(self, "nobody");
}
SCREE_TASK_BODY(node, node_args, run_node);

static void play_epochs(scree_worker *w, void *arg) {
  rank_state *r = arg;
  const uint64_t roots =
      w->ranks > 2 && !harness_full() ? ROOTS / 2 : ROOTS; /* ranks that outnumber the cores are slow */
  const scree_status expected = r->how == WELL ? SCREE_OK : r->how == FAILS ? SCREE_EMPI : SCREE_ESTATE;
  for (uint32_t e = 0; e < EPOCHS; e++) {
    scree_reduce *part = &r->worker[w->index].part;
    *part = (scree_reduce)SCREE_REDUCE_INIT;
    if (scree_begin(w)) return;
    for (uint64_t i = 0; i < roots; i++)
      spawn_node(w, r, NULL, scree__hash((w->rank * 64 + w->index) * 1000 + i + e * 1000000), (uint32_t)(i % 5));
    if (scree_end(w, part)) break;
    check_equal(part->sum[0], 0);
    check_equal(part->sum[1], 0);
  }
  check_equal(scree_error(scree_world_of(w)), expected);
}

static void play(const setting *s, rank_state *r) {
  scree_tasks_options options = SCREE_TASKS_OPTIONS_INIT;
  scree_world *world = setting_open(s);
  if (!world) return;
  const uint32_t threads = (uint32_t)scree_options_of(world)->threads;
  options.task_live = s->batch_max == 1 ? 1 : SCREE_UNSET;
  options.task_stack = 65536;
  check_equal(scree_tasks_open(world, &options), SCREE_OK);
  check_equal(node_register(world, r, &r->node), SCREE_OK);
  check_equal(answer_register(world, r, &r->answer), SCREE_OK);
  check_equal(seed_register(world, r, &r->seed), SCREE_OK);
  for (r->workers = 1; r->workers <= threads; r->workers += 3) scree_run_workers(world, r->workers, play_epochs, r);
  scree_tasks_stats stats = {.size = sizeof stats};
  check_equal(scree_tasks_stats_read(world, &stats), SCREE_OK);
  if (r->how == WELL) check(stats.run == stats.spawned && stats.run > ROOTS);
  check(r->how != WELL || stats.suspended > 0);
  check_equal(scree_close(world), r->how == WELL ? SCREE_OK : r->how == FAILS ? SCREE_EMPI : SCREE_ESTATE);
}

static const setting settings[] = {
    {.name = "as it is"},
    {.name = "four workers", .threads = 4},
    {.name = "MPI", .transport = SCREE_TRANSPORT_MPI},
    {.name = "MPI, four workers, a message a block",
     .transport = SCREE_TRANSPORT_MPI,
     .threads = 4,
     SETTING_MESSAGE_A_BLOCK},
    {.name = "two nodes, chaos", .nodes = 2, SETTING_CHAOS(5)},
    {.name = "progress thread", .threads = 4, .progress = SCREE_PROGRESS_FULL},
    {.name = "communication thread", .transport = SCREE_TRANSPORT_MPI, .threads = 4, .progress = SCREE_PROGRESS_COMM},
};

static bool applies(const setting *s) {
  return s->nodes <= harness_ranks && (harness_ranks > 1 || s->progress != SCREE_PROGRESS_COMM);
}

static void play_all(manner how) {
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
    if (!applies(&settings[i])) continue;
    static rank_state r;
    memset(&r, 0, sizeof r);
    r.how = how;
    play(&settings[i], &r);
  }
}
HARNESS_TEST(trees) {
  play_all(WELL);
}
HARNESS_TEST(failures) {
  play_all(FAILS);
}
HARNESS_TEST(sleepers) {
  play_all(SLEEPS);
}

static void play_boards(scree_worker *w, void *rank) {
  boards_play(w, rank);
}

static void play_on(boards *s, const setting *with) {
  scree_world *world = setting_open(with);
  boards_rank r = {.s = s};
  if (!world) return;
  scree_tasks_options options = SCREE_TASKS_OPTIONS_INIT;
  options.task_stack = 65536;
  check_equal(scree_tasks_open(world, &options), SCREE_OK);
  boards_register(world, &r);
  scree_run_workers(world, s->workers, play_boards, &r);
  check_text(scree_error(world) == SCREE_OK, "%s", scree_error_text(world));
  check_equal(scree_close(world), SCREE_OK); /* after it all have left the epoch */
}

/* What the objects guard is in memory that the ranks share. */
HARNESS_TEST(synchronisation) {
  boards *s;
  MPI_Win window;
  MPI_Aint bytes = harness_rank ? 0 : (MPI_Aint)sizeof *s;
  int unit;
  MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &s, &window);
  MPI_Win_shared_query(window, 0, &bytes, &unit, &s);
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
    if (!applies(&settings[i])) continue;
    if (harness_rank == 0)
      *s = (boards){.random = i, .workers = settings[i].threads ? (uint32_t)settings[i].threads : 1};
    harness_all(true);
    play_on(s, &settings[i]);
    harness_all(true);
    if (harness_rank == 0) boards_check(s);
  }
  MPI_Win_free(&window);
}

/* On rank 0 a task of worker 0 runs until worker 1 has tried to wait in its place. */
static struct {
  borrowed_type type;
  AO_t task, tried;
} lent;

static void run_borrowed(scree_task *self, const uint64_t *args) {
  AO_store_release(&lent.task, (AO_t)self); /* pairs with borrow */
  while (!AO_load(&lent.tried)) sched_yield();
}
SCREE_TASK_BODY(borrowed, uint64_t, run_borrowed);

static void borrow(scree_worker *w, void *arg) {
  check_equal(scree_begin(w), SCREE_OK);
  if (w->rank == 0 && w->index == 0) borrowed_spawn(w, lent.type, NULL, 0);
  if (w->rank == 0 && w->index == 1) {
    while (!AO_load_acquire(&lent.task)) sched_yield();
    check_equal(scree_task_yield((scree_task *)AO_load(&lent.task)), SCREE_ESTATE);
    AO_store(&lent.tried, 1);
  }
  check_equal(scree_end(w, NULL), SCREE_ESTATE);
}

HARNESS_TEST(a_task_of_another_thread) {
  scree_world *world = setting_open(&(setting){.name = "two workers", .threads = 2});
  if (!world) return;
  scree_tasks_options options = SCREE_TASKS_OPTIONS_INIT;
  options.steal = SCREE_STEAL_OFF;
  check_equal(scree_tasks_open(world, &options), SCREE_OK);
  check_equal(borrowed_register(world, NULL, &lent.type), SCREE_OK);
  scree_run_workers(world, 2, borrow, NULL);
  check_contains(scree_error_text(world), harness_rank ? "" : "scree_task_yield: called with a task of another worker");
  check_equal(scree_close(world), SCREE_ESTATE);
}

/* ---- what a handler may not do on a progress thread, which runs no tasks ---- */

typedef struct {
  const char *text;
  void (*act)(scree_worker *w, scree_scope *scope, scree_future *future);
} refusal;
SCREE_MESSAGE(order, uint64_t);
static struct {
  borrowed_type type;
  order_type order;
  scree_scope *scope;
  scree_future future;
  const refusal *what;
  AO_t opened, done;
} refused;

static void spawn_by(scree_worker *w, scree_scope *scope, scree_future *future) {
  borrowed_spawn_by(w, refused.type, NULL, 0, 1);
}
static void spawn_in(scree_worker *w, scree_scope *scope, scree_future *future) {
  borrowed_spawn(w, refused.type, scope, 0);
}
static void spawn_on_in(scree_worker *w, scree_scope *scope, scree_future *future) {
  borrowed_spawn_on(w, refused.type, scope, 0, 0);
}
static void spawn_by_in(scree_worker *w, scree_scope *scope, scree_future *future) {
  borrowed_spawn_by(w, refused.type, scope, 0, 1);
}
static void spawn_then(scree_worker *w, scree_scope *scope, scree_future *future) {
  borrowed_then(w, refused.type, NULL, future, 0);
}
static void open_future(scree_worker *w, scree_scope *scope, scree_future *future) {
  scree_future own;
  check(scree_future_open(w, &own, 0, 1, NULL) != SCREE_OK);
}

static void on_order(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  check_equal(w->index, w->threads);
  while (!AO_load_acquire(&refused.opened)) sched_yield(); /* pairs with give_order */
  refused.what->act(w, refused.scope, &refused.future);
  AO_store(&refused.done, 1);
}
SCREE_HANDLER(order, uint64_t, on_order);

/* The last rank waits without progress, so that the message is handled by its progress thread. */
static void give_order(scree_worker *w, void *arg) {
  const bool last = w->rank == w->ranks - 1; /* others may learn of the failure at any time */
  check_equal(scree_begin(w), SCREE_OK);
  if (last) check_equal(scree_completion_open(w, &refused.scope), SCREE_OK);
  if (last) check_equal(scree_future_open(w, &refused.future, 0, 1, NULL), SCREE_OK);
  AO_store_release(&refused.opened, 1);
  if (w->rank == 0) order_send(w, refused.order, w->ranks - 1, 0);
  scree_flush(w, SCREE_ALL);
  while (last && !AO_load(&refused.done)) sched_yield();
  check_equal(scree_end(w, NULL), SCREE_ESTATE);
}

HARNESS_TEST(refused_on_a_progress_thread) {
  static const refusal rows[] = {
      {"spawn_by: task of type 'borrowed' by a progress thread, which runs no tasks", spawn_by},
      {"spawn: task of type 'borrowed' in a scope of another worker: a progress thread spawns in the epoch", spawn_in},
      {"spawn: task of type 'borrowed' in a scope of another worker: a progress thread spawns in the epoch",
       spawn_on_in},
      {"spawn_by: task of type 'borrowed' by a progress thread, which runs no tasks", spawn_by_in},
      {"then: called on a progress thread, which has no tasks", spawn_then},
      {"scree_future_open: called on a progress thread, which has no tasks", open_future},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    scree_world *world = setting_open(
        &(setting){.name = "progress thread", .threads = 1, .progress = SCREE_PROGRESS_FULL, .in_flight = 16});
    if (!world) return;
    memset(&refused, 0, sizeof refused);
    refused.what = &rows[i];
    check_equal(scree_tasks_open(world, NULL), SCREE_OK);
    check_equal(borrowed_register(world, NULL, &refused.type), SCREE_OK);
    check_equal(order_register(world, NULL, &refused.order), SCREE_OK);
    check_equal(scree_run_workers(world, 1, give_order, NULL), SCREE_ESTATE);
    check_contains(scree_error_text(world), harness_rank == harness_ranks - 1 ? rows[i].text : "");
    check_equal(scree_close(world), SCREE_ESTATE);
  }
}

int main(int argc, char **argv) {
  harness_level = MPI_THREAD_SERIALIZED;
  return harness__mpi_main(argc, argv);
}
