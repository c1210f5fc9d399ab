/* sim_task_stacks.c - how many stacks tasks have: as few as the option, memory and the budget of guard pages allow; and
 * that switches count. */
#include "base/options.h"
#include "harness.h"
#include "rules.h"
#include "task/guard_budget.h"
#include "threads_transport.h"

/* Four stacks are enough for any number of tasks, one after another, also where some yield. */
static void yield_at_times(scree_task *self, actor *a, uint64_t n) {
  check(a->ran <= 1000000);
  for (int i = 0; i < 200 && n % 1000 < 8; i++) check_equal(scree_task_yield(self), SCREE_OK);
}
RULE_WORLD(four_stacks, SCREE_OK, "", .task = yield_at_times, .ranks = 1, .seed = 3) {
  scree_world *world = a->world;
  scree_tasks_options options = SCREE_TASKS_OPTIONS_INIT;
  options.task_live = 4;
  check_equal(scree_tasks_open(world, &options), SCREE_OK);
  check_equal(job_register(world, a, &a->job), SCREE_OK);
  check_equal(scree_begin(a->w), SCREE_OK);
  for (uint64_t i = 0; i < 1000000; i++)
    if (i % 2)
      job_spawn_on(a->w, a->job, NULL, 0, (job_args){i}); /* only this worker may run it */
    else
      job_spawn(a->w, a->job, NULL, (job_args){i});
  check_equal(scree_end(a->w, NULL), SCREE_OK);
  scree_tasks_stats s = {.size = sizeof s};
  check_equal(scree_tasks_stats_read(world, &s), SCREE_OK);
  check_equal(s.run, 1000000);
  check_equal(s.live_peak, 4);
  check(s.slices > 0 && s.live_sum <= 4 * s.slices);
  check(s.switches > 1000000 && s.switches < 2000000); /* 1.6 million yields, if a task was ready */
  check(s.ready_sum > 400000 * s.slices && s.ready_sum < 600000 * s.slices); /* they end steadily */
}

static void sleep_on(scree_task *self, actor *a, uint64_t n) {
  check_equal(scree_task_suspend(self, "godot"), SCREE_ESTATE);
}

/* Guard pages are a budget: where it is used up there are as few stacks, as where memory is. */
static void yield_often(scree_task *self, actor *a, uint64_t n) {
  for (int i = 0; i < 200; i++)
    if (scree_task_yield(self)) return;
  a->order++;
}
static void play_few(actor *a) {
  scree_world *world = a->world;
  scree_tasks_options options = SCREE_TASKS_OPTIONS_INIT;
  options.task_guard = SCREE_TASK_GUARD_ON;
  options.task_poll = 1; /* one more begins for each yield */
  check_equal(scree_tasks_open(world, &options), SCREE_OK);
  check_equal(job_register(world, a, &a->job), SCREE_OK);
  check_equal(scree_begin(a->w), SCREE_OK);
  for (uint64_t i = 0; i < 1000; i++) job_spawn(a->w, a->job, NULL, (job_args){i});
  check_equal(scree_end(a->w, NULL), a->rule->code);
  check_contains(scree_error_text(world), a->rule->text);
  scree_tasks_stats s = {.size = sizeof s};
  check_equal(scree_tasks_stats_read(world, &s), SCREE_OK);
  check_equal(s.live_peak, a->rule->live);
  check_equal(a->order, a->rule->code ? 0 : 1000);
}
HARNESS_TEST(few_stacks) {
  const uint32_t all = scree__guards_allowed("/proc/sys/vm/max_map_count");
#define FEW(name_, code_, text_, task_, stacks)                                                                        \
  {                                                                                                                    \
    .name = name_, .code = code_, .text = text_, .task = task_, .live = stacks, .setup = &rule_world,                  \
    .world = play_few, .ranks = 1, .seed = 3                                                                           \
  }
  static const rule rows[] = {
      FEW("a slab", SCREE_OK, "", yield_often, 64),
      FEW("a slab and all wait", SCREE_ESTATE, "tasks that have not begun found no memory for a stack", sleep_on, 64),
      FEW("none", SCREE_ENOMEM,
          "no memory for a stack of 16384 bytes, and no task has one: 1000 tasks have not begun: free memory on "
          "this host, or set task_stack to less",
          yield_often, 0),
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    check(scree__guards_take(all - rows[i].live));
    rule_run_one(&rows[i]);
    scree__guards_give(all - rows[i].live);
  }
}

/* Each is one of the switches after which the worker polls: also by the short path, which no virtual rank takes. */
HARNESS_TEST(short_switches) {
  static const rule of_two = {.task = yield_often};
  static threads_node node;
  const scree_options of_world = SCREE_OPTIONS_INIT;
  scree_tasks_options options = SCREE_TASKS_OPTIONS_INIT;
  scree_tasks_stats s = {.size = sizeof s};
  if (!check(threads_open(&node, 1, &of_world))) return;
  actor a = {.rule = &of_two, .world = threads_world(&node, 0)};
  if (!check(a.world)) return;
  a.w = scree_worker_of(a.world, 0);
  options.task_poll = 10; /* switches, after which the second task begins */
  check_equal(scree_tasks_open(a.world, &options), SCREE_OK);
  check_equal(job_register(a.world, &a, &a.job), SCREE_OK);
  check_equal(scree_begin(a.w), SCREE_OK);
  for (uint64_t i = 0; i < 2; i++) job_spawn_on(a.w, a.job, NULL, 0, (job_args){i});
  check_equal(scree_end(a.w, NULL), SCREE_OK);
  check_equal(scree_tasks_stats_read(a.world, &s), SCREE_OK);
  check_equal(a.order, 2);
  check_text(s.switches > 300 && s.slices > 30, "%" PRIu64 " switches in %" PRIu64 " slices", s.switches, s.slices);
  check_equal(scree_close(a.world), SCREE_OK);
  threads_close(&node);
}

HARNESS_MAIN
