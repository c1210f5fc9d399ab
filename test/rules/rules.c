/* rules.c - plays rules on virtual ranks. */
#include "rules.h"

#include <stdlib.h>

#include "capture.h"
#include "core/world.h"

/* ---- tasks ---- */

void rule_run_job(scree_task *self, const job_args *args) {
  actor *a = scree_task_arg(self);
  a->ran++;
  (args->n && a->rule->other ? a->rule->other : a->rule->task)(self, a, args->n);
}

static void on_ping(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  actor *a = arg;
  a->handled += batch->count;
  if (a->rule->called && !a->rule->polls) a->rule->called(a);
}
SCREE_HANDLER(ping, uint64_t, on_ping);

static bool poll(scree_worker *w, void *arg) {
  actor *a = arg;
  a->rule->called(a);
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

static void open_tasks(actor *a, uint64_t live) {
  scree_tasks_options options = SCREE_TASKS_OPTIONS_INIT;
  options.task_stack = 65536;
  options.task_live = live;
  if (live != SCREE_UNSET) options.task_guard = SCREE_TASK_GUARD_OFF;
  check_equal(scree_tasks_open(a->world, &options), SCREE_OK);
  check_equal(job_register(a->world, a, &a->job), SCREE_OK);
}

static void play_tasks(actor *a) {
  const rule *r = a->rule;
  if (r->polls == 2) check_equal(scree_on_idle(a->world, poll, a), SCREE_OK);
  open_tasks(a, r->live ? r->live : 1);
  check_equal(ping_register(a->world, a, &a->ping), SCREE_OK);
  if (r->polls == 1) check_equal(scree_on_idle(a->world, poll, a), SCREE_OK);
  check_equal(scree_begin(a->w), SCREE_OK);
  if (a->w->rank == 0) (r->before ? r->before : spawn_one)(a);
  check_text(scree_end(a->w, NULL) == r->code, "%s: %s", r->name, scree_error_text(a->world));
  if (a->w->rank == r->second) check_contains(scree_error_text(a->world), r->text);
  (r->after ? r->after : has_returned)(a);
}

static void make_tight(scree__options *o, uint64_t seed) {
  o->test_pool_blocks = o->in_flight = o->batch_max = 1;
  if (seed % 4 == 0) o->checked = SCREE_CHECKED_ON;
  if (seed % 2 == 0) o->test_numbers_left = 1;
}
const rule_setup rule_tasks = {.play = play_tasks, .ranks = 2, .seeds = 20, .options = make_tight};

/* ---- global memory ---- */

scree_status rule_open(actor *a, uint64_t heap, uint64_t stripe) {
  scree_global_options o = SCREE_GLOBAL_OPTIONS_INIT;
  o.global_heap = heap;
  o.global_stripe = stripe;
  return scree_global_open(a->world, &o);
}

static void on_visit(scree_worker *w, void *object, const job_args *args, job_args *result, void *arg) {
  actor *a = arg;
  result->n = args->n + 1;
  if (a->rule->visit) a->rule->visit(w, a, args->n);
}
SCREE_DELEGATE_BODY(visit, job_args, job_args, on_visit);

/* A failed world waits for no answer any more. */
static void nothing_waits(const actor *a) {
  char *text = capture_report(a->world);
  check(!strstr(text, "requests are not answered") && !strstr(text, "operations are outstanding"));
  free(text);
}

static void run_epochs(actor *a) {
  enum { EPOCHS = 2 };
  scree_status status = SCREE_OK;
  for (int e = 0; e < EPOCHS && !status; e++) {
    if (scree_begin(a->w)) return;
    if (a->w->rank == a->w->ranks - 1) spawn_one(a);
    status = scree_end(a->w, NULL);
  }
  check_equal(status, a->rule->code);
  if (status && a->w->rank == scree_error_rank(a->world)) check_contains(scree_error_text(a->world), a->rule->text);
  if (status) nothing_waits(a);
}

static void play_global(actor *a) {
  open_tasks(a, SCREE_UNSET);
  const scree_status status = a->rule->open ? a->rule->open(a) : rule_open(a, RULE_HEAP, 64);
  a->map = scree_global_map_of(a->world);
  if (a->map && !status) check_equal(visit_register(a->world, a, &a->visit), SCREE_OK);
  check_equal(status, a->rule->task ? SCREE_OK : a->rule->code);
  if (a->rule->task)
    run_epochs(a);
  else
    check_contains(scree_error_text(a->world), a->rule->text);
}

static void check_half(scree__options *o, uint64_t seed) {
  if (seed % 4 < 2) o->checked = SCREE_CHECKED_ON;
}
const rule_setup rule_global = {.play = play_global, .ranks = 3, .seeds = 4};
const rule_setup rule_global_checked = {.play = play_global, .ranks = 3, .seeds = 6, .options = check_half};

/* ---- a bare world ---- */

static void play_world(actor *a) {
  a->rule->world(a);
  if (scree_error(a->world) && scree_error_rank(a->world) == a->w->rank)
    check_contains(scree_error_text(a->world), a->rule->text);
}
const rule_setup rule_world = {.play = play_world, .ranks = 2, .seeds = 1};

/* ---- the driver ---- */

static uint64_t seed_now; /* of the run */

static void play(scree_world *world, void *arg) {
  actor a = {.rule = arg, .seed = seed_now, .world = world, .w = scree_worker_of(world, 0)};
  a.rule->setup->play(&a);
}

/* Without a task the world may go on after the status of `open`. */
static void run_seed(const rule *r, uint64_t seed) {
  const uint32_t given = r->ranks ? r->ranks : r->setup->ranks;
  const uint32_t ranks = r->ranks_max ? 1 + (uint32_t)seed % r->ranks_max : given;
  const uint32_t nodes = ranks > 1 ? 1 + (uint32_t)seed % 2 : 1;
  const scree_sim_config config = {
      .seed = seed, .ranks = ranks, .nodes = r->nodes ? r->nodes : nodes, .threads = r->threads, .quiet = true};
  scree__options options = SCREE__OPTIONS_INIT;
  void (*const set)(scree__options *, uint64_t) = r->options ? r->options : r->setup->options;
  if (set) set(&options, seed);
  seed_now = seed;
  if (r->said) capture_start();
  const scree_status status = scree_sim_run(&config, &options.user, play, (void *)(uintptr_t)r, NULL);
  char *said = r->said ? capture_end() : NULL;
  check_text(status == r->code || (r->open && !r->task), "%s: %s", r->name, scree_status_text(status));
  if (r->said) r->said(said);
  free(said);
}

void rule_run_one(const rule *r) {
  const uint64_t first = r->seed ? r->seed : 1, seeds = r->seeds ? r->seeds : r->setup->seeds;
  for (uint64_t seed = first; seed < first + seeds && harness_failures() == 0; seed++) {
    run_seed(r, seed);
    if (harness_failures()) printf("%s: seed %" PRIu64 "\n", r->name, seed);
  }
}

void rule_run(void **rule) {
  rule_run_one(*rule);
}
