/* unit_join.c - what a thread that joins a world keeps of the worlds that it used before, and threads that enter the
 * next call of scree_join_workers while those of the last one have not left it. */
#include <pthread.h>
#include <sched.h>

#include "core/epoch.h"
#include "harness.h"
#include "thread/thread.h"
#include "threads_transport.h"

typedef struct {
  scree_world *joined, *own;
  bool remembers;
} scene;

static void close_own(scree_worker *w, void *scene_) {
  const scene *s = scene_;
  if (w->index == 1) check_equal(scree_close(s->own), SCREE_OK);
}

static void *use_both(void *scene_) {
  scene *s = scene_;
  check_equal(scree_begin(scree_worker_of(s->own, 0)), SCREE_OK);
  check_equal(scree_join_workers(s->joined, 2, 1, close_own, s), SCREE_ESTATE);
  check_equal(scree_end(scree_worker_of(s->own, 0), NULL), SCREE_OK);
  check_equal(scree_join_workers(s->joined, 2, 1, close_own, s), SCREE_OK);
  s->remembers = scree__here() != NULL;
  return NULL;
}

/* The thread would read the worker of a world that is gone when it next begins an epoch. While one is open in its own
 * world, it joins none. */
HARNESS_TEST(closed_inside) {
  scree_options options = SCREE_OPTIONS_INIT;
  threads_node nodes[2];
  scene s = {NULL, NULL, false};
  pthread_t thread;
  check(threads_open(&nodes[0], 1, &options));
  options.threads = 2;
  check(threads_open(&nodes[1], 1, &options));
  s.own = threads_world(&nodes[0], 0);
  s.joined = threads_world(&nodes[1], 0);
  check(s.own && s.joined);
  if (pthread_create(&thread, NULL, use_both, &s)) abort();
  check_equal(scree_join_workers(s.joined, 2, 0, close_own, &s), SCREE_ESTATE);
  check_contains(scree_error_text(s.joined), "an epoch is open on the thread with index 1: end it first");
  check_equal(scree_join_workers(s.joined, 2, 0, close_own, &s), SCREE_OK);
  pthread_join(thread, NULL);
  check(!s.remembers);
  check_equal(scree_close(s.joined), SCREE_OK);
  for (int i = 0; i < 2; i++) threads_close(&nodes[i]);
}

/* ---- threads that enter the next call while others have not left the last one ---- */

/* Of the calling thread: a late one stays where it waits in the call until one of the next call waits, too. */
static __thread enum { PROMPT, LATE, NEXT } is;

static struct {
  scree_world *world;
  AO_t waits[NEXT + 1], ran, is_back; /* by what threads are; workers; the late thread, from its first call */
} meeting;

static void wait(scree__scheduler *s, pthread_cond_t *changed, pthread_mutex_t *lock) {
  AO_fetch_and_add1(&meeting.waits[is]);
  if (is == NEXT) scree__thread_wake(changed);
  do scree__thread_wait(changed, lock);
  while (is == LATE && !AO_load(&meeting.waits[NEXT]));
}

static void await(const AO_t *flag) {
  while (!AO_load(flag)) sched_yield();
}

/* Worker 1 waits for worker 0 to return. */
static void run_first(scree_worker *w, void *unused) {
  AO_fetch_and_add1(&meeting.ran);
  if (w->index == 1) is = LATE;
  if (w->index == 0) await(&meeting.waits[LATE]);
}

static void run(scree_worker *w, void *second) {
  AO_fetch_and_add1(&meeting.ran);
  check(!second || AO_load(&meeting.is_back));
}

static scree_status call_first(uint32_t index, scree_work_fn *fn) {
  const scree_status status = scree_join_workers(meeting.world, 2, index, fn, NULL);
  if (is == LATE) AO_store(&meeting.is_back, 1);
  return status;
}

static void call_second(uint32_t index) {
  check_equal(scree_join_workers(meeting.world, 2, index, run, &meeting), SCREE_OK);
}

static void *late_in_run(void *unused) {
  check_equal(call_first(1, run_first), SCREE_OK);
  is = PROMPT;
  call_second(1);
  return unused;
}

static void leaves_a_run(void) {
  check_equal(call_first(0, run_first), SCREE_OK);
  check_equal(AO_load(&meeting.ran), 2);
  is = NEXT;
  call_second(0);
}

static void *late_in_refusal(void *unused) {
  is = LATE;
  check_equal(call_first(1, run), SCREE_EINVAL);
  call_second(1);
  return unused;
}

/* Index 1 is passed twice. */
static void leaves_a_refusal(void) {
  await(&meeting.waits[LATE]);
  check_equal(call_first(1, run), SCREE_EINVAL);
  check_equal(AO_load(&meeting.ran), 0);
  is = NEXT;
  call_second(0);
}

static void *come_promptly(void *unused) {
  await(&meeting.waits[LATE]);
  check_equal(call_first(1, run), SCREE_OK);
  return unused;
}

static void *too_many(void *unused) {
  await(&meeting.waits[PROMPT]);
  is = NEXT;
  call_second(1);
  return unused;
}

/* All have arrived; but the thread that represents the rank does not know yet. */
static void decides_late(void) {
  pthread_t third;
  if (pthread_create(&third, NULL, too_many, NULL)) abort();
  is = LATE;
  check_equal(call_first(0, run), SCREE_OK);
  check_equal(AO_load(&meeting.ran), 2);
  call_second(0);
  pthread_join(third, NULL);
}

typedef struct {
  void (*here)(void);
  void *(*there)(void *);
} pair;

static void meet(void **state) {
  const pair *threads = *state;
  scree_options options = SCREE_OPTIONS_INIT;
  threads_node node;
  pthread_t there;
  options.threads = 2;
  check(threads_open(&node, 1, &options));
  memset(&meeting, 0, sizeof meeting);
  check((meeting.world = threads_world(&node, 0)) != NULL);
  check_equal(scree_begin(scree_worker_of(meeting.world, 0)), SCREE_OK); /* so that this thread represents the rank */
  check_equal(scree_end(scree_worker_of(meeting.world, 0), NULL), SCREE_OK);
  scree__scheduler *s = meeting.world->worker[0]->transport->scheduler;
  scree__scheduler_ops ops = *s->ops;
  ops.wait = wait;
  s->ops = &ops;
  is = PROMPT;
  if (pthread_create(&there, NULL, threads->there, NULL)) abort();
  threads->here();
  pthread_join(there, NULL);
  check_equal(scree_close(meeting.world), SCREE_OK);
  threads_close(&node);
}

static const pair run_ends = {leaves_a_run, late_in_run}, refused = {leaves_a_refusal, late_in_refusal},
                  full = {decides_late, come_promptly};
#define MEET(pair)                                                                                                     \
  { "next_call, " #pair, meet, NULL, NULL, (void *)(uintptr_t)&pair }

static const struct CMUnitTest tests[] = {
    MEET(run_ends),
    MEET(refused),
    MEET(full),
};

HARNESS_MAIN_OF(tests)
