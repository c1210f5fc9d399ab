/* sim_task_misuse.c - what tasks may not do, one scene each, played on two virtual ranks over some seeds. */
#include <string.h>

#include "rules.h"

#define RULES rule_tasks

enum { STACK = 65536 }; /* that tasks of rules have */

/* ---- what is illegal ---- */

REFUSED(end_epoch, scree_end(a->w, NULL), SCREE_ESTATE, "scree_end: called inside a task")
RULE(test_epoch, SCREE_ESTATE, "scree_test: called inside a task") {
  check(scree_test(a->w, true, NULL));
}
REFUSED(begin_epoch, scree_begin(a->w), SCREE_ESTATE, "scree_begin: called inside a task")
static void keep_task(scree_task *self, actor *a, uint64_t n) {
  a->task = self;
  scree_task_suspend(self, "the test");
}
RULE_BEFORE(yield_outside, SCREE_ESTATE, "scree_task_yield: called outside of a task", .task = keep_task) {
  spawn_one(a);
  while (!a->task) scree_progress(a->w);
  check_equal(scree_task_yield(a->task), SCREE_ESTATE);
}
RULE(yield_another, SCREE_ESTATE, "with another task than the one that runs", .before = spawn_two, .live = 2) {
  if (!a->task)
    keep_task(self, a, n);
  else
    check_equal(scree_task_yield(a->task), SCREE_ESTATE);
}
RULE(set_twice, SCREE_ESTATE, "it has been set as often as it was opened for") {
  scree_future_open(a->w, &a->future, 0, 1, NULL);
  scree_future_set(a->w, &a->future, NULL);
  scree_future_set(a->w, &a->future, NULL);
}
RULE(end_twice, SCREE_ESTATE, "no scope, or one that was ended") {
  scree_scope *scope = scree_finish(self);
  check_equal(scree_finish_end(self, scope), SCREE_OK);
  check_equal(scree_finish_end(self, scope), SCREE_ESTATE);
}
RULE(leave_open, SCREE_ESTATE, "a task of type 'job' has returned with 1 scopes open") {
  check(scree_finish(self) != NULL);
}
RULE(spawn_in_ended, SCREE_ESTATE, "spawn: task of type 'job' in a scope that was ended") {
  scree_scope *scope = scree_finish(self);
  scree_finish_end(self, scope);
  job_spawn(a->w, a->job, scope, (job_args){1});
}
RULE(end_others, SCREE_ESTATE, "a scope that another task opened", .before = spawn_two, .live = 2) {
  if (n == 0) {
    a->scope = scree_finish(self);
    scree_task_yield(self);
    scree_finish_end(self, a->scope);
  } else {
    while (!a->scope) scree_task_yield(self);
    check_equal(scree_finish_end(self, a->scope), SCREE_ESTATE);
  }
}
RULE(spawn_far, SCREE_EINVAL, "task of type 'job' on worker 2: legal are 0..1") {
  job_spawn_on(a->w, a->job, NULL, 2, (job_args){0});
}
RULE(complete_more, SCREE_EINVAL, "2 operations, legal are 0..1") {
  scree_completion *c;
  scree_completion_open(a->w, &c);
  scree_completion_enroll(c, 1);
  check_equal(scree_completion_complete(c, 2), SCREE_EINVAL);
}
RULE(wait_for_closed, SCREE_ESTATE, "was closed") {
  scree_future_open(a->w, &a->future, 0, 1, NULL);
  const uint64_t number = scree_future_number(&a->future);
  uint64_t value = 7;
  scree_future_close(&a->future);
  check_equal(scree_future_wait_at(self, number, &value, sizeof value), SCREE_ESTATE);
  check_equal(value, 7);
}
REFUSED(open_large, scree_future_open(a->w, &a->future, 49, 1, NULL), SCREE_EINVAL,
        "49 bytes, set 1 times: legal are 0..48 bytes")
/* A function of the program that never reacts to the status. */
static void does_not_return(const char *said) {
  check_contains(said, "a task of type 'job' does not return, though the world has failed");
}
RULE(never_return, SCREE_EMPI, "planned", .said = does_not_return) {
  scree_fail(a->w, SCREE_EMPI, "planned");
  for (;;) scree_task_yield(self);
}
__attribute__((noinline)) static void recurse(volatile char *from, int depth) {
  volatile char frame[1024];
  memset((char *)frame, depth, sizeof frame);
  if (depth) recurse(frame, depth - 1);
  *from = frame[5];
}
/* The second task begins first, on the stack below. */
RULE(use_much, SCREE_ENOMEM, "a task of type 'job' has used more than its stack of 65536 bytes", .before = spawn_two,
     .live = 2) {
  volatile char c;
  if (n == 0) recurse(&c, 66);
  scree_task_suspend(self, "the other one");
}

/* ---- where tasks may not wait ---- */

