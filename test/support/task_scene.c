#include "task_scene.h"

#include <stdlib.h>

#include "base/options.h"
#include "capture.h"
#include "core/world.h"

enum { SEEDS = 20 };

void scene_run_job(scree_task *self, const job_args *p) {
  actor *a = scree_task_arg(self);
  a->ran++;
  a->scene->task(self, a, p->n);
}

static void on_ping(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  actor *a = arg;
  a->handled += batch->count;
  if (a->scene->called && !a->scene->polls) a->scene->called(a);
}
SCREE_HANDLER(ping, uint64_t, on_ping);

static bool poll(scree_worker *w, void *arg) {
  actor *a = arg;
  a->scene->called(a);
  return false;
}

void spawn_one(actor *a) {
  job_spawn(a->w, a->job, NULL, (job_args){0});
}
void spawn_two(actor *a) {
  spawn_one(a);
  job_spawn(a->w, a->job, NULL, (job_args){1});
}
void has_returned(actor *a) {
  check(a->w->rank == 1 || a->ran > 0);
}

void scene_play(scree_world *world, void *arg) {
  actor a = {.scene = arg, .world = world, .w = scree_worker_of(world, 0)};
  scree_tasks_options options = SCREE_TASKS_OPTIONS_INIT;
  options.task_stack = 65536;
  options.task_live = a.scene->live ? a.scene->live : 1;
  options.task_guard = SCREE_TASK_GUARD_OFF;
  if (a.scene->polls == 2) check_equal(scree_on_idle(world, poll, &a), SCREE_OK);
  check_equal(scree_tasks_open(world, &options), SCREE_OK);
  check_equal(job_register(world, &a, &a.job), SCREE_OK);
  check_equal(ping_register(world, &a, &a.ping), SCREE_OK);
  if (a.scene->polls == 1) check_equal(scree_on_idle(world, poll, &a), SCREE_OK);
  check_equal(scree_begin(a.w), SCREE_OK);
  if (a.w->rank == 0) (a.scene->before ? a.scene->before : spawn_one)(&a);
  check_text(scree_end(a.w, NULL) == a.scene->code, "%s: %s", a.scene->name, scree_error_text(world));
  if (a.w->rank == a.scene->second) check_contains(scree_error_text(world), a.scene->text);
  (a.scene->after ? a.scene->after : has_returned)(&a);
}

static void run_seed(const scene *s, uint64_t seed) {
  const scree_sim_config config = {.seed = seed, .ranks = 2, .nodes = 1 + (uint32_t)seed % 2, .quiet = true};
  scree__options options = SCREE__OPTIONS_INIT;
  options.test_pool_blocks = options.in_flight = options.batch_max = 1;
  if (seed % 4 == 0) options.checked = SCREE_CHECKED_ON;
  if (seed % 2 == 0) options.test_numbers_left = 1;
  if (s->silent) capture_start();
  const scree_status status = scree_sim_run(&config, &options.user, scene_play, (void *)(uintptr_t)s, NULL);
  char *said = s->silent ? capture_end() : NULL;
  check_text(status == s->code, "%s, seed %" PRIu64 ": %s", s->name, seed, scree_status_text(status));
  if (s->silent) check_contains(said, "a task of type 'job' does not return, though the world has failed");
  free(said);
}

void scene_run(void **scene) {
  for (uint64_t seed = 1; seed <= SEEDS && harness_failures() == 0; seed++) run_seed(*scene, seed);
}
