/* sim_task_rules.c - the rules of tasks, one scene each, played on two virtual ranks over some seeds: waits that never
 * end, wakes, sends that find no space, options, statistics, reports. */
#include "base/options.h"
#include "capture.h"
#include "core/world.h"
#include "rules.h"

#define RULES rule_tasks

enum { MANY = 3000, FLOOD_MAX = 10000 };

/* ---- waits that never end ---- */

RULE(sleep_on, SCREE_ESTATE,
     "wait for an event that cannot occur any more: the oldest, of type 'job', waits for godot since") {
  check_equal(scree_task_suspend(self, "godot"), SCREE_ESTATE);
  check_equal(scree_task_yield(self), SCREE_ESTATE); /* at once */
}
RULE(no_reason, SCREE_ESTATE, "the oldest, of type 'job', waits for a wake since") {
  check_equal(scree_task_suspend(self, NULL), SCREE_ESTATE);
}
RULE(wait_for_future, SCREE_ESTATE, "waits for future since") {
  uint64_t value = 7;
  check_equal(scree_future_open(a->w, &a->future, sizeof value, 1, NULL), SCREE_OK);
  check_equal(scree_future_wait(self, &a->future, &value), SCREE_ESTATE);
  check_equal(value, 7);
}
RULE(wait_for_remote, SCREE_ESTATE, "") {
  if (n == 0) {
    scree_future_open(a->w, &a->future, 0, 1, NULL);
    job_spawn_on(a->w, a->job, NULL, 1, (job_args){scree_future_number(&a->future)});
  } else {
    check_equal(scree_future_wait_at(self, n, NULL, 0), SCREE_ESTATE);
  }
}
RULE(wait_for_child, SCREE_ESTATE, "waits for the tasks of a scope") {
  if (n) {
    scree_task_suspend(self, "nothing");
    return;
  }
  scree_scope *scope = scree_finish(self);
  job_spawn_on(a->w, a->job, scope, 1, (job_args){1});
  check_equal(scree_finish_end(self, scope), SCREE_ESTATE);
}
RULE(wait_for_completion, SCREE_ESTATE, "waits for a completion") {
  scree_completion *c;
  check_equal(scree_completion_open(a->w, &c), SCREE_OK);
  scree_completion_enroll(c, 1);
  check_equal(scree_completion_wait(self, c), SCREE_ESTATE);
}

/* ---- what continues ---- */

