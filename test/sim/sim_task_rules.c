/* sim_task_rules.c - the rules of tasks, one scene each, played on two virtual ranks over some seeds: waits that nobody ends,
 * calls that are illegal, sends that find no room, tasks that ignore a failed world, options, statistics. */
#include <scree/scree_sim.h>
#include <scree/task.h>

#include "base/options.h"
#include "capture.h"
#include "core/world.h"
#include "harness.h"

enum { SEEDS = 20, MANY = 3000 };

typedef struct {
  uint64_t n;
} args;
SCREE_TASK(job, args);
SCREE_MESSAGE(ping, uint64_t);

typedef struct scene scene;
typedef struct {
  const scene *scene;
  scree_world *world;
  scree_worker *w;
  job_type job;
  ping_type ping;
  uint64_t ran, handled, order;
  scree_task *task;
  scree_future future;
  scree_scope *scope;
} actor;

/* `task`: what a task of rank 0 does; `before`: what rank 0 does in the epoch. The epoch ends with `code`; the error of rank 0
 * contains `text`. */
struct scene {
  const char *name;
  scree_status code;
  const char *text;
  void (*task)(scree_task *self, actor *a, uint64_t n);
  void (*before)(actor *a);
  void (*after)(actor *a);
};

static void run_job(scree_task *self, const args *p) {
  actor *a = scree_task_arg(self);
  a->ran++;
  a->scene->task(self, a, p->n);
}
SCREE_TASK_BODY(job, args, run_job);

static void on_ping(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  actor *a = arg;
  (void)w;
  (void)items;
  a->handled += batch->count;
}
SCREE_HANDLER(ping, uint64_t, on_ping);

static void spawn_one(actor *a) {
  job_spawn(a->w, a->job, NULL, (args){0});
}
static void spawn_two(actor *a) {
  spawn_one(a);
  job_spawn(a->w, a->job, NULL, (args){1});
}

/* ---- waits that nobody ends ---- */

static void sleep_on(scree_task *self, actor *a, uint64_t n) {
  (void)n;
  (void)a;
  check_equal(scree_task_suspend(self, "godot"), SCREE_ESTATE);
  check_equal(scree_task_yield(self), SCREE_ESTATE); /* at once */
}
static void wait_for_future(scree_task *self, actor *a, uint64_t n) {
  (void)n;
  uint64_t value = 7;
  check_equal(scree_future_open(a->w, &a->future, sizeof value, 1, NULL), SCREE_OK);
  check_equal(scree_future_wait(self, &a->future, &value), SCREE_ESTATE);
  check_equal(value, 7);
}
static void wait_for_remote(scree_task *self, actor *a, uint64_t n) {
  if (n == 0) {
    scree_future_open(a->w, &a->future, 0, 1, NULL);
    job_spawn_on(a->w, a->job, NULL, 1, (args){scree_future_number(&a->future)});
  } else {
    check_equal(scree_future_wait_at(self, n, NULL, 0), SCREE_ESTATE);
  }
}
static void wait_for_child(scree_task *self, actor *a, uint64_t n) {
  if (n) {
    scree_task_suspend(self, "nothing");
    return;
  }
  scree_scope *scope = scree_finish(self);
  job_spawn_on(a->w, a->job, scope, 1, (args){1});
  check_equal(scree_finish_end(self, scope), SCREE_ESTATE);
}
static void wait_for_completion(scree_task *self, actor *a, uint64_t n) {
  (void)n;
  scree_completion *c;
  check_equal(scree_completion_open(a->w, &c), SCREE_OK);
  scree_completion_enroll(c, 1);
  check_equal(scree_completion_wait(self, c), SCREE_ESTATE);
}
static void has_returned(actor *a) {
  check(a->w->rank == 1 || a->ran > 0);
}

/* ---- what goes on ---- */

/* A wake that comes first is kept, two are one. */
static void wake_first(scree_task *self, actor *a, uint64_t n) {
  (void)n;
  scree_task_wake(a->w, self);
  scree_task_wake(a->w, self);
  check_equal(scree_task_suspend(self, "itself"), SCREE_OK);
  a->task = self;
  a->order = 1;
  if (scree_task_suspend(self, "the handler")) return;
  a->order = 2;
}
static void wake_later(actor *a) {
  spawn_one(a);
  while (!a->task) scree_progress(a->w);
  check_equal(a->order, 1);
  scree_task_wake(a->w, a->task);
}
static void has_gone_on(actor *a) {
  if (a->w->rank == 0) check_equal(a->order, 2);
}

