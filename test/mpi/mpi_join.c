/* mpi_join.c - scree_join_workers over real ranks: who runs on which thread, wrong calls, of which every thread of the
 * rank learns, and worlds that fail. mpi_workers.c has the messages of workers that have joined. */
#include <pthread.h>

#include "harness.h"
#include "joined.h"
#include "setting.h"

enum { THREADS = 3, ROUNDS = 20 };

SCREE_MESSAGE(poke, uint32_t);

typedef struct {
  scree_world *world;
  poke_type poke;
  pthread_t on[THREADS]; /* the thread that has run the worker last */
  uint32_t ran[THREADS];
  uint64_t took_part; /* workers of all ranks, in the last epoch */
} stage;

static const setting settings[] = {
    {.name = "shared memory", .threads = THREADS, .pin = SCREE_PIN_COMPACT},
    {.name = "MPI", .transport = SCREE_TRANSPORT_MPI, .threads = THREADS},
};

static void note(scree_worker *w, void *arg) {
  stage *s = arg;
  scree_reduce count = {.sum = {1}};
  s->on[w->index] = pthread_self();
  s->ran[w->index]++;
  check_equal(scree_begin(w), SCREE_OK);
  check_equal(scree_end(w, &count), SCREE_OK);
  if (w->index == 0) s->took_part = count.sum[0];
}

static void check_ran(stage *s, uint32_t n) {
  for (uint32_t i = 0; i < THREADS; i++) check_equal(s->ran[i], i < n);
  check_equal(s->took_part, (uint64_t)n * (uint32_t)harness_ranks);
  check(pthread_equal(s->on[0], pthread_self()));
  memset(s->ran, 0, sizeof s->ran);
}

static void check_right(stage *s, uint32_t n) {
  check_equal(joined_run(s->world, n, note, s), SCREE_OK);
  check_ran(s, n);
}

static void check_library(stage *s, uint32_t n) {
  check_equal(scree_run_workers(s->world, n, note, s), SCREE_OK);
  check_ran(s, n);
}

/* ---- threads ---- */

static void right_calls(void **state) {
  stage s = {.world = setting_open(*state)};
  pthread_t own[THREADS];
  if (!s.world) return;
  check_right(&s, 2); /* before the first epoch: worker 0 has no owner yet */
  check_library(&s, THREADS);
  memcpy(own, s.on, sizeof own);
  for (uint32_t i = 0; i < ROUNDS; i++) {
    check_library(&s, 1 + i % 2);
    check_right(&s, 1 + i % THREADS);
    check_equal(scree_begin(scree_worker_of(s.world, 0)), SCREE_OK);
    check_equal(scree_end(scree_worker_of(s.world, 0), NULL), SCREE_OK);
    check_right(&s, THREADS);
    for (uint32_t w = 1; w < THREADS; w++) check(!pthread_equal(s.on[w], own[w]));
  }
  check_library(&s, THREADS);
  for (uint32_t w = 1; w < THREADS; w++) check(pthread_equal(s.on[w], own[w]));
  check_equal(scree_close(s.world), SCREE_OK);
}

/* Ranks need not agree on whose threads they are. */
static void mixed(void **state) {
  stage s = {.world = setting_open(*state)};
  if (!s.world) return;
  for (int i = 0; i < ROUNDS; i++)
    if ((harness_rank + i) % 2)
      check_right(&s, THREADS);
    else
      check_library(&s, THREADS);
  check_equal(scree_close(s.world), SCREE_OK);
}

/* ---- wrong calls: refused ---- */

typedef struct {
  uint32_t n, index;
} pass;

typedef struct {
  scree_status status;
  const char *text;
  uint32_t threads;
  pass pass[THREADS]; /* what they pass, first that of the thread that owns worker 0 */
} wrong;