static void ping_when_begun(actor *a) {
  spawn_one(a);
  while (!a->task) scree_progress(a->w);
  ping_send(a->w, a->ping, 0, 1);
}
static void poll_when_begun(actor *a) {
  spawn_one(a);
  while (!a->order) scree_progress(a->w);
}
/* The handlers of sends run on the worker's own stack, while the task that sends is the current one. */
static void send_many(scree_task *self, actor *a, uint64_t n) {
  a->task = self;
  for (uint64_t i = 0; i < 3000; i++) ping_send(a->w, a->ping, (uint32_t)(i % 2), i);
}
static void has_tried(actor *a) {
  check(a->w->rank == 1 || a->order == 1);
}

static scree_status wait_for_a_future(actor *a) {
  check_equal(scree_future_open(a->w, &a->future, 0, 1, NULL), SCREE_OK);
  return scree_future_wait(a->task, &a->future, NULL);
}
static scree_status wait_for_a_completion(actor *a) {
  scree_completion *c;
  check_equal(scree_completion_open(a->w, &c), SCREE_OK);
  return scree_completion_wait(a->task, c);
}

#define PLACE                   "called in a handler or a poll function: only the task itself, of type 'job', may wait"
#define CALLED(name, text, ...) RULE_CALLED(name, SCREE_ESTATE, text ": " PLACE, .after = has_tried, __VA_ARGS__)
/* The call is made once, when the task is there. */
#define NOT_THERE(name, call, text, ...)                                                                               \
  CALLED(name, text, .task = keep_task, __VA_ARGS__) {                                                                 \
    if (a->task && !a->order++) check_equal(call, SCREE_ESTATE);                                                       \
  }
NOT_THERE(yield_in_a_handler, scree_task_yield(a->task), "scree_task_yield", .before = ping_when_begun)
NOT_THERE(suspend_in_a_handler, scree_task_suspend(a->task, "it"), "scree_task_suspend", .before = ping_when_begun)
NOT_THERE(future_in_a_handler, wait_for_a_future(a), "scree_future_wait", .before = ping_when_begun)
NOT_THERE(finish_in_a_handler, scree_finish(a->task) ? SCREE_OK : SCREE_ESTATE, "scree_finish",
          .before = ping_when_begun)
NOT_THERE(completion_in_a_handler, wait_for_a_completion(a), "scree_completion_wait", .before = ping_when_begun)
NOT_THERE(yield_in_a_poll_function, scree_task_yield(a->task), "scree_task_yield", .before = poll_when_begun,
          .polls = 1)
NOT_THERE(future_in_a_poll_function, wait_for_a_future(a), "scree_future_wait", .before = poll_when_begun, .polls = 1)
/* They do not run on the task's stack, at whose top the task is. */
CALLED(yield_in_a_send, "scree_task_yield", .task = send_many) {
  const uintptr_t here = (uintptr_t)__builtin_frame_address(0), top = (uintptr_t)a->task;
  check_text(!top || here > top || top - here > STACK, "a handler %" PRIuPTR " bytes below a task", top - here);
  if (a->task && !a->order++) check_equal(scree_task_yield(a->task), SCREE_ESTATE);
}
/* A continuation, of which the epoch knows, though nothing has a stack. */
static void never_run(scree_task *self, actor *a, uint64_t n) {
  check(false);
}
static void has_not_run(actor *a) {
  check_equal(a->ran, 0);
}
static void park(actor *a) {
  check_equal(scree_future_open(a->w, &a->future, 0, 1, NULL), SCREE_OK);
  for (uint64_t i = 0; i < 3; i++) job_then(a->w, a->job, NULL, &a->future, (job_args){i});
}
RULE_BEFORE(
    never_set, SCREE_ESTATE,
    "3 tasks of name_then on this worker wait for a future that cannot be set any more: the oldest, of type 'job'",
    .task = never_run, .after = has_not_run) {
  park(a);
}
RULE_BEFORE(close_parked, SCREE_ESTATE, "tasks of name_then wait for this future: close it when it is ready",
            .task = never_run, .after = has_not_run) {
  park(a);
  scree_future_close(&a->future);
}
/* Then they may be left, and their future closed: the world is closed with them. */
RULE_BEFORE(fail_parked, SCREE_EMPI, "planned", .task = never_run, .after = has_not_run) {
  park(a);
  scree_fail(a->w, SCREE_EMPI, "planned");
  scree_future_set(a->w, &a->future, NULL);
  scree_future_close(&a->future);
}

/* ---- what belongs to another rank, which is another world ---- */

static struct {
  scree_task *task;
  job_type job;
} others;
static void lend(scree_task *self, actor *a) {
  others.task = self;
  others.job = a->job;
  job_spawn_on(a->w, a->job, NULL, 1, (job_args){1});
  check_equal(scree_task_suspend(self, "the test"), SCREE_EINVAL);
}
RULE(wake_others, SCREE_EINVAL, "scree_task_wake: a task of another worker or world", .second = true) {
  if (n == 0)
    lend(self, a);
  else
    scree_task_wake(a->w, others.task);
}
RULE(spawn_others, SCREE_EINVAL, "a task type that is not of this world", .second = true) {
  if (n == 0)
    lend(self, a);
  else
    job_spawn(a->w, others.job, NULL, (job_args){2});
}