static uint64_t waited;
/* FIFO among those that are ready; alone between two waits, though sends find no room. */
static void send_many(scree_task *self, actor *a, uint64_t n) {
  (void)n;
  for (uint64_t i = 0; i < MANY; i++) {
    const uint64_t mark = ++a->order;
    ping_send(a->w, a->ping, (uint32_t)(i % 2), i);
    check_equal(a->order, mark);
    if (i % 100 == 0) check_equal(scree_task_yield(self), SCREE_OK);
  }
}
static void were_handled(actor *a) {
  scree_tasks_stats s = {.size = sizeof s};
  scree_stats all;
  check_equal(a->handled, MANY); /* of two tasks, half each */
  if (a->w->rank) return;
  check_equal(scree_tasks_stats_read(a->world, &s), SCREE_OK);
  scree_stats_read(a->world, &all);
  check(s.sends > 0);
  waited += all.waits;
  check_equal(s.run, 2);
  check_equal(s.spawned, 2);
  check(s.live_peak > 0 && s.live_peak <= 2);
  check(s.stack_peak > 100 && s.stack_peak < 65536);
}

/* A task whose inputs are not there yet begins when the last has come. */
static void begin_then(scree_task *self, actor *a, uint64_t n) {
  (void)self;
  check_equal(n, 5);
  uint64_t sum = 0;
  check(scree_future_test(&a->future, &sum));
  check_equal(sum, 30);
}
static void add(void *kept, const void *value) {
  *(uint64_t *)kept += *(const uint64_t *)value;
}
static void set_inputs(actor *a) {
  check_equal(scree_future_open(a->w, &a->future, 8, 2, add), SCREE_OK);
  job_then(a->w, a->job, NULL, &a->future, (args){5});
  for (int i = 0; i < 100; i++) scree_progress(a->w);
  check_equal(a->ran, 0);
  scree_future_set(a->w, &a->future, &(uint64_t){10});
  check(!scree_future_test(&a->future, NULL));
  scree_future_set(a->w, &a->future, &(uint64_t){20});
}
static void ran_once(actor *a) {
  check_equal(a->ran, a->w->rank == 0);
}

/* In order of their times, not of their spawns. */
static void in_time(scree_task *self, actor *a, uint64_t n) {
  (void)self;
  check_equal(n, ++a->order);
}
static void spawn_in_time(actor *a) {
  for (uint64_t i = 20; i > 0; i--) job_spawn_by(a->w, a->job, NULL, (args){i}, i * 1000000);
}
static void all_in_time(actor *a) {
  check_equal(a->order, a->w->rank == 0 ? 20 : 0);
}

/* More than task_live (1) begin, if all that have begun wait for what has not. */
static void wait_for_next(scree_task *self, actor *a, uint64_t n) {
  if (n < 50) job_spawn(a->w, a->job, NULL, (args){n + 1});
  while (a->order < 50)
    if (n == 50)
      a->order = n;
    else if (scree_task_yield(self))
      return;
}
static void all_began(actor *a) {
  if (a->w->rank == 0) check_equal(a->ran, 51);
}

/* ---- what is illegal ---- */