/* A wake that comes first is kept, two are one. */
static void wake_first(scree_task *self, actor *a, uint64_t n) {
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
RULE_BEFORE(a_wake_is_kept, SCREE_OK, "", .task = wake_first, .after = has_gone_on) {
  wake_later(a);
}

/* FIFO among those that are ready; alone between two waits, although sends find no space. */
static uint64_t waited;
static void were_handled(actor *a) {
  scree_tasks_stats s = {.size = sizeof s};
  check_equal(a->handled, MANY); /* of two tasks, half each */
  if (a->w->rank) return;
  scree_stats all = {.size = sizeof all};
  check_equal(scree_stats_read(a->world, &all), SCREE_OK);
  waited += all.waits;
  check_equal(scree_tasks_stats_read(a->world, &s), SCREE_OK);
  check(s.sends > 0);
  check_equal(s.run, 2);
  check_equal(s.spawned, 2);
  check(s.live_peak > 0 && s.live_peak <= 2);
  check(s.stack_peak > 100 && s.stack_peak < 65536);
}
RULE(send_many, SCREE_OK, "", .before = spawn_two, .after = were_handled, .live = 2) {
  for (uint64_t i = 0; i < MANY; i++) {
    const uint64_t mark = ++a->order;
    ping_send(a->w, a->ping, (uint32_t)(i % 2), i);
    check_equal(a->order, mark);
    if (i % 100 == 0) check_equal(scree_task_yield(self), SCREE_OK);
  }
}
/* In the scene before, with some of its seeds. */
HARNESS_TEST(sends_have_waited) {
  check(waited > 1000);
}

/* A task whose inputs are not there yet begins when the last has come. */
static void add(void *kept, const void *value) {
  *(uint64_t *)kept += *(const uint64_t *)value;
}
static void set_inputs(actor *a) {
  check_equal(scree_future_open(a->w, &a->future, 8, 2, add), SCREE_OK);
  job_then(a->w, a->job, NULL, &a->future, (job_args){5});
  for (int i = 0; i < 100; i++) scree_progress(a->w);
  check_equal(a->ran, 0);
  scree_future_set(a->w, &a->future, &(uint64_t){10});
  check(!scree_future_test(&a->future, NULL));
  scree_future_set(a->w, &a->future, &(uint64_t){20});
}
static void ran_once(actor *a) {
  check_equal(a->ran, a->w->rank == 0);
}
RULE(begin_then, SCREE_OK, "", .before = set_inputs, .after = ran_once) {
  check_equal(n, 5);
  uint64_t sum = 0;
  check(scree_future_test(&a->future, &sum));
  check_equal(sum, 30);
}

/* In order of their times, not of their spawns. */
static void spawn_in_time(actor *a) {
  for (uint64_t i = 20; i > 0; i--) job_spawn_by(a->w, a->job, NULL, (job_args){i}, i * 1000000);
}
static void all_in_time(actor *a) {
  check_equal(a->order, a->w->rank == 0 ? 20 : 0);
}
RULE(in_time, SCREE_OK, "", .before = spawn_in_time, .after = all_in_time) {
  check_equal(n, ++a->order);
}

/* More than task_live (1) begin, if all that have begun wait for what has not. */
static void all_began(actor *a) {
  if (a->w->rank == 0) check_equal(a->ran, 51);
}
RULE(wait_for_next, SCREE_OK, "", .after = all_began) {
  if (n < 50) job_spawn(a->w, a->job, NULL, (job_args){n + 1});
  while (a->order < 50)
    if (n == 50)
      a->order = n;
    else if (scree_task_yield(self))
      return;
}

/* A task that is always ready does not keep poll functions from running. */
static void yield_until_polled(scree_task *self, actor *a) {
  while (!a->order && scree_task_yield(self) == SCREE_OK) {
  }
}
static void note_poll(actor *a) {
  if (a->ran) a->order = 1;
}
RULE(polled_after, SCREE_OK, "", .polls = 1, .called = note_poll) {
  yield_until_polled(self, a);
}
RULE(polled_beside_two, SCREE_OK, "", .before = spawn_two, .live = 2, .polls = 1, .called = note_poll) {
  yield_until_polled(self, a);
}
RULE(polled_in_front, SCREE_OK, "", .polls = 2, .called = note_poll) {
  yield_until_polled(self, a);
}

/* Messages that never end do not keep tasks from running: one of eight steps in which something moved runs tasks. */
static void end_flood(scree_task *self, actor *a, uint64_t n) {
  a->order = a->handled;
}
static void spawn_in_flood(actor *a) {
  for (uint64_t i = 0; i < 8; i++) ping_send(a->w, a->ping, 0, i);
  while (!a->handled) scree_progress(a->w);
  spawn_one(a);
}
static void has_ended_flood(actor *a) {
  if (a->w->rank == 0) check_text(a->order > 0 && a->order < FLOOD_MAX / 10, "after %" PRIu64, a->order);
}
/* Each message makes a step in which something moves. */
static void make_small(scree__options *o, uint64_t seed) {
  o->coalesce_bytes = o->batch_max = 1;
}
RULE_CALLED(messages_without_end, SCREE_OK, "", .task = end_flood, .before = spawn_in_flood, .after = has_ended_flood,
            .options = make_small, .nodes = 1) {
  if (!a->order && a->handled < FLOOD_MAX) ping_send(a->w, a->ping, 0, 1);
}

/* ---- opening ---- */

static const struct {
  size_t field;
  uint64_t value;
  const char *name, *legal;
} illegal[] = {
    {offsetof(scree_tasks_options, task_stack), 4095, "'task_stack'", "4K to 8M"},
    {offsetof(scree_tasks_options, task_stack), (8 << 20) + 1, "'task_stack'", "4K to 8M"},
    {offsetof(scree_tasks_options, task_live), 0, "'task_live'", "1 to 16777216"},
    {offsetof(scree_tasks_options, task_live), (1 << 24) + 1, "'task_live'", "1 to 16777216"},
    {offsetof(scree_tasks_options, task_poll), 0, "'task_poll'", "1 to 1048576"},
    {offsetof(scree_tasks_options, task_guard), 3, "'task_guard'", "auto|on|off"},
    {offsetof(scree_tasks_options, steal), 3, "'steal'", "off|rank|all"},
};

RULE_WORLD(options_are_checked, SCREE_OK, "") {
  const bool bad = a->w->rank == 1;
  scree_world *world = a->world;
  scree_tasks_options options;
  job_type job;
  check_equal(job_register(world, NULL, &job), SCREE_ESTATE);
  check_contains(scree_error_text(world), "task type 'job': the world has no tasks: call scree_tasks_open first");
  for (size_t i = 0; i < sizeof illegal / sizeof *illegal; i++) {
    options = (scree_tasks_options)SCREE_TASKS_OPTIONS_INIT;
    if (bad) memcpy((char *)&options + illegal[i].field, &illegal[i].value, sizeof illegal[i].value);
    check_equal(scree_tasks_open(world, &options), SCREE_EINVAL);
    check_contains(scree_error_text(world), bad ? illegal[i].name : "refused on rank 1");
    if (bad) check_contains(scree_error_text(world), illegal[i].legal);
  }
  check_equal(scree_tasks_open(world, NULL), SCREE_OK);
  check_equal(scree_tasks_open(world, NULL), SCREE_ESTATE);
  check_contains(scree_error_text(world), "the world has tasks already");
  check_equal(job_register(world, NULL, &job), SCREE_OK);
}

/* ---- reports ---- */

static void print_reports(actor *a) {
  spawn_two(a);
  check_equal(scree_future_open(a->w, &a->future, 0, 1, NULL), SCREE_OK);
  job_then(a->w, a->job, NULL, &a->future, (job_args){2});
  while (a->ran < 2) scree_progress(a->w);
  for (int i = 0; i < 10; i++) scree_progress(a->w);
  scree_report_print(a->world, stderr);
  scree_task_wake(a->w, a->task);
}
static void print_stats(actor *a) {
  if (a->w->rank) return;
  scree_stats_print(a->world, stderr, false);
  scree_stats_print(a->world, stderr, true);
}

static uint64_t number_after(const char *said, const char *name) {
  const char *at = strstr(said, name);
  return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

static void check_reports(const char *said) {
  check_contains(said, "  tasks: 2 begun (0 ready, 2 asleep), 0 not begun, 0 wait for a time, 1 for a future\n");
  check_contains(said, "  tasks of type 'job': 1 wait for godot, the oldest since ");
  check_contains(said, ", spawned 2, run 2, ");
  check_contains(said, ",\"spawned\":2,\"run\":2,");
  check(number_after(said, ", bytes of the deepest stack ") > 100);
  check_equal(number_after(said, ", bytes of the deepest stack "), number_after(said, "\"stack_peak\":"));
}
static void leave_usual(scree__options *o, uint64_t seed) {}
RULE(reports, SCREE_ESTATE, "godot", .before = print_reports, .after = print_stats, .said = check_reports,
     .options = leave_usual, .nodes = 1, .seed = 3, .seeds = 1) {
  if (n == 0) a->task = self;
  if (scree_task_suspend(self, n ? "godot" : "the test") == SCREE_OK) a->order++;
}

/* A batch of tasks that a rank has spawned elsewhere is acknowledged by one message, not each of them. */
static void count_acknowledged(actor *a) {
  scree_tasks_stats s = {.size = sizeof s};
  check_equal(a->ran, a->w->rank ? 1000 : 1);
  check_equal(scree_tasks_stats_read(a->world, &s), SCREE_OK);
  check(a->w->rank ? s.acknowledged > 0 && s.acknowledged < 100 : s.acknowledged == 0);
}
RULE(acknowledgements, SCREE_OK, "", .after = count_acknowledged, .live = 64, .options = leave_usual, .nodes = 1) {
  if (n) return;
  scree_scope *scope = scree_finish(self);
  for (uint64_t i = 1; i <= 1000; i++) job_spawn_on(a->w, a->job, scope, 1, (job_args){i});
  check_equal(scree_finish_end(self, scope), SCREE_OK);
}

/* A task that waits once has two events. */
static void number_from_1(scree__options *o, uint64_t seed) {
  o->test_first_counts = 0;
}
RULE_WORLD(timeline, SCREE_OK, "", .task = wake_first, .options = number_from_1, .seed = 3, .nodes = 1) {
  scree_world *world = a->world;
  FILE *to = a->w->rank ? NULL : tmpfile();
  check_equal(scree_tasks_open(world, NULL), SCREE_OK);
  check_equal(job_register(world, a, &a->job), SCREE_OK);
  check_equal(scree_trace(world, a->w->rank ? stderr : to), SCREE_OK);
  check_equal(scree_begin(a->w), SCREE_OK);
  if (a->w->rank == 0) wake_later(a);
  check_equal(scree_end(a->w, NULL), SCREE_OK);
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

HARNESS_MAIN
