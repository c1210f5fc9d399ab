/* mpi_funnel.c - which thread calls MPI, where one thread does for all of a rank: worker 0 (thread_level=funneled), or
 * a thread that does nothing else (progress=comm), and never two at once. Also, that this thread moves blocks while the
 * worker computes. */
#include <sched.h>
#include <stdatomic.h>

#include "harness.h"
#include "interpose.h"
#include "joined.h"
#include "ranks.h"
#include "setting.h"

enum { THREADS = 3, EPOCHS = 10, ITEMS = 60, RECORD = 1 << 20 };

#define FUNNELED .threads = THREADS, .thread_level = SCREE_THREAD_LEVEL_FUNNELED
#define COMM     .progress = SCREE_PROGRESS_COMM
#define MPI_FLAT SETTING_MESSAGE_A_BLOCK, .transport = SCREE_TRANSPORT_MPI, .detector = SCREE_DETECTOR_FLAT
static const setting settings[] = {
    {.name = "funneled", .transport = SCREE_TRANSPORT_MPI, FUNNELED},
    {.name = "funneled, a message a block, flat", MPI_FLAT, FUNNELED},
    {.name = "two nodes, funneled", FUNNELED, .nodes = 2},
    {.name = "comm", .transport = SCREE_TRANSPORT_MPI, .threads = THREADS, COMM},
    {.name = "comm, one worker, flat", MPI_FLAT, .threads = 1, COMM},
    {.name = "comm, flat", MPI_FLAT, .threads = THREADS, COMM},
    {.name = "two nodes, comm", .threads = THREADS, COMM, .nodes = 2},
};
enum { SETTINGS = sizeof settings / sizeof settings[0] };

/* ---- calls of MPI, watched ---- */

static _Thread_local bool may_not_call;
static _Atomic uint32_t inside, wrong_thread, at_once, calls;

static int watch(mpi_call *c) {
  atomic_fetch_add(&calls, 1);
  if (may_not_call) atomic_fetch_add(&wrong_thread, 1);
  if (atomic_fetch_add(&inside, 1) > 0) atomic_fetch_add(&at_once, 1);
  const int code = c->make(c);
  atomic_fetch_sub(&inside, 1);
  return code;
}

/* ---- a program ---- */

SCREE_MESSAGE(any, uint64_t);
SCREE_MESSAGE(owned, uint64_t);
SCREE_VARIABLE(record);

typedef struct {
  any_type any;
  owned_type owned;
  record_type record;
  bool comm;
  uint32_t taking;
  _Atomic uint64_t sum;
  _Atomic uint32_t *landed; /* by rank, which share it: records that it has handled */
} job;

static void on_any(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  job *j = arg;
  for (uint32_t i = 0; i < batch->count; i++) {
    atomic_fetch_add(&j->sum, items[i]);
    if (items[i] % 2) owned_send(w, j->owned, scree_worker_number(w, batch->source, batch->worker), items[i] - 1);
  }
}
SCREE_HANDLER(any, uint64_t, on_any);

static void on_owned(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  for (uint32_t i = 0; i < batch->count; i++) atomic_fetch_add(&((job *)arg)->sum, items[i]);
}
SCREE_HANDLER(owned, uint64_t, on_owned);

static void on_record(scree_worker *w, const scree_batch *batch, const void *items, void *arg) {
  atomic_fetch_add(&((job *)arg)->landed[w->rank], batch->count);
}
SCREE_VARIABLE_HANDLER(record, on_record);

/* In an epoch a thread calls MPI only if it is the one that may. */
static void one_epoch(scree_worker *w, job *j, uint64_t *sent) {
  const bool before = may_not_call;
  check_equal(scree_begin(w), SCREE_OK);
  may_not_call = j->comm || w->index > 0;
  for (uint64_t i = 0; i < ITEMS / j->taking; i++) {
    any_send(w, j->any, (uint32_t)(i % w->ranks), i);
    *sent += i + (i % 2 ? i - 1 : 0);
  }
  check_equal(scree_end(w, NULL), SCREE_OK);
  may_not_call = before;
}

static void run_epochs(scree_worker *w, void *arg) {
  job *j = arg;
  uint64_t sent = 0;
  const bool before = may_not_call;
  may_not_call = j->comm || w->index > 0;
  for (uint32_t e = 0; e < 3; e++) one_epoch(w, j, &sent);
  atomic_fetch_sub(&j->sum, sent);
  may_not_call = before;
}

/* All that was sent has been handled somewhere. */
static void check_sum(scree_world *world, job *j) {
  scree_worker *w = scree_worker_of(world, 0);
  scree_reduce all = {.sum = {atomic_load(&j->sum)}};
  check_equal(scree_begin(w), SCREE_OK);
  check_equal(scree_end(w, &all), SCREE_OK);
  check_equal(all.sum[0], 0);
}