static void end_epoch(scree_task *self, actor *a, uint64_t n) {
  (void)self, (void)n;
  check_equal(scree_end(a->w, NULL), SCREE_ESTATE);
}
static void test_epoch(scree_task *self, actor *a, uint64_t n) {
  (void)self, (void)n;
  check(scree_test(a->w, true, NULL));
}
static void begin_epoch(scree_task *self, actor *a, uint64_t n) {
  (void)self, (void)n;
  check_equal(scree_begin(a->w), SCREE_ESTATE);
}
static void keep_task(scree_task *self, actor *a, uint64_t n) {
  (void)n;
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
  (void)self, (void)n;
  scree_future_open(a->w, &a->future, 0, 1, NULL);
  scree_future_set(a->w, &a->future, NULL);
  scree_future_set(a->w, &a->future, NULL);
}
static void end_twice(scree_task *self, actor *a, uint64_t n) {
  (void)n, (void)a;
  scree_scope *scope = scree_finish(self);
  check_equal(scree_finish_end(self, scope), SCREE_OK);
  check_equal(scree_finish_end(self, scope), SCREE_ESTATE);
}
static void leave_open(scree_task *self, actor *a, uint64_t n) {
  (void)n, (void)a;
  check(scree_finish(self) != NULL);
}
static void spawn_in_ended(scree_task *self, actor *a, uint64_t n) {
  (void)n;
  scree_scope *scope = scree_finish(self);
  scree_finish_end(self, scope);
  job_spawn(a->w, a->job, scope, (args){1});
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
  (void)self, (void)n;
  job_spawn_on(a->w, a->job, NULL, 2, (args){0});
}
static void complete_more(scree_task *self, actor *a, uint64_t n) {
  (void)self, (void)n;
  scree_completion *c;
  scree_completion_open(a->w, &c);
  scree_completion_enroll(c, 1);
  check_equal(scree_completion_complete(c, 2), SCREE_EINVAL);
}
static void wait_for_closed(scree_task *self, actor *a, uint64_t n) {
  (void)n;
  scree_future_open(a->w, &a->future, 0, 1, NULL);
  const uint64_t number = scree_future_number(&a->future);
  scree_future_close(&a->future);
  check_equal(scree_future_wait_at(self, number, NULL, 0), SCREE_ESTATE);
}
static void open_large(scree_task *self, actor *a, uint64_t n) {
  (void)self, (void)n;
  check_equal(scree_future_open(a->w, &a->future, 49, 1, NULL), SCREE_EINVAL);
}
/* A function of the program that never says that it has seen the status. */
static void never_return(scree_task *self, actor *a, uint64_t n) {
  (void)n;
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
  (void)a;
  if (n == 0) recurse(&c, 66);
  scree_task_suspend(self, "the other one");
}
static void spawn_neighbour_last(actor *a) { /* so that it begins first, on the stack below */
  spawn_one(a);
  job_spawn(a->w, a->job, NULL, (args){1});
}

#define SCENE(name, code, text, task, before, after)                                                                   \
  { #name, code, text, task, before, after }
static const scene scenes[] = {
    SCENE(sleeps, SCREE_ESTATE,
          "1 tasks of this worker wait for what nobody will do: the eldest, of type 'job', waits for godot since",
          sleep_on, spawn_one, has_returned),
    SCENE(no future, SCREE_ESTATE, "waits for future since", wait_for_future, spawn_one, has_returned),
    SCENE(no remote future, SCREE_ESTATE, "", wait_for_remote, spawn_one, has_returned),
    SCENE(no end of a scope, SCREE_ESTATE, "waits for the tasks of a scope", wait_for_child, spawn_one, has_returned),
    SCENE(no completion, SCREE_ESTATE, "waits for a completion", wait_for_completion, spawn_one, has_returned),
    SCENE(a wake is kept, SCREE_OK, "", wake_first, wake_later, has_gone_on),
    SCENE(sends without room, SCREE_OK, "", send_many, spawn_two, were_handled),
    SCENE(then, SCREE_OK, "", begin_then, set_inputs, ran_once),
    SCENE(times, SCREE_OK, "", in_time, spawn_in_time, all_in_time),
    SCENE(live, SCREE_OK, "", wait_for_next, spawn_one, all_began),
    SCENE(end in a task, SCREE_ESTATE, "scree_end: called inside a task", end_epoch, spawn_one, has_returned),
    SCENE(test in a task, SCREE_ESTATE, "scree_test: called inside a task", test_epoch, spawn_one, has_returned),
    SCENE(begin in a task, SCREE_ESTATE, "scree_begin: called inside a task", begin_epoch, spawn_one, has_returned),
    SCENE(yield outside, SCREE_ESTATE, "scree_task_yield: called outside of a task", keep_task, yield_outside,
          has_returned),
    SCENE(yield of another, SCREE_ESTATE, "with another task than the one that runs", yield_another, spawn_two,
          has_returned),
    SCENE(set twice, SCREE_ESTATE, "it has been set as often as it was opened for", set_twice, spawn_one, has_returned),
    SCENE(scope ended twice, SCREE_ESTATE, "no scope, or one that was ended", end_twice, spawn_one, has_returned),
    SCENE(scope left open, SCREE_ESTATE, "a task of type 'job' has returned with 1 scopes open", leave_open, spawn_one,
          has_returned),
    SCENE(spawn in an ended one, SCREE_ESTATE, "spawn: a scope that was ended", spawn_in_ended, spawn_one,
          has_returned),
    SCENE(scope of another, SCREE_ESTATE, "a scope that another task opened", end_others, spawn_two, has_returned),
    SCENE(spawn out of range, SCREE_EINVAL, "task of type 'job' on worker 2: legal are 0..1", spawn_far, spawn_one,
          has_returned),
    SCENE(too many completed, SCREE_EINVAL, "2 operations, legal are 0..1", complete_more, spawn_one, has_returned),
    SCENE(a closed future, SCREE_ESTATE, "was closed", wait_for_closed, spawn_one, has_returned),
    SCENE(a large future, SCREE_EINVAL, "49 bytes, set 1 times: legal are 0..48 bytes", open_large, spawn_one,
          has_returned),
    SCENE(never returns, SCREE_EMPI, "planned", never_return, spawn_one, has_returned),
#ifndef __SANITIZE_ADDRESS__
    SCENE(canary, SCREE_ENOMEM, "a task of type 'job' has used more than its stack of 65536 bytes", use_much,
          spawn_neighbour_last, has_returned),
#endif
};

static void play(scree_world *world, void *arg) {
  actor a = {.scene = arg, .world = world, .w = scree_worker_of(world, 0)};
  scree_tasks_options options = SCREE_TASKS_OPTIONS_INIT;
  options.task_stack = 65536;
  const bool two = (a.scene->task == send_many || a.scene->task == use_much || a.scene->task == end_others ||
                    a.scene->task == yield_another);
  options.task_live = two ? 2 : 1;
  options.task_guard = SCREE_TASK_GUARD_OFF;
  check_equal(scree_tasks_open(world, &options), SCREE_OK);
  check_equal(job_register(world, &a, &a.job), SCREE_OK);
  check_equal(ping_register(world, &a, &a.ping), SCREE_OK);
  check_equal(scree_begin(a.w), SCREE_OK);
  if (a.w->rank == 0) a.scene->before(&a);
  check_text(scree_end(a.w, NULL) == a.scene->code, "%s: %s", a.scene->name, scree_error_text(world));
  if (a.w->rank == 0) check_contains(scree_error_text(world), a.scene->text);
  a.scene->after(&a);
}

static void each_scene(void **unused) {
  (void)unused;
  waited = 0;
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes && harness_failures() == 0; i++) {
    const bool silent = scenes[i].task == never_return;
    for (uint64_t seed = 1; seed <= SEEDS && harness_failures() == 0; seed++) {
      const scree_sim_config config = {.seed = seed, .ranks = 2, .nodes = 1 + (uint32_t)seed % 2, .quiet = true};
      scree__options options = SCREE__OPTIONS_INIT;
      options.test_pool_blocks = options.in_flight = options.batch_max = 1;
      if (seed % 4 == 0) options.checked = SCREE_CHECKED_ON;
      if (silent) capture_start();
      const scree_status status = scree_sim_run(&config, &options.user, play, (void *)(uintptr_t)&scenes[i], NULL);
      char *said = silent ? capture_end() : NULL;
      check_text(status == scenes[i].code, "%s, seed %" PRIu64 ": %s", scenes[i].name, seed, scree_status_text(status));
      if (silent) check_contains(said, "a task of type 'job' does not return, though the world has failed");
      free(said);
    }
  }
  check(waited > 1000);
}

