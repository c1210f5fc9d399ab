/* global_rule.c - plays rules of global memory. */
#include "global_rule.h"

#include <scree/scree_sim.h>

#include "base/options.h"
#include "capture.h"
#include "harness.h"

scree_status rule_open(actor *a, uint64_t heap, uint64_t stripe) {
  scree_global_options o = SCREE_GLOBAL_OPTIONS_INIT;
  o.global_heap = heap;
  o.global_stripe = stripe;
  return scree_global_open(a->world, &o);
}

static void run_job(scree_task *self, const rule_args *args) {
  actor *a = scree_task_arg(self);
  if (args->n)
    a->rule->other(self, a, args->n);
  else
    a->rule->task(self, a);
}
SCREE_TASK_BODY(job, rule_args, run_job);

static void on_visit(scree_worker *w, void *object, const rule_args *args, rule_args *result, void *arg) {
  actor *a = arg;
  result->n = args->n + 1;
  if (a->rule->visit) a->rule->visit(w, a, args->n);
}
SCREE_DELEGATE_BODY(visit, rule_args, rule_args, on_visit);

/* A failed world waits for no answer any more. */
static void nothing_waits(const actor *a) {
  char *text = capture_report(a->world);
  check(!strstr(text, "requests are not answered") && !strstr(text, "operations are outstanding"));
  free(text);
}

static void run_epochs(actor *a) {
  enum { EPOCHS = 2 };
  scree_worker *w = scree_worker_of(a->world, 0);
  scree_status status = SCREE_OK;
  for (int e = 0; e < EPOCHS && !status; e++) {
    if (scree_begin(w)) return;
    if (w->rank == w->ranks - 1) job_spawn(w, a->job, NULL, (rule_args){0});
    status = scree_end(w, NULL);
  }
  check_equal(status, a->rule->code);
  if (status && w->rank == scree_error_rank(a->world)) check_contains(scree_error_text(a->world), a->rule->text);
  if (status) nothing_waits(a);
}

static void play(scree_world *world, void *arg) {
  actor a = {.rule = arg, .world = world};
  scree_tasks_options tasks = SCREE_TASKS_OPTIONS_INIT;
  tasks.task_stack = 65536;
  check_equal(scree_tasks_open(world, &tasks), SCREE_OK);
  check_equal(job_register(world, &a, &a.job), SCREE_OK);
  const scree_status status = a.rule->open ? a.rule->open(&a) : rule_open(&a, RULE_HEAP, 64);
  a.map = scree_global_map_of(world);
  if (a.map && !status) check_equal(visit_register(world, &a, &a.visit), SCREE_OK);
  if (a.rule->task) {
    check_equal(status, SCREE_OK);
    run_epochs(&a);
    return;
  }
  check_equal(status, a.rule->code);
  check_contains(scree_error_text(world), a.rule->text);
}

static uint64_t seeds_of_each;
static bool half_are_checked;

void rule_run(void **state) {
  const rule *one = *state;
  const uint32_t ranks = one->ranks ? one->ranks : 3;
  for (uint64_t seed = 0; seed < seeds_of_each; seed++) {
    scree_sim_config config = {.seed = seed, .ranks = ranks, .nodes = one->nodes, .quiet = true};
    scree__options options = SCREE__OPTIONS_INIT;
    const unsigned before = harness_failures();
    if (!config.nodes) config.nodes = ranks > 1 ? 1 + (uint32_t)seed % 2 : 1;
    if (half_are_checked && seed % 4 < 2) options.checked = SCREE_CHECKED_ON;
    scree_sim_run(&config, &options.user, play, (void *)(uintptr_t)one, NULL);
    if (harness_failures() > before) printf("seed %" PRIu64 "\n", seed);
  }
}

int rules_main(int argc, char **argv, uint64_t seeds, bool checked) {
  seeds_of_each = seeds;
  half_are_checked = checked;
  return harness__main(argc, argv);
}