/* ---- what belongs to another worker ---- */

/* The second worker acts on the task, future, completion and scope of the first one. */
typedef void act_fn(actor *mine, actor *other);
static struct {
  act_fn *act;
  actor worker[2];
  scree_completion *completion;
  uint64_t future; /* number of the first worker's future */
} shared;

/* The task of worker 0 opens objects, which the task of worker 1 uses. */
static void use_both(scree_task *self, actor *a, uint64_t n) {
  scree_worker *w = scree_task_worker(self);
  actor *mine = &shared.worker[w->index];
  mine->w = w;
  mine->task = self;
  mine->job = a->job;
  if (n == 0) {
    mine->scope = scree_finish(self);
    scree_future_open(w, &mine->future, 0, 1, NULL);
    shared.future = scree_future_number(&mine->future);
    scree_completion_open(w, &shared.completion);
    scree_completion_enroll(shared.completion, 1);
    job_spawn_on(w, a->job, NULL, 1, (job_args){1});
    check_equal(scree_task_suspend(self, "the test"), a->rule->code);
  } else if (n == 1) {
    shared.act(mine, &shared.worker[0]);
    check_equal(scree_error(a->world), a->rule->code);
  }
}
static void both_workers(scree_worker *w, void *arg) {
  actor *a = arg;
  check_equal(scree_begin(w), SCREE_OK);
  if (w->index == 0) job_spawn(w, a->job, NULL, (job_args){0});
  check_equal(scree_end(w, NULL), a->rule->code);
}
static void play_both(actor *a, act_fn *act) {
  scree_tasks_options options = SCREE_TASKS_OPTIONS_INIT;
  options.task_stack = 65536;
  options.steal = SCREE_STEAL_OFF;
  memset(&shared, 0, sizeof shared);
  shared.act = act;
  check_equal(scree_tasks_open(a->world, &options), SCREE_OK);
  check_equal(job_register(a->world, a, &a->job), SCREE_OK);
  scree_run_workers(a->world, 2, both_workers, a);
}
/* OTHERS(name, code, text) { body }: what worker 1 does. */
#define OTHERS(name, code_, text_)                                                                                     \
  static void name##_act(actor *mine, actor *other);                                                                   \
  RULE_WORLD(name, code_, text_, .task = use_both, .ranks = 1, .threads = 2, .seeds = 20) {                            \
    play_both(a, name##_act);                                                                                          \
  }                                                                                                                    \
  static void name##_act(actor *mine, actor *other)

OTHERS(wake_task, SCREE_EINVAL, "scree_task_wake: a task of another worker or world") {
  scree_task_wake(mine->w, other->task);
}
OTHERS(wait_for_completion, SCREE_ESTATE, "task of type 'job' waits for a completion of another worker") {
  check_equal(scree_completion_wait(mine->task, shared.completion), SCREE_ESTATE);
}
OTHERS(wait_for_future, SCREE_ESTATE, "scree_future_wait: it belongs to another worker") {
  check_equal(scree_future_wait(mine->task, &other->future, NULL), SCREE_ESTATE);
}
OTHERS(set_future, SCREE_ESTATE, "scree_future_set: it belongs to another worker") {
  scree_future_set(mine->w, &other->future, NULL);
}
/* By messages: the worker of the future refuses the second one. */
OTHERS(set_future_twice, SCREE_ESTATE, "it has been set as often as it was opened for") {
  scree_future_set_at(mine->w, shared.future, NULL, 0);
  scree_future_set_at(mine->w, shared.future, NULL, 0);
  check_equal(scree_task_suspend(mine->task, "the test"), SCREE_ESTATE);
}
OTHERS(spawn_in_scope, SCREE_ESTATE, "spawn: task of type 'job' in a scope of another worker") {
  job_spawn(mine->w, mine->job, other->scope, (job_args){2});
}
OTHERS(then_of_another, SCREE_ESTATE, "then: task of type 'job': the future belongs to another worker") {
  job_then(mine->w, mine->job, NULL, &other->future, (job_args){2});
}

HARNESS_TEST(in_no_world) {
  check_equal(scree_task_yield(NULL), SCREE_ESTATE);
}

/* ---- types that differ over ranks ---- */

static void register_hull(actor *a, const char *others, uint32_t bytes, const char *text) {
  scree__task_world *of;
  uint32_t id;
  check_equal(scree_tasks_open(a->world, NULL), SCREE_OK);
  check_equal(
      scree__task_register(a->world, a->w->rank ? others : "hull", a->w->rank ? bytes : 8, NULL, NULL, &of, &id),
      SCREE_EINVAL);
  check_contains(scree_error_text(a->world), text);
}
#define HULL "types differ: rank 0 registers 'hull' (16 bytes, flags 2, number 6), rank 1 "
RULE_WORLD(other_type, SCREE_OK, "") {
  register_hull(a, "sail", 8, HULL "'sail' (16 bytes");
}
RULE_WORLD(larger_type, SCREE_OK, "") {
  register_hull(a, "hull", 16, HULL "'hull' (24 bytes");
}

HARNESS_MAIN
