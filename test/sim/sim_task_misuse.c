/* sim_task_misuse.c - what tasks may not do, one scene each, played on two virtual ranks over some seeds. */
#include <string.h>

#include "harness.h"
#include "task_scene.h"

enum { STACK = 65536 }; /* that tasks of scenes have */

/* ---- what is illegal ---- */

static void end_epoch(scree_task *self, actor *a, uint64_t n) {
  check_equal(scree_end(a->w, NULL), SCREE_ESTATE);
}
static void test_epoch(scree_task *self, actor *a, uint64_t n) {
  check(scree_test(a->w, true, NULL));
}
static void begin_epoch(scree_task *self, actor *a, uint64_t n) {
  check_equal(scree_begin(a->w), SCREE_ESTATE);
}
static void keep_task(scree_task *self, actor *a, uint64_t n) {
  a->task = self;
  scree_task_suspend(self, "the test");
}
static void yield_outside(actor *a) {
  spawn_one(a);
  while (!a->task) scree_progress(a->w);
  check_equal(scree_task_yield(a->task), SCREE_ESTATE);
}
static void yield_another(scree_task *self, actor *a, uint64_t n) {
  if (!a->task)
    keep_task(self, a, n);
  else
    check_equal(scree_task_yield(a->task), SCREE_ESTATE);
}
static void set_twice(scree_task *self, actor *a, uint64_t n) {
  scree_future_open(a->w, &a->future, 0, 1, NULL);
  scree_future_set(a->w, &a->future, NULL);
  scree_future_set(a->w, &a->future, NULL);
}
static void end_twice(scree_task *self, actor *a, uint64_t n) {
  scree_scope *scope = scree_finish(self);
  check_equal(scree_finish_end(self, scope), SCREE_OK);
  check_equal(scree_finish_end(self, scope), SCREE_ESTATE);
}
static void leave_open(scree_task *self, actor *a, uint64_t n) {
  check(scree_finish(self) != NULL);
}
static void spawn_in_ended(scree_task *self, actor *a, uint64_t n) {
  scree_scope *scope = scree_finish(self);
  scree_finish_end(self, scope);
  job_spawn(a->w, a->job, scope, (job_args){1});
}
static void end_others(scree_task *self, actor *a, uint64_t n) {
  if (n == 0) {
    a->scope = scree_finish(self);
    scree_task_yield(self);
    scree_finish_end(self, a->scope);
  } else {
    while (!a->scope) scree_task_yield(self);
    check_equal(scree_finish_end(self, a->scope), SCREE_ESTATE);
  }
}
static void spawn_far(scree_task *self, actor *a, uint64_t n) {
  job_spawn_on(a->w, a->job, NULL, 2, (job_args){0});
}
static void complete_more(scree_task *self, actor *a, uint64_t n) {
  scree_completion *c;
  scree_completion_open(a->w, &c);
  scree_completion_enroll(c, 1);
  check_equal(scree_completion_complete(c, 2), SCREE_EINVAL);
}
static void wait_for_closed(scree_task *self, actor *a, uint64_t n) {
  scree_future_open(a->w, &a->future, 0, 1, NULL);
  const uint64_t number = scree_future_number(&a->future);
  uint64_t value = 7;
  scree_future_close(&a->future);
  check_equal(scree_future_wait_at(self, number, &value, sizeof value), SCREE_ESTATE);
  check_equal(value, 7);
}
static void open_large(scree_task *self, actor *a, uint64_t n) {
  check_equal(scree_future_open(a->w, &a->future, 49, 1, NULL), SCREE_EINVAL);
}
/* A function of the program that never reacts to the status. */
static void never_return(scree_task *self, actor *a, uint64_t n) {
  scree_fail(a->w, SCREE_EMPI, "planned");
  for (;;) scree_task_yield(self);
}
__attribute__((noinline)) static void recurse(volatile char *from, int depth) {
  volatile char frame[1024];
  memset((char *)frame, depth, sizeof frame);
  if (depth) recurse(frame, depth - 1);
  *from = frame[5];
}
static void use_much(scree_task *self, actor *a, uint64_t n) {
  volatile char c;
  if (n == 0) recurse(&c, 66);
  scree_task_suspend(self, "the other one");
}
static void spawn_neighbour_last(actor *a) { /* so that it begins first, on the stack below */
  spawn_one(a);
  job_spawn(a->w, a->job, NULL, (job_args){1});
}

