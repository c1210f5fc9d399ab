/* sim_task_stacks.c - how many stacks tasks have: as few as the option, memory and the budget of guard pages allow. */
#include "base/options.h"
#include "harness.h"
#include "task/guard_budget.h"
#include "task_scene.h"

/* Four stacks are enough for any number of tasks, one after another, also where some yield. */
static void yield_at_times(scree_task *self, actor *a, uint64_t n) {
  check(a->ran <= 1000000);
  for (int i = 0; i < 200 && n % 1000 < 8; i++) check_equal(scree_task_yield(self), SCREE_OK);
}
static void play_many(scree_world *world, void *arg) {
  actor a = {.scene = arg, .world = world, .w = scree_worker_of(world, 0)};
  scree_tasks_options options = SCREE_TASKS_OPTIONS_INIT;
  options.task_live = 4;
  check_equal(scree_tasks_open(world, &options), SCREE_OK);
  check_equal(job_register(world, &a, &a.job), SCREE_OK);
  check_equal(scree_begin(a.w), SCREE_OK);
  for (uint64_t i = 0; i < 1000000; i++)
    if (i % 2)
      job_spawn_on(a.w, a.job, NULL, 0, (job_args){i}); /* only this worker may run it */
    else
      job_spawn(a.w, a.job, NULL, (job_args){i});
  check_equal(scree_end(a.w, NULL), SCREE_OK);
  scree_tasks_stats s = {.size = sizeof s};
  check_equal(scree_tasks_stats_read(world, &s), SCREE_OK);
  check_equal(s.run, 1000000);
  check_equal(s.live_peak, 4);
  check(s.slices > 0 && s.live_sum <= 4 * s.slices);
  check(s.switches > 1000000 && s.switches < 2000000); /* 1.6 million yields, if a task was ready */
  check(s.ready_sum > 400000 * s.slices && s.ready_sum < 600000 * s.slices); /* they end steadily */
}
HARNESS_TEST(four_stacks) {
  static const scene of_many = {.task = yield_at_times};
  const scree_sim_config config = {.seed = 3, .ranks = 1, .nodes = 1, .quiet = true};
  check_equal(scree_sim_run(&config, NULL, play_many, (void *)(uintptr_t)&of_many, NULL), SCREE_OK);
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
static void play_few(scree_world *world, void *arg) {
  actor a = {.scene = arg, .world = world, .w = scree_worker_of(world, 0)};
  scree_tasks_options options = SCREE_TASKS_OPTIONS_INIT;
  options.task_guard = SCREE_TASK_GUARD_ON;
  options.task_poll = 1; /* one more begins for each yield */
  check_equal(scree_tasks_open(world, &options), SCREE_OK);
  check_equal(job_register(world, &a, &a.job), SCREE_OK);
  check_equal(scree_begin(a.w), SCREE_OK);
  for (uint64_t i = 0; i < 1000; i++) job_spawn(a.w, a.job, NULL, (job_args){i});
  check_equal(scree_end(a.w, NULL), a.scene->code);
  check_contains(scree_error_text(world), a.scene->text);
  scree_tasks_stats s = {.size = sizeof s};
  check_equal(scree_tasks_stats_read(world, &s), SCREE_OK);
  check_equal(s.live_peak, a.scene->live);
  check_equal(a.order, a.scene->code ? 0 : 1000);
}
HARNESS_TEST(few_stacks) {
  const uint32_t all = scree__guards_allowed("/proc/sys/vm/max_map_count");
  static const scene rows[] = {
      {"a slab", SCREE_OK, "", yield_often, .live = 64},
      {"a slab and all wait", SCREE_ESTATE, "tasks that have not begun found no memory for a stack", sleep_on,
       .live = 64},
      {"none", SCREE_ENOMEM,
       "no memory for a stack of 16384 bytes, and no task has one: 1000 tasks have not begun: free memory on "
       "this host, or set task_stack to less",
       yield_often, .live = 0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const scree_sim_config config = {.seed = 3, .ranks = 1, .nodes = 1, .quiet = true};
    check(scree__guards_take(all - rows[i].live));
    check_equal(scree_sim_run(&config, NULL, play_few, (void *)(uintptr_t)&rows[i], NULL), rows[i].code);
    scree__guards_give(all - rows[i].live);
  }
}

HARNESS_MAIN