/* ---- opening ---- */

static void play_options(scree_world *world, void *arg) {
  const bool bad = scree_worker_of(world, 0)->rank == *(uint32_t *)arg;
  scree_tasks_options options = SCREE_TASKS_OPTIONS_INIT;
  job_type job;
  check_equal(job_register(world, NULL, &job), SCREE_ESTATE);
  check_contains(scree_error_text(world), "task type 'job': the world has no tasks: call scree_tasks_open first");
  if (bad) options.task_stack = 4095;
  check_equal(scree_tasks_open(world, &options), SCREE_EINVAL);
  check_contains(scree_error_text(world), bad ? "task_stack" : "refused on rank 1");
  if (bad) check_contains(scree_error_text(world), "4K to 8M");
  check_equal(scree_tasks_open(world, NULL), SCREE_OK);
  check_equal(scree_tasks_open(world, NULL), SCREE_ESTATE);
  check_contains(scree_error_text(world), "the world has tasks already");
  check_equal(job_register(world, NULL, &job), SCREE_OK);
}

static void options_are_checked(void **unused) {
  (void)unused;
  uint32_t rank = 1;
  const scree_sim_config config = {.seed = 1, .ranks = 2, .nodes = 1, .quiet = true};
  check_equal(scree_sim_run(&config, NULL, play_options, &rank, NULL), SCREE_OK);
}

/* ---- reports ---- */