static const wrong wrongs[] = {
    {SCREE_EINVAL, "scree_join_workers: 4 workers, legal are 1..3: the option threads", 3, {{4, 0}, {4, 1}, {4, 2}}},
    {SCREE_EINVAL, "scree_join_workers: 0 workers, legal are 1..3: the option threads", 3, {{0, 0}, {0, 1}, {0, 2}}},
    {SCREE_EINVAL, "index 3 is out of range: legal are 0..2, each by one thread", 3, {{3, 0}, {3, 1}, {3, 3}}},
    {SCREE_EINVAL, "index 1000 is out of range: legal are 0..0", 1, {{1, 1000}}},
    {SCREE_EINVAL, "index 2 is out of range: legal are 0..1", 2, {{2, 1}, {2, 2}}},
    {SCREE_EINVAL, "index 1 is passed by two threads: legal are 0..2", 3, {{3, 0}, {3, 1}, {3, 1}}},
    {SCREE_EINVAL, "index 0 is passed by two threads: legal are 0..2", 3, {{3, 0}, {3, 0}, {3, 1}}},
    {SCREE_ESTATE, "index 0 is passed by another thread than that of worker 0, which passes 1", 2, {{2, 1}, {2, 0}}},
    {SCREE_EINVAL, "pass the same number", 3, {{3, 0}, {2, 1}, {3, 2}}},
    {SCREE_EINVAL, "pass the same number", 3, {{2, 0}, {3, 1}, {3, 2}}},
};
enum { WRONGS = sizeof wrongs / sizeof wrongs[0] };

static void pass_wrongly(stage *s, const wrong *c) {
  joiner callers[THREADS];
  char rank[60];
  snprintf(rank, sizeof rank, "scree: rank %d of %d: worker 0: scree_join_workers: ", harness_rank, harness_ranks);
  for (uint32_t i = 0; i < c->threads; i++) callers[i] = (joiner){s->world, c->pass[i].n, c->pass[i].index, note, s, 0};
  joined_call(callers, c->threads);
  for (uint32_t i = 0; i < c->threads; i++) check_equal(callers[i].status, c->status);
  check_contains(scree_error_text(s->world), c->text);
  check_contains(scree_error_text(s->world), rank);
}

static void wrong_calls(void **state) {
  stage s = {.world = setting_open(*state)};
  if (!s.world) return;
  for (int round = 0; round < ROUNDS && harness_failures() == 0; round++)
    for (int i = 0; i < WRONGS; i++) {
      pass_wrongly(&s, &wrongs[i]);
      check_right(&s, THREADS);
    }
  check_equal(scree_close(s.world), SCREE_OK);
}

/* No thread owns worker 0 yet, and none passes 0. */
static void wrong_first_call(void **state) {
  static const wrong none = {SCREE_EINVAL, "0 workers, legal are 1..3", 3, {{0, 0}, {0, 1}, {0, 2}}};
  static const wrong shifted = {SCREE_EINVAL, "index 2 is out of range: legal are 0..1", 2, {{2, 1}, {2, 2}}};
  stage s = {.world = setting_open(*state)};
  if (!s.world) return;
  pass_wrongly(&s, &none);
  pass_wrongly(&s, &shifted);
  check_right(&s, THREADS);
  check_equal(scree_close(s.world), SCREE_OK);
}

/* On the last rank alone: the others learn of it. */
static void wrong_on_a_rank(void **state) {
  const int last = harness_ranks - 1;
  char expected[100];
  stage s = {.world = setting_open(*state)};
  if (!s.world) return;
  for (int i = 0; i < WRONGS; i++) {
    if (harness_rank == last) {
      pass_wrongly(&s, &wrongs[i]);
    } else {
      check_equal(joined_run(s.world, 2, note, &s), wrongs[i].status);
      snprintf(expected, sizeof expected, "refused on rank %d, which passes ", last);
      check_contains(scree_error_text(s.world), expected);
    }
    check_right(&s, 2);
  }
  check_equal(joined_run(s.world, harness_rank == last ? 3 : 2, note, &s), last == 0 ? SCREE_OK : SCREE_EINVAL);
  snprintf(expected, sizeof expected, "rank 0 passes 2 workers, rank %d passes 3: pass the same number", last);
  if (last > 0) check_contains(scree_error_text(s.world), expected);
  memset(s.ran, 0, sizeof s.ran);
  check_right(&s, 2);
  check_equal(scree_close(s.world), SCREE_OK);
}