/* Runs, joins, and short epochs outside of them: each stops and starts a communication thread. */
static void one_thread_calls(void **state) {
  const setting *s = *state;
  job j = {.comm = s->progress == SCREE_PROGRESS_COMM, .taking = 1};
  if (j.comm && harness_ranks == 1) harness_skip("nothing travels by MPI on one rank");
  wrong_thread = at_once = calls = 0;
  scree_world *world = setting_open(s);
  if (!world) return;
  scree_worker *w = scree_worker_of(world, 0);
  check_equal(any_register(world, &j, &j.any), SCREE_OK);
  check_equal(owned_register_with(world, SCREE_TO_WORKER, &j, &j.owned), SCREE_OK);
  for (uint32_t n = 1; n <= s->threads; n++) {
    j.taking = n;
    check_equal(scree_run_workers(world, n, run_epochs, &j), SCREE_OK);
    check_sum(world, &j);
    check_equal(joined_run(world, n, run_epochs, &j), SCREE_OK);
    check_sum(world, &j);
  }
  j.taking = 1;
  for (uint32_t e = 0; e < EPOCHS; e++) {
    uint64_t sent = 0;
    one_epoch(w, &j, &sent);
    atomic_fetch_sub(&j.sum, sent);
  }
  check_sum(world, &j);
  check(calls > 0);
  check_equal(scree_close(world), SCREE_OK);
  check_equal(wrong_thread, 0);
  check_equal(at_once, 0);
}

/* ---- the communication thread moves blocks while the worker computes ---- */

/* A record is so large that MPI needs calls by its sender until it has arrived. Rank 0 makes none, and no progress. */
HARNESS_TEST(sender_computes) {
  static const setting by_mpi = {.transport = SCREE_TRANSPORT_MPI, .progress = SCREE_PROGRESS_COMM};
  static char bytes[RECORD];
  job j = {.comm = true};
  if (harness_ranks == 1) harness_skip("nothing travels by MPI on one rank");
  j.landed = ranks_share(sizeof *j.landed * (size_t)harness_ranks);
  scree_world *world = setting_open(&by_mpi);
  if (!world) return;
  scree_worker *w = scree_worker_of(world, 0);
  check_equal(record_register(world, &j, &j.record), SCREE_OK);
  check_equal(scree_begin(w), SCREE_OK);
  if (w->rank == 0) {
    for (uint32_t r = 1; r < w->ranks; r++) record_send(w, j.record, r, bytes, sizeof bytes);
    scree_flush(w, SCREE_ALL);
    for (uint32_t r = 1; r < w->ranks; r++)
      while (atomic_load(&j.landed[r]) == 0) sched_yield();
  }
  check_equal(scree_end(w, NULL), SCREE_OK);
  check_equal(scree_close(world), SCREE_OK);
}

/* ---- failure ---- */

static void fail_run(scree_worker *w, void *arg) {
  const job *j = arg;
  check_equal(scree_begin(w), SCREE_OK);
  for (uint32_t i = 0; i < ITEMS; i++) any_send(w, j->any, i % w->ranks, 2);
  if (w->rank + 1 == w->ranks && w->index + 1 == j->taking) scree_fail(w, SCREE_ENOMEM, "by a worker");
  check_equal(scree_end(w, NULL), SCREE_ENOMEM);
}

/* A worker that does not call MPI fails the world for all. */
static void workers_fail_the_world(void **state) {
  const setting *s = *state;
  job j = {.taking = (uint32_t)s->threads};
  if (s->progress == SCREE_PROGRESS_COMM && harness_ranks == 1) harness_skip("nothing travels by MPI on one rank");
  scree_world *world = setting_open(s);
  if (!world) return;
  check_equal(any_register(world, &j, &j.any), SCREE_OK);
  check_equal(owned_register_with(world, SCREE_TO_WORKER, &j, &j.owned), SCREE_OK);
  check_equal(scree_run_workers(world, j.taking, fail_run, &j), SCREE_ENOMEM);
  check_equal(scree_error_rank(world), harness_ranks - 1);
  check_equal(scree_close(world), SCREE_ENOMEM);
}

int main(int argc, char **argv) {
  for (size_t i = 0; i < SETTINGS; i++) {
    void *state = (void *)(uintptr_t)&settings[i];
    harness_add((struct CMUnitTest){settings[i].name, one_thread_calls, NULL, NULL, state});
    harness_add((struct CMUnitTest){"workers_fail_the_world", workers_fail_the_world, NULL, NULL, state});
  }
  mpi_hook = watch;
  harness_level = MPI_THREAD_MULTIPLE;
  return harness__mpi_main(argc, argv);
}