static void print_reports(actor *a) {
  spawn_two(a);
  while (a->ran < 2) scree_progress(a->w);
  for (int i = 0; i < 10; i++) scree_progress(a->w);
  scree_report_print(a->world, stderr);
  scree_task_wake(a->w, a->task);
}
static void sleep_in_report(scree_task *self, actor *a, uint64_t n) {
  if (n == 0) a->task = self;
  if (scree_task_suspend(self, n ? "godot" : "the test") == SCREE_OK) a->order++;
}
static void print_stats(actor *a) {
  if (a->w->rank) return;
  scree_stats_print(a->world, stderr, false);
  scree_stats_print(a->world, stderr, true);
}

static void reports(void **unused) {
  (void)unused;
  static const scene of_reports = SCENE(reports, SCREE_ESTATE, "godot", sleep_in_report, print_reports, print_stats);
  const scree_sim_config config = {.seed = 3, .ranks = 2, .nodes = 1, .quiet = true};
  capture_start();
  const scree_status status = scree_sim_run(&config, NULL, play, (void *)(uintptr_t)&of_reports, NULL);
  char *said = capture_end();
  check_equal(status, SCREE_ESTATE);
  check_contains(said, "  tasks: 2 begun (0 ready, 2 asleep), 0 not begun, 0 wait for a time\n");
  check_contains(said, "  tasks of type 'job': 1 wait for godot, the eldest since ");
  check_contains(said, "  tasks: spawned 2, run 2, ");
  check_contains(said, ",\"tasks\":{\"spawned\":2,\"run\":2,");
  free(said);
}

/* A task that waits once has two events. */
static void play_traced(scree_world *world, void *arg) {
  actor a = {.scene = arg, .world = world, .w = scree_worker_of(world, 0)};
  FILE *to = a.w->rank ? NULL : tmpfile();
  check_equal(scree_tasks_open(world, NULL), SCREE_OK);
  check_equal(job_register(world, &a, &a.job), SCREE_OK);
  check_equal(scree_trace(world, a.w->rank ? stderr : to), SCREE_OK);
  check_equal(scree_begin(a.w), SCREE_OK);
  if (a.w->rank == 0) wake_later(&a);
  check_equal(scree_end(a.w, NULL), SCREE_OK);
  check_equal(scree_trace(world, NULL), SCREE_OK);
  if (!to) return;
  static char text[1 << 16];
  uint32_t events = 0;
  rewind(to);
  text[fread(text, 1, sizeof text - 1, to)] = 0;
  for (const char *at = text; (at = strstr(at, "{\"name\":\"job\",\"cat\":\"task\"")); at++) events++;
  check_equal(events, 2);
  check_contains(text, "\"args\":{\"task\":1}");
  fclose(to);
}

static void timeline(void **unused) {
  (void)unused;
  static const scene of_timeline = {.task = wake_first};
  const scree_sim_config config = {.seed = 3, .ranks = 2, .nodes = 1, .quiet = true};
  check_equal(scree_sim_run(&config, NULL, play_traced, (void *)(uintptr_t)&of_timeline, NULL), SCREE_OK);
}

/* Four stacks are enough for any number of tasks, one after another. */
static void do_nothing(scree_task *self, actor *a, uint64_t n) {
  (void)self, (void)n;
  check(a->ran <= 1000000);
}
static void play_many(scree_world *world, void *arg) {
  actor a = {.scene = arg, .world = world, .w = scree_worker_of(world, 0)};
  scree_tasks_options options = SCREE_TASKS_OPTIONS_INIT;
  options.task_live = 4;
  check_equal(scree_tasks_open(world, &options), SCREE_OK);
  check_equal(job_register(world, &a, &a.job), SCREE_OK);
  check_equal(scree_begin(a.w), SCREE_OK);
  for (uint64_t i = 0; i < 1000000; i++) job_spawn(a.w, a.job, NULL, (args){i});
  check_equal(scree_end(a.w, NULL), SCREE_OK);
  scree_tasks_stats s = {.size = sizeof s};
  check_equal(scree_tasks_stats_read(world, &s), SCREE_OK);
  check_equal(s.run, 1000000);
  check(s.live_peak <= 4);
}
static void four_stacks(void **unused) {
  (void)unused;
  static const scene of_many = {.task = do_nothing};
  const scree_sim_config config = {.seed = 3, .ranks = 1, .nodes = 1, .quiet = true};
  check_equal(scree_sim_run(&config, NULL, play_many, (void *)(uintptr_t)&of_many, NULL), SCREE_OK);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(each_scene), cmocka_unit_test(options_are_checked),
                                          cmocka_unit_test(reports), cmocka_unit_test(timeline),
                                          cmocka_unit_test(four_stacks)};
HARNESS_MAIN(tests)