static void *call_foreign(void *arg) {
  joiner *callers = arg;
  joined_call(callers, 2);
  return NULL;
}

/* By two threads, neither of which owns worker 0; its owner learns of it at its next call. */
static void without_the_owner(void **state) {
  stage s = {.world = setting_open(*state)};
  pthread_t thread;
  if (!s.world) return;
  check_right(&s, 2);
  joiner callers[2] = {{s.world, 2, 0, note, &s, 0}, {s.world, 2, 1, note, &s, 0}};
  if (pthread_create(&thread, NULL, call_foreign, callers)) abort();
  pthread_join(thread, NULL);
  for (int i = 0; i < 2; i++) check_equal(callers[i].status, SCREE_ESTATE);
  check_equal(s.ran[0] + s.ran[1], 0);
  check_library(&s, 2);
  check_contains(scree_error_text(s.world), "scree_join_workers: called by a second thread");
  check_right(&s, 2);
  check_equal(scree_close(s.world), SCREE_OK);
}

/* Of one worker, which then runs on. */
static void join_inside(scree_worker *w, void *arg) {
  stage *s = arg;
  if (w->index == 1) {
    check_equal(scree_join_workers(s->world, 2, w->index, note, s), SCREE_ESTATE);
    check_contains(scree_error_text(s->world), "worker 1: scree_join_workers: called by a worker that runs");
  } else {
    check_equal(scree_run_workers(s->world, 2, note, s), SCREE_ESTATE);
    check_contains(scree_error_text(s->world), "scree_run_workers: called inside itself");
  }
  note(w, s);
}

static void inside(void **state) {
  stage s = {.world = setting_open(*state)};
  if (!s.world) return;
  check_equal(joined_run(s.world, 2, join_inside, &s), SCREE_OK);
  check_ran(&s, 2);
  check_equal(scree_run_workers(s.world, 2, join_inside, &s), SCREE_OK);
  check_ran(&s, 2);
  check_equal(scree_close(s.world), SCREE_OK);
}

/* ---- worlds that fail ---- */

/* In an epoch of worker 0, while the other thread has come, or comes; and when the world has failed. */
static void in_an_epoch(void **state) {
  stage s = {.world = setting_open(*state)};
  if (!s.world) return;
  check_equal(scree_begin(scree_worker_of(s.world, 0)), SCREE_OK);
  check_equal(joined_run(s.world, 2, note, &s), SCREE_ESTATE);
  check_equal(scree_end(scree_worker_of(s.world, 0), NULL), SCREE_ESTATE);
  check_contains(scree_error_text(s.world), "scree_join_workers: an epoch is open on the thread with index 0: end it");
  check_equal(joined_run(s.world, 2, note, &s), SCREE_ESTATE);
  check_equal(s.ran[0] + s.ran[1], 0);
  check_equal(scree_close(s.world), SCREE_ESTATE);
}

static void on_poke(scree_worker *w, const scree_batch *batch, const uint32_t *items, void *arg) {
  stage *s = arg;
  check_equal(joined_run(s->world, 2, note, s), SCREE_ESTATE);
}
SCREE_HANDLER(poke, uint32_t, on_poke);

static void in_a_handler(void **state) {
  stage s = {.world = setting_open(*state)};
  if (!s.world) return;
  scree_worker *w = scree_worker_of(s.world, 0);
  check_equal(poke_register(s.world, &s, &s.poke), SCREE_OK);
  check_equal(scree_begin(w), SCREE_OK);
  poke_send(w, s.poke, w->rank, 0);
  check_equal(scree_end(w, NULL), SCREE_ESTATE);
  check_equal(s.ran[0] + s.ran[1], 0);
  check_equal(scree_close(s.world), SCREE_ESTATE);
}

