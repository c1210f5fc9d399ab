/* mpi_progress.c - a progress thread handles what is sent to a rank whose workers compute and make no progress: they
 * come to an end only because of that. */
#include <sched.h>
#include <scree/scree_mpi.h>
#include <stdatomic.h>

#include "capture.h"
#include "harness.h"
#include "setting.h"

enum { THREADS = 2, ROUNDS = 3 };

/* A window that stays open, so that no block goes to a worker. */
#define WINDOW .progress = SCREE_PROGRESS_FULL, .in_flight = 16

static const setting settings[] = {
    {.name = "as it comes", .threads = 1, WINDOW},
    {.name = "two workers", .threads = THREADS, WINDOW},
    {.name = "mpi", .transport = SCREE_TRANSPORT_MPI, .threads = 1, WINDOW},
    {.name = "mpi, multiple",
     .transport = SCREE_TRANSPORT_MPI,
     .threads = THREADS,
     WINDOW,
     .thread_level = SCREE_THREAD_LEVEL_MULTIPLE},
    {.name = "two nodes", .threads = 1, WINDOW, .nodes = 2},
};
enum { SETTINGS = sizeof settings / sizeof settings[0] };

SCREE_MESSAGE(question, uint32_t);
SCREE_MESSAGE(reply, uint32_t);

typedef struct {
  question_type question;
  reply_type reply;
  uint32_t workers;                   /* of each rank, that take part */
  _Atomic uint32_t asked;             /* questions that this rank has handled */
  _Atomic uint32_t answered[THREADS]; /* replies to each worker, by any thread */
  _Atomic uint32_t by_progress, by_worker;
} job;

static void on_question(scree_worker *w, const scree_batch *batch, const uint32_t *from, void *arg) {
  job *j = arg;
  for (uint32_t i = 0; i < batch->count; i++) reply_send(w, j->reply, batch->source, from[i]);
  atomic_fetch_add(w->index == w->threads ? &j->by_progress : &j->by_worker, batch->count);
  atomic_fetch_add(&j->asked, batch->count);
}
SCREE_HANDLER(question, uint32_t, on_question);

static void on_reply(scree_worker *w, const scree_batch *batch, const uint32_t *to, void *arg) {
  for (uint32_t i = 0; i < batch->count; i++) atomic_fetch_add(&((job *)arg)->answered[to[i]], 1);
}
SCREE_HANDLER(reply, uint32_t, on_reply);

/* Waits without progress, as no program may: the messages that end the wait are handled by the progress threads
 * alone. */
static void ask(scree_worker *w, void *arg) {
  job *j = arg;
  for (uint32_t round = 1; round <= ROUNDS; round++) {
    check_equal(scree_begin(w), SCREE_OK);
    question_send(w, j->question, (w->rank + 1) % w->ranks, w->index);
    scree_flush(w, SCREE_ALL);
    while (atomic_load(&j->answered[w->index]) < round || atomic_load(&j->asked) < round * j->workers) sched_yield();
    scree_reduce part = {.sum = {1}, .min = UINT64_MAX};
    check_equal(scree_end(w, &part), SCREE_OK);
    check_equal(part.sum[0], (uint64_t)w->ranks * j->workers); /* a progress thread contributes nothing */
  }
}

static void computing_ranks_answer(void **state) {
  const setting *s = *state;
  scree_world *world = setting_open(s);
  job j = {.workers = (uint32_t)s->threads};
  if (!world) return;
  check(scree_worker_of(world, j.workers) == NULL);
  check_equal(question_register(world, &j, &j.question), SCREE_OK);
  check_equal(reply_register(world, &j, &j.reply), SCREE_OK);
  check_equal(scree_run_workers(world, j.workers, ask, &j), SCREE_OK);
  check_equal(j.by_progress, j.workers * ROUNDS);
  check_equal(j.by_worker, 0);
  scree_worker *w = scree_worker_of(world, 0);
  check_equal(scree_begin(w), SCREE_OK); /* outside of scree_run_workers it takes no part */
  question_send(w, j.question, (w->rank + 1) % w->ranks, 0);
  check_equal(scree_end(w, NULL), SCREE_OK);
  check_equal(j.by_worker, 1);
  check_equal(scree_close(world), SCREE_OK);
}

static void on_fault(scree_worker *w, const scree_batch *batch, const uint32_t *items, void *arg) {
  scree_fail(w, SCREE_ENOMEM, "by a handler");
}

static void send_fault(scree_worker *w, void *arg) {
  job *j = arg;
  check_equal(scree_begin(w), SCREE_OK);
  if (w->rank == 0) question_send(w, j->question, w->ranks - 1, 0);
  check_equal(scree_end(w, NULL), SCREE_ENOMEM);
  check_equal(scree_begin(w), SCREE_ENOMEM);
}
static void fault_batch(scree_worker *w, const scree_batch *batch, const void *items, void *arg) {
  on_fault(w, batch, items, arg);
}

/* A failure that a handler raises there ends the epoch for all. */
static void handlers_fail_the_world(void **state) {
  scree_world *world = setting_open(*state);
  job j = {0};
  if (!world) return;
  scree_type_desc desc = {
      .size = sizeof desc, .name = "fault", .item = sizeof(uint32_t), .flags = 0, .fn = fault_batch, .arg = &j};
  check_equal(scree_register(world, &desc, &j.question.id), SCREE_OK);
  check_equal(scree_run_workers(world, 1, send_fault, &j), SCREE_ENOMEM);
  if (harness_rank == harness_ranks - 1)
    check_contains(scree_error_text(world), "progress thread: scree_fail: by a handler");
  check_equal(scree_error_rank(world), harness_ranks - 1);
  check_equal(scree_close(world), SCREE_ENOMEM);
}

int main(int argc, char **argv) {
  for (size_t i = 0; i < SETTINGS; i++) {
    void *state = (void *)(uintptr_t)&settings[i];
    harness_add((struct CMUnitTest){settings[i].name, computing_ranks_answer, NULL, NULL, state});
    harness_add((struct CMUnitTest){"handlers_fail_the_world", handlers_fail_the_world, NULL, NULL, state});
  }
  harness_level = MPI_THREAD_MULTIPLE;
  return harness__mpi_main(argc, argv);
}
