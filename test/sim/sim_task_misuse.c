/* sim_task_misuse.c - what tasks may not do, one scene each, played on two virtual ranks over some seeds. */
#include <string.h>

#include "task_scene.h"

enum { STACK = 65536 }; /* that tasks of scenes have */

/* ---- what is illegal ---- */

REFUSED(end_epoch, scree_end(a->w, NULL), SCREE_ESTATE, "scree_end: called inside a task")
SCENE(test_epoch, SCREE_ESTATE, "scree_test: called inside a task") {
  check(scree_test(a->w, true, NULL));
}
REFUSED(begin_epoch, scree_begin(a->w), SCREE_ESTATE, "scree_begin: called inside a task")
static void keep_task(scree_task *self, actor *a, uint64_t n) {
  a->task = self;
  scree_task_suspend(self, "the test");
}
SCENE_BEFORE(yield_outside, SCREE_ESTATE, "scree_task_yield: called outside of a task", .task = keep_task) {
  spawn_one(a);
  while (!a->task) scree_progress(a->w);
  check_equal(scree_task_yield(a->task), SCREE_ESTATE);
}
SCENE(yield_another, SCREE_ESTATE, "with another task than the one that runs", .before = spawn_two, .live = 2) {
  if (!a->task)
    keep_task(self, a, n);
  else
    check_equal(scree_task_yield(a->task), SCREE_ESTATE);
}
SCENE(set_twice, SCREE_ESTATE, "it has been set as often as it was opened for") {
  scree_future_open(a->w, &a->future, 0, 1, NULL);
  scree_future_set(a->w, &a->future, NULL);
  scree_future_set(a->w, &a->future, NULL);
}
SCENE(end_twice, SCREE_ESTATE, "no scope, or one that was ended") {
  scree_scope *scope = scree_finish(self);
  check_equal(scree_finish_end(self, scope), SCREE_OK);
  check_equal(scree_finish_end(self, scope), SCREE_ESTATE);
}
SCENE(leave_open, SCREE_ESTATE, "a task of type 'job' has returned with 1 scopes open") {
  check(scree_finish(self) != NULL);
}
SCENE(spawn_in_ended, SCREE_ESTATE, "spawn: task of type 'job' in a scope that was ended") {
  scree_scope *scope = scree_finish(self);
  scree_finish_end(self, scope);
  job_spawn(a->w, a->job, scope, (job_args){1});
}
SCENE(end_others, SCREE_ESTATE, "a scope that another task opened", .before = spawn_two, .live = 2) {
  if (n == 0) {
    a->scope = scree_finish(self);
    scree_task_yield(self);
    scree_finish_end(self, a->scope);
  } else {
    while (!a->scope) scree_task_yield(self);
    check_equal(scree_finish_end(self, a->scope), SCREE_ESTATE);
  }
}
SCENE(spawn_far, SCREE_EINVAL, "task of type 'job' on worker 2: legal are 0..1") {
  job_spawn_on(a->w, a->job, NULL, 2, (job_args){0});
}
SCENE(complete_more, SCREE_EINVAL, "2 operations, legal are 0..1") {
  scree_completion *c;
  scree_completion_open(a->w, &c);
  scree_completion_enroll(c, 1);
  check_equal(scree_completion_complete(c, 2), SCREE_EINVAL);
}
SCENE(wait_for_closed, SCREE_ESTATE, "was closed") {
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
SCENE(never_return, SCREE_EMPI, "planned", .silent = true) {
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
SCENE(use_much, SCREE_ENOMEM, "a task of type 'job' has used more than its stack of 65536 bytes", .before = spawn_two,
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
#define CALLED(name, text, ...) SCENE_CALLED(name, SCREE_ESTATE, text ": " PLACE, .after = has_tried, __VA_ARGS__)
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
SCENE_BEFORE(
    never_set, SCREE_ESTATE,
    "3 tasks of name_then on this worker wait for a future that cannot be set any more: the oldest, of type 'job'",
    .task = never_run, .after = has_not_run) {
  park(a);
}
SCENE_BEFORE(close_parked, SCREE_ESTATE, "tasks of name_then wait for this future: close it when it is ready",
             .task = never_run, .after = has_not_run) {
  park(a);
  scree_future_close(&a->future);
}
/* Then they may be left, and their future closed: the world is closed with them. */
SCENE_BEFORE(fail_parked, SCREE_EMPI, "planned", .task = never_run, .after = has_not_run) {
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
SCENE(wake_others, SCREE_EINVAL, "scree_task_wake: a task of another worker or world", .second = true) {
  if (n == 0)
    lend(self, a);
  else
    scree_task_wake(a->w, others.task);
}
SCENE(spawn_others, SCREE_EINVAL, "a task type that is not of this world", .second = true) {
  if (n == 0)
    lend(self, a);
  else
    job_spawn(a->w, others.job, NULL, (job_args){2});
}

/* ---- what belongs to another worker ---- */

typedef struct {
  void (*act)(actor *mine, actor *other);
  scree_status code;
  const char *text;
} sharing;
typedef struct {
  scene as_scene; /* first */
  const sharing *how;
  actor worker[2];
  scree_completion *completion;
  uint64_t future; /* number of that of worker 0 */
} pair;
static pair shared;

static void wake_task(actor *mine, actor *other) {
  scree_task_wake(mine->w, other->task);
}
static void wait_for_completion(actor *mine, actor *other) {
  check_equal(scree_completion_wait(mine->task, shared.completion), SCREE_ESTATE);
}
static void wait_for_future(actor *mine, actor *other) {
  check_equal(scree_future_wait(mine->task, &other->future, NULL), SCREE_ESTATE);
}
static void set_future(actor *mine, actor *other) {
  scree_future_set(mine->w, &other->future, NULL);
}
/* By messages: the worker of the future refuses the second one. */
static void set_future_twice(actor *mine, actor *other) {
  scree_future_set_at(mine->w, shared.future, NULL, 0);
  scree_future_set_at(mine->w, shared.future, NULL, 0);
  check_equal(scree_task_suspend(mine->task, "the test"), SCREE_ESTATE);
}
static void spawn_in_scope(actor *mine, actor *other) {
  job_spawn(mine->w, mine->job, other->scope, (job_args){2});
}
static void then_of_another(actor *mine, actor *other) {
  job_then(mine->w, mine->job, NULL, &other->future, (job_args){2});
}

/* The task of worker 0 opens what that of worker 1 uses. */
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
    check_equal(scree_task_suspend(self, "the test"), shared.how->code);
  } else if (n == 1) {
    shared.how->act(mine, &shared.worker[0]);
    check_equal(scree_error(a->world), shared.how->code);
  }
}
static void both_workers(scree_worker *w, void *arg) {
  actor *a = arg;
  check_equal(scree_begin(w), SCREE_OK);
  if (w->index == 0) job_spawn(w, a->job, NULL, (job_args){0});
  check_equal(scree_end(w, NULL), shared.how->code);
}
static void play_both(scree_world *world, void *arg) {
  actor a = {.scene = arg, .world = world};
  scree_tasks_options options = SCREE_TASKS_OPTIONS_INIT;
  options.task_stack = 65536;
  options.steal = SCREE_STEAL_OFF;
  check_equal(scree_tasks_open(world, &options), SCREE_OK);
  check_equal(job_register(world, &a, &a.job), SCREE_OK);
  scree_run_workers(world, 2, both_workers, &a);
  check_contains(scree_error_text(world), shared.how->text);
}

HARNESS_TEST(other_worker) {
  static const sharing rows[] = {
      {wake_task, SCREE_EINVAL, "scree_task_wake: a task of another worker or world"},
      {wait_for_completion, SCREE_ESTATE, "task of type 'job' waits for a completion of another worker"},
      {wait_for_future, SCREE_ESTATE, "scree_future_wait: it belongs to another worker"},
      {set_future, SCREE_ESTATE, "scree_future_set: it belongs to another worker"},
      {set_future_twice, SCREE_ESTATE, "it has been set as often as it was opened for"},
      {spawn_in_scope, SCREE_ESTATE, "spawn: task of type 'job' in a scope of another worker"},
      {then_of_another, SCREE_ESTATE, "then: task of type 'job': the future belongs to another worker"},
  };
  for (uint64_t i = 0; i < 20 * sizeof rows / sizeof *rows && harness_failures() == 0; i++) {
    const scree_sim_config config = {.seed = i + 1, .ranks = 1, .nodes = 1, .threads = 2, .quiet = true};
    shared = (pair){.as_scene = {.task = use_both}, .how = &rows[i / 20]};
    check_equal(scree_sim_run(&config, NULL, play_both, &shared, NULL), shared.how->code);
  }
  check_equal(scree_task_yield(NULL), SCREE_ESTATE); /* the thread is in no world any more */
}

/* ---- types that differ over ranks ---- */

typedef struct {
  const char *name[2];
  uint32_t bytes[2];
  const char *text;
} kinds;

/* Rank 1 registers others than rank 0. */
static void play_types(scree_world *world, void *arg) {
  const kinds *k = arg;
  scree__task_world *of;
  uint32_t id;
  const uint32_t other = scree_worker_of(world, 0)->rank;
  check_equal(scree_tasks_open(world, NULL), SCREE_OK);
  check_equal(scree__task_register(world, k->name[other], k->bytes[other], NULL, NULL, &of, &id), SCREE_EINVAL);
  check_contains(scree_error_text(world), k->text);
}

HARNESS_TEST(types_differ) {
  static const kinds rows[] = {
      {{"hull", "sail"},
       {8, 8},
       "types differ: rank 0 registers 'hull' (16 bytes, flags 2, number 6), rank 1 'sail' (16 bytes"},
      {{"hull", "hull"},
       {8, 16},
       "types differ: rank 0 registers 'hull' (16 bytes, flags 2, number 6), rank 1 'hull' (24 bytes"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const scree_sim_config config = {.seed = 1, .ranks = 2, .nodes = 1, .quiet = true};
    check_equal(scree_sim_run(&config, NULL, play_types, (void *)(uintptr_t)&rows[i], NULL), SCREE_OK);
  }
}

HARNESS_MAIN