typedef struct {
  scree_world *world;
  pthread_barrier_t turn;
  scree_status status;
} early;

static void *come_early(void *arg) {
  early *e = arg;
  pthread_barrier_wait(&e->turn);
  e->status = scree_join_workers(e->world, 2, 1, note, NULL);
  return NULL;
}

/* A thread comes, then the world fails in an epoch of worker 0, and then its thread comes. */
static void failed_meanwhile(void **state) {
  early e = {.world = setting_open(*state)};
  pthread_t thread;
  if (!e.world) return;
  pthread_barrier_init(&e.turn, NULL, 2);
  if (pthread_create(&thread, NULL, come_early, &e)) abort();
  check_equal(scree_begin(scree_worker_of(e.world, 0)), SCREE_OK);
  pthread_barrier_wait(&e.turn);
  if (harness_rank == 0) scree_fail(scree_worker_of(e.world, 0), SCREE_EMPI, "of the test");
  check_equal(scree_end(scree_worker_of(e.world, 0), NULL), SCREE_EMPI);
  check_equal(scree_join_workers(e.world, 2, 0, note, NULL), SCREE_EMPI);
  pthread_join(thread, NULL);
  check_equal(e.status, SCREE_EMPI);
  pthread_barrier_destroy(&e.turn);
  check_equal(scree_close(e.world), SCREE_EMPI);
}

static void fail_one(scree_worker *w, void *arg) {
  check_equal(scree_begin(w), SCREE_OK);
  if (w->rank == w->ranks - 1 && w->index == 1) scree_fail(w, SCREE_EMPI, "of worker 1");
  check_equal(scree_end(w, NULL), SCREE_EMPI);
}

static void leave_open(scree_worker *w, void *arg) {
  check_equal(scree_begin(w), SCREE_OK);
  if (w->rank == w->ranks - 1 && w->index == 2) return;
  check_equal(scree_end(w, NULL), SCREE_ESTATE);
}

static void failures(void **state) {
  static const struct {
    scree_work_fn *fn;
    scree_status status;
    const char *text;
  } kinds[] = {{fail_one, SCREE_EMPI, "worker 1: scree_fail: of worker 1"},
               {leave_open, SCREE_ESTATE, "worker 2: scree_join_workers: the function returned with an open epoch"}};
  for (int k = 0; k < 2; k++) {
    scree_world *world = setting_open(*state);
    if (!world) return;
    check_equal(joined_run(world, THREADS, kinds[k].fn, NULL), kinds[k].status);
    if (harness_rank == harness_ranks - 1) check_contains(scree_error_text(world), kinds[k].text);
    check_equal(joined_run(world, THREADS, note, NULL), kinds[k].status);
    check_equal(scree_close(world), kinds[k].status);
  }
}

#define TEST(name)                                                                                                     \
  { #name, name, NULL, NULL, (void *)(uintptr_t)&settings[0] }
#define TEST_BY_MPI(name)                                                                                              \
  { #name ", MPI", name, NULL, NULL, (void *)(uintptr_t)&settings[1] }

static const struct CMUnitTest tests[] = {
    TEST(right_calls),      TEST_BY_MPI(right_calls), TEST(mixed),
    TEST_BY_MPI(mixed),     TEST(wrong_calls),        TEST_BY_MPI(wrong_on_a_rank),
    TEST(wrong_on_a_rank),  TEST(wrong_first_call),   TEST(without_the_owner),
    TEST(inside),           TEST(in_an_epoch),        TEST(in_a_handler),
    TEST(failed_meanwhile), TEST(failures),           TEST_BY_MPI(failures),
};

int main(int argc, char **argv) {
  HARNESS_ADD(tests);
  harness_level = MPI_THREAD_SERIALIZED;
  return harness__mpi_main(argc, argv);
}
