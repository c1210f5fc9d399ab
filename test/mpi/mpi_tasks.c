/* mpi_tasks.c - tasks over real ranks and threads: an epoch that ends with tasks that wait for nothing that will
 * happen, and what is refused to other threads. Random programs of tasks: mpi_traffic.c. */
#include <atomic_ops.h>
#include <sched.h>
#include <scree/task.h>
#include <string.h>

#include "harness.h"
#include "ranks.h"
#include "setting.h"

SCREE_TASK(borrowed, uint64_t);
SCREE_TASK(sleeper, uint64_t);

/* The last rank's task sleeps: all ranks learn that. */
static void run_sleeper(scree_task *self, const uint64_t *args) {
  if (scree_task_worker(self)->rank == *args) check_equal(scree_task_suspend(self, "nobody"), SCREE_ESTATE);
}
SCREE_TASK_BODY(sleeper, uint64_t, run_sleeper);

static void spawn_sleepers(scree_worker *w, void *type) {
  const uint32_t last = w->ranks - 1;
  check_equal(scree_begin(w), SCREE_OK);
  for (uint32_t r = 0; r <= last; r++)
    sleeper_spawn_on(w, *(sleeper_type *)type, NULL, scree_worker_number(w, r, w->threads - 1), last);
  check_equal(scree_end(w, NULL), SCREE_ESTATE);
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

static void sleep_on(const setting *s) {
  scree_world *world = setting_open(s);
  sleeper_type type;
  if (!world) return;
  check_equal(scree_tasks_open(world, NULL), SCREE_OK);
  check_equal(sleeper_register(world, NULL, &type), SCREE_OK);
  scree_run_workers(world, (uint32_t)scree_options_of(world)->threads, spawn_sleepers, &type);
  check_equal(scree_close(world), SCREE_ESTATE);
}

HARNESS_TEST(sleepers) {
  for (const setting *s = settings; s < settings + sizeof settings / sizeof *settings; s++)
    if (s->nodes <= harness_ranks && (harness_ranks > 1 || s->progress != SCREE_PROGRESS_COMM)) sleep_on(s);
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