/* ---- where tasks may not wait ---- */

static void never_called_twice(actor *a, scree_status status) {
  a->order++;
  check_equal(status, SCREE_ESTATE);
}
static bool may_try(const actor *a) {
  return a->task && !a->order;
}
static void yield_there(actor *a) {
  if (may_try(a)) never_called_twice(a, scree_task_yield(a->task));
}
static void suspend_there(actor *a) {
  if (may_try(a)) never_called_twice(a, scree_task_suspend(a->task, "the test"));
}
static void finish_there(actor *a) {
  if (may_try(a)) never_called_twice(a, scree_finish(a->task) ? SCREE_OK : SCREE_ESTATE);
}
static void wait_there(actor *a) {
  if (!may_try(a)) return;
  check_equal(scree_future_open(a->w, &a->future, 0, 1, NULL), SCREE_OK);
  never_called_twice(a, scree_future_wait(a->task, &a->future, NULL));
}
static void complete_there(actor *a) {
  scree_completion *c;
  if (!may_try(a)) return;
  check_equal(scree_completion_open(a->w, &c), SCREE_OK);
  never_called_twice(a, scree_completion_wait(a->task, c));
}
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

/* They do not run on the task's stack, at whose top the task is. */
static void yield_in_send(actor *a) {
  const uintptr_t here = (uintptr_t)__builtin_frame_address(0), top = (uintptr_t)a->task;
  check_text(!top || here > top || top - here > STACK, "a handler %" PRIuPTR " bytes below a task", top - here);
  yield_there(a);
}
/* A continuation, of which the epoch knows, though nothing has a stack. */
static void never_run(scree_task *self, actor *a, uint64_t n) {
  check(false);
}
static void park(actor *a) {
  check_equal(scree_future_open(a->w, &a->future, 0, 1, NULL), SCREE_OK);
  for (uint64_t i = 0; i < 3; i++) job_then(a->w, a->job, NULL, &a->future, (job_args){i});
}
static void has_not_run(actor *a) {
  check_equal(a->ran, 0);
}
static void close_parked(actor *a) {
  park(a);
  scree_future_close(&a->future);
}
/* Then they may be left, and their future closed: the world is closed with them. */
static void fail_parked(actor *a) {
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
static void wake_others(scree_task *self, actor *a, uint64_t n) {
  if (n == 0)
    lend(self, a);
  else
    scree_task_wake(a->w, others.task);
}
static void spawn_others(scree_task *self, actor *a, uint64_t n) {
  if (n == 0)
    lend(self, a);
  else
    job_spawn(a->w, others.job, NULL, (job_args){2});
}

#define PLACE "called in a handler or a poll function: only the task itself, of type 'job', may wait"
static const scene scenes[] = {
    SCENE(yield in a handler, SCREE_ESTATE, "scree_task_yield: " PLACE, keep_task, ping_when_begun, has_tried,
          .called = yield_there),
    SCENE(suspend in a handler, SCREE_ESTATE, "scree_task_suspend: " PLACE, keep_task, ping_when_begun, has_tried,
          .called = suspend_there),
    SCENE(future in a handler, SCREE_ESTATE, "scree_future_wait: " PLACE, keep_task, ping_when_begun, has_tried,
          .called = wait_there),
    SCENE(finish in a handler, SCREE_ESTATE, "scree_finish: " PLACE, keep_task, ping_when_begun, has_tried,
          .called = finish_there),
    SCENE(completion in a handler, SCREE_ESTATE, "scree_completion_wait: " PLACE, keep_task, ping_when_begun, has_tried,
          .called = complete_there),
    SCENE(yield in a send, SCREE_ESTATE, "scree_task_yield: " PLACE, send_many, spawn_one, has_tried,
          .called = yield_in_send),
    SCENE(
        a future that is never set, SCREE_ESTATE,
        "3 tasks of name_then on this worker wait for a future that cannot be set any more: the oldest, of type 'job'",
        never_run, park, has_not_run, .live = 1),
    SCENE(a future that is closed, SCREE_ESTATE, "tasks of name_then wait for this future: close it when it is ready",
          never_run, close_parked, has_not_run, .live = 1),
    SCENE(a world that fails and is closed with tasks of name_then, SCREE_EMPI, "planned", never_run, fail_parked,
          has_not_run, .live = 1),
    SCENE(yield in a poll function, SCREE_ESTATE, "scree_task_yield: " PLACE, keep_task, poll_when_begun, has_tried,
          .called = yield_there, .polls = 1),
    SCENE(future in a poll function, SCREE_ESTATE, "scree_future_wait: " PLACE, keep_task, poll_when_begun, has_tried,
          .called = wait_there, .polls = 1),
    SCENE(wake of another world, SCREE_EINVAL, "scree_task_wake: a task of another worker or world", wake_others,
          spawn_one, has_returned, .second = true),
    SCENE(type of another world, SCREE_EINVAL, "a task type that is not of this world", spawn_others, spawn_one,
          has_returned, .second = true),
    SCENE(end in a task, SCREE_ESTATE, "scree_end: called inside a task", end_epoch, spawn_one, has_returned,
          .live = 1),
    SCENE(test in a task, SCREE_ESTATE, "scree_test: called inside a task", test_epoch, spawn_one, has_returned,
          .live = 1),
    SCENE(begin in a task, SCREE_ESTATE, "scree_begin: called inside a task", begin_epoch, spawn_one, has_returned,
          .live = 1),
    SCENE(yield outside, SCREE_ESTATE, "scree_task_yield: called outside of a task", keep_task, yield_outside,
          has_returned, .live = 1),
    SCENE(yield of another, SCREE_ESTATE, "with another task than the one that runs", yield_another, spawn_two,
          has_returned, .live = 2),
    SCENE(set twice, SCREE_ESTATE, "it has been set as often as it was opened for", set_twice, spawn_one, has_returned,
          .live = 1),
    SCENE(scope ended twice, SCREE_ESTATE, "no scope, or one that was ended", end_twice, spawn_one, has_returned,
          .live = 1),
    SCENE(scope left open, SCREE_ESTATE, "a task of type 'job' has returned with 1 scopes open", leave_open, spawn_one,
          has_returned, .live = 1),
    SCENE(spawn in an ended one, SCREE_ESTATE, "spawn: task of type 'job' in a scope that was ended", spawn_in_ended,
          spawn_one, has_returned, .live = 1),
    SCENE(scope of another, SCREE_ESTATE, "a scope that another task opened", end_others, spawn_two, has_returned,
          .live = 2),
    SCENE(spawn out of range, SCREE_EINVAL, "task of type 'job' on worker 2: legal are 0..1", spawn_far, spawn_one,
          has_returned, .live = 1),
    SCENE(too many completed, SCREE_EINVAL, "2 operations, legal are 0..1", complete_more, spawn_one, has_returned,
          .live = 1),
    SCENE(a closed future, SCREE_ESTATE, "was closed", wait_for_closed, spawn_one, has_returned, .live = 1),
    SCENE(a large future, SCREE_EINVAL, "49 bytes, set 1 times: legal are 0..48 bytes", open_large, spawn_one,
          has_returned, .live = 1),
    SCENE(never returns, SCREE_EMPI, "planned", never_return, spawn_one, has_returned, .live = 1, .silent = true),
    SCENE(canary, SCREE_ENOMEM, "a task of type 'job' has used more than its stack of 65536 bytes", use_much,
          spawn_neighbour_last, has_returned, .live = 2),
};

HARNESS_TEST(each_scene) {
  scenes_run(scenes, sizeof scenes / sizeof *scenes);
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
