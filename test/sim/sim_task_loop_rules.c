/* sim_task_loop_rules.c - what loops refuse: ranges, grains, policies, maps, places; a task that waits for what waits
 * for it; and what is shown of steals. */
#include <math.h>
#include <scree/task_loop.h>
#include <stdlib.h>
#include <string.h>

#include "capture.h"
#include "rules.h"

SCREE_LOOP(part, uint64_t);
SCREE_TASK(wait_for_own, uint64_t);
SCREE_LOOP(circle, wait_for_own_type);

static void run_part(scree_task *self, uint64_t begin, uint64_t end, const uint64_t *args) {
  check(begin < end && *args == 1);
}
SCREE_LOOP_BODY(part, uint64_t, run_part);

static part_type open_part(actor *a) {
  part_type part;
  check_equal(scree_tasks_open(a->world, NULL), SCREE_OK);
  check_equal(part_register(a->world, NULL, &part), SCREE_OK);
  check_equal(scree_begin(a->w), SCREE_OK);
  return part;
}
/* LOOP(name, code, text, ranks, has a map, policy, begin, end, grain): rank 0 starts a loop over those iterations. */
#define LOOP(name, code, text, ranks_, mapped, policy, begin, end, grain)                                              \
  RULE_WORLD(name, code, text, .ranks = ranks_, .nodes = 1) {                                                          \
    scree_distribution map;                                                                                            \
    part_type part = open_part(a);                                                                                     \
    scree_distribution_init(&map, SCREE_DISTRIBUTION_CYCLIC, 64, ranks_);                                              \
    part.map = mapped ? &map : NULL;                                                                                   \
    if (a->w->rank == 0) part_for_in(a->w, part, NULL, policy, begin, end, grain, 1);                                  \
    if (a->w->rank == 0) check_contains(scree_error_text(a->world), text);                                             \
    check_equal(scree_end(a->w, NULL), code);                                                                          \
  }
LOOP(backwards, SCREE_EINVAL, "begin is after end", 1, false, SCREE_LOOP_LOCAL, 5, 4, 0)
LOOP(no_iterations, SCREE_OK, "", 1, false, SCREE_LOOP_LOCAL, 4, 4, 5)
LOOP(large_grain, SCREE_OK, "", 1, false, SCREE_LOOP_LOCAL, 0, 4, 5) /* as if it were the number of iterations */
LOOP(largest_grain, SCREE_OK, "", 2, false, SCREE_LOOP_PARTITION, 0, 4, UINT64_MAX)
LOOP(no_other_rank, SCREE_EINVAL, "with one rank", 1, false, SCREE_LOOP_REMOTE, 0, 4, 1)
LOOP(no_map, SCREE_EINVAL, "without a map", 2, false, SCREE_LOOP_BY_MAP, 0, 4, 1)
LOOP(larger_than_map, SCREE_EINVAL, "above the number of elements", 2, true, SCREE_LOOP_BY_MAP, 0, 65, 1)
LOOP(no_policy, SCREE_EINVAL, "policy", 2, false, (scree_loop_policy)4, 0, 4, 1)

/* Outside of tasks a loop that waits is refused, with the call to use. */
RULE_WORLD(outside_of_tasks, SCREE_ESTATE, "name_for_in", .ranks = 1) {
  check_equal(part_for(NULL, open_part(a), SCREE_LOOP_LOCAL, 0, 4, 1, 1), SCREE_ESTATE);
  check_equal(scree_end(a->w, NULL), SCREE_ESTATE);
}

/* A body that waits for the completion that its loop was started in; or for a task that does. */
static scree_completion *own;

static void run_wait_for_own(scree_task *self, const uint64_t *args) {
  check_equal(scree_completion_wait(self, own), SCREE_ESTATE);
}
SCREE_TASK_BODY(wait_for_own, uint64_t, run_wait_for_own);

static void run_circle(scree_task *self, uint64_t begin, uint64_t end, const wait_for_own_type *child) {
  check_equal(end - begin, 1);
  if (!child->of) {
    check_equal(scree_completion_wait(self, own), SCREE_ESTATE);
    return;
  }
  scree_scope *scope = scree_finish(self);
  wait_for_own_spawn(scree_task_worker(self), *child, scope, 1);
  check_equal(scree_finish_end(self, scope), SCREE_ESTATE);
}
SCREE_LOOP_BODY(circle, wait_for_own_type, run_circle);

static void wait_in_a_circle(actor *a, bool has_child) {
  circle_type circle;
  wait_for_own_type child = {0};
  check_equal(scree_tasks_open(a->world, NULL), SCREE_OK);
  check_equal(circle_register(a->world, NULL, &circle), SCREE_OK);
  if (has_child) check_equal(wait_for_own_register(a->world, NULL, &child), SCREE_OK);
  check_equal(scree_begin(a->w), SCREE_OK);
  check_equal(scree_completion_open(a->w, &own), SCREE_OK);
  circle_for_in(a->w, circle, own, SCREE_LOOP_LOCAL, 0, 1, 1, child);
  check_equal(scree_end(a->w, NULL), SCREE_ESTATE);
}
RULE_WORLD(own_loop, SCREE_ESTATE, "so for itself", .ranks = 1) {
  wait_in_a_circle(a, false);
}
RULE_WORLD(loop_of_its_child, SCREE_ESTATE, "wait for an event that cannot occur any more", .ranks = 1) {
  wait_in_a_circle(a, true);
}

/* ---- what stays: loops by a map, and tasks that were spawned on a worker, though all others are idle and steal
 * ---- */

SCREE_LOOP(placed, uint64_t);
SCREE_TASK(here, uint64_t);
enum { PLACED = 999, STAY_RANKS = 3 };
typedef struct {
  uint64_t ran, moved, tries;
} stay;
typedef struct {
  stay *s;
  placed_type placed;
  here_type here;
  scree_distribution map;
} stay_rank;

static void run_placed(scree_task *self, uint64_t begin, uint64_t end, const uint64_t *args) {
  stay_rank *r = scree_task_arg(self);
  check_equal(*args, 1);
  for (uint64_t i = begin; i < end; i++)
    check_equal(scree_distribution_owner(&r->map, i), scree_task_worker(self)->rank);
  r->s->ran += end - begin;
  scree_task_yield(self);
}
SCREE_LOOP_BODY(placed, uint64_t, run_placed);

static void run_here(scree_task *self, const uint64_t *worker) {
  stay_rank *r = scree_task_arg(self);
  const scree_worker *w = scree_task_worker(self);
  check_equal(scree_worker_number(w, w->rank, w->index), *worker);
  r->s->ran++;
  scree_task_yield(self);
}
SCREE_TASK_BODY(here, uint64_t, run_here);

/* All iterations of the loop, and all tasks, are on rank 1. */
static void place(scree_worker *w, void *arg) {
  stay_rank *r = arg;
  check_equal(scree_begin(w), SCREE_OK);
  if (w->rank == 0 && w->index == 0) {
    placed_for_in(w, r->placed, NULL, SCREE_LOOP_BY_MAP, PLACED / 3, 2 * PLACED / 3, 2, 1);
    for (int i = 0; i < 100; i++) here_spawn_on(w, r->here, NULL, scree_worker_number(w, 1, 1), 3);
  }
  check_equal(scree_end(w, NULL), SCREE_OK);
}

static void play_stay(scree_world *world, void *arg) {
  stay_rank r = {.s = arg};
  scree_tasks_options options = SCREE_TASKS_OPTIONS_INIT;
  scree_tasks_stats stats = {.size = sizeof stats};
  options.steal = SCREE_STEAL_ALL;
  options.task_live = 2;
  check_equal(scree_tasks_open(world, &options), SCREE_OK);
  check_equal(placed_register(world, &r, &r.placed), SCREE_OK);
  check_equal(here_register(world, &r, &r.here), SCREE_OK);
  scree_distribution_init(&r.map, SCREE_DISTRIBUTION_BLOCK, PLACED, STAY_RANKS);
  r.placed.map = &r.map;
  check_equal(scree_run_workers(world, 2, place, &r), SCREE_OK);
  check_equal(scree_tasks_stats_read(world, &stats), SCREE_OK);
  r.s->moved += stats.moved;
  r.s->tries += stats.tries_elsewhere;
}

HARNESS_TEST(what_stays) {
  for (uint64_t seed = 1; seed <= 10; seed++) {
    stay s = {0};
    const scree_sim_config config = {
        .seed = seed, .ranks = STAY_RANKS, .nodes = 1, .threads = 2, .max_steps = 50000000};
    check_equal(scree_sim_run(&config, NULL, play_stay, &s, NULL), SCREE_OK);
    check_equal(s.ran, PLACED / 3 + 100);
    check_equal(s.moved, 0);
    check(s.tries > 0);
  }
}

/* ---- what is shown ---- */

SCREE_TASK(branch, uint64_t);
typedef struct {
  FILE *to;
  uint64_t moved, steals; /* of all workers; of these, by the timeline */
  scree_tasks_stats sum;
  char *report, *text, *json; /* of rank 1 */
} shown;
typedef struct {
  shown *s;
  scree_world *world;
  branch_type branch;
  part_type part;
} shown_rank;

static void run_branch(scree_task *self, const uint64_t *depth) {
  shown_rank *r = scree_task_arg(self);
  scree_worker *w = scree_task_worker(self);
  if (!r->s->report && w->rank == 1) r->s->report = capture_report(r->world);
  scree_task_yield(self);
  for (int i = 0; i < 2 && *depth; i++) branch_spawn(w, r->branch, scree_task_scope(self), *depth - 1);
  if (*depth == 3) part_for_in(w, r->part, scree_task_scope(self), SCREE_LOOP_LOCAL, 0, 10, 1, 1);
}
SCREE_TASK_BODY(branch, uint64_t, run_branch);

static void spread(scree_worker *w, void *arg) {
  shown_rank *r = arg;
  check_equal(scree_begin(w), SCREE_OK);
  if (w->rank == 0 && w->index == 0) branch_spawn(w, r->branch, NULL, 9);
  check_equal(scree_end(w, NULL), SCREE_OK);
}

static void show(scree_world *world, void *arg) {
  shown_rank r = {.s = arg, .world = world};
  scree_tasks_options options = SCREE_TASKS_OPTIONS_INIT;
  scree_tasks_stats stats = {.size = sizeof stats};
  const uint32_t rank = scree_worker_of(world, 0)->rank;
  options.steal = SCREE_STEAL_ALL;
  options.task_live = 4;
  options.task_poll = 1;
  check_equal(scree_tasks_open(world, &options), SCREE_OK);
  check_equal(branch_register(world, &r, &r.branch), SCREE_OK);
  check_equal(part_register(world, NULL, &r.part), SCREE_OK);
  check_equal(scree_trace(world, rank ? stderr : r.s->to), SCREE_OK);
  check_equal(scree_run_workers(world, 2, spread, &r), SCREE_OK);
  check_equal(scree_trace(world, NULL), SCREE_OK);
  check_equal(scree_tasks_stats_read(world, &stats), SCREE_OK);
  r.s->moved += stats.moved;
  if (rank != 1) return;
  r.s->sum = stats;
  r.s->text = capture_stats(world, false);
  r.s->json = capture_stats(world, true);
}

/* The numbers after a word, of all places where it is. */
static uint64_t sum_after(const char *text, const char *word) {
  uint64_t sum = 0;
  for (const char *at = text; (at = strstr(at, word)) != NULL;) sum += strtoull(at += strlen(word), NULL, 10);
  return sum;
}

HARNESS_TEST(what_is_shown) {
  static char timeline[1 << 22];
  shown s = {.to = tmpfile()};
  scree_options options = SCREE_OPTIONS_INIT;
  const scree_sim_config config = {
      .seed = 3, .ranks = 3, .nodes = 2, .threads = 2, .max_steps = 50000000, .quiet = true};
  if (!check(s.to)) return;
  options.trace_events = 8000;
  check_equal(scree_sim_run(&config, &options, show, &s, NULL), SCREE_OK);
  rewind(s.to);
  timeline[fread(timeline, 1, sizeof timeline - 1, s.to)] = 0;
  for (char *at = timeline; (at = strstr(at, "{\"name\":\"steal\",\"cat\":\"steal\"")) != NULL;)
    s.steals += strtoull(strstr(at++, "\"closures\":") + 11, NULL, 10);
  check(s.moved > 0);
  check_equal(s.steals, s.moved);
  check(s.sum.steals_here > 0 && s.sum.steals_elsewhere + s.sum.lifelines_won > 0 && s.sum.iterations > 0);
  check(s.sum.idle_ns > 0 && s.sum.idle_ns < s.sum.epoch_ns);
#define IN_JSON(field)                                                                                                 \
  check_contains(s.json, "\"" #field "\":");                                                                           \
  check_equal(sum_after(s.json, "\"" #field "\":"), s.sum.field)
  IN_JSON(tries_here);
  IN_JSON(steals_here);
  IN_JSON(tries_elsewhere);
  IN_JSON(steals_elsewhere);
  IN_JSON(lifelines);
  IN_JSON(lifelines_won);
  IN_JSON(moved);
  IN_JSON(iterations);
  IN_JSON(idle_ns);
  IN_JSON(epoch_ns);
  check_equal(sum_after(s.text, ", iterations "), s.sum.iterations); /* a line for each worker */
  check_equal(sum_after(s.text, ", steals in this rank "), s.sum.steals_here);
  check_equal(sum_after(s.text, ", steals from other ranks "), s.sum.steals_elsewhere);
  check_equal(sum_after(s.text, "lifelines that brought work "), s.sum.lifelines_won);
  check_equal(sum_after(s.text, "closures moved "), s.sum.moved);
  check_contains(s.report, "exposed to this rank");
  check_contains(s.report, "  tasks until now: spawned ");
  check(sum_after(s.report, ", ns without a task ") <= sum_after(s.report, ", ns of epochs "));
  free(s.report);
  free(s.text);
  free(s.json);
  fclose(s.to);
}

/* ---- the library's operators ---- */

/* What iteration i makes. */
static double number_of(uint64_t i) {
  return 3 + (double)(i * 7919 % 1009);
}
#define EXTREME(name)                                                                                                  \
  SCREE_LOOP_REDUCED(name, uint64_t, double);                                                                          \
  static void run_##name(scree_task *self, uint64_t begin, uint64_t end, const uint64_t *args, double *value) {        \
    *value = number_of(begin);                                                                                         \
    for (uint64_t i = begin + 1; i < end; i++) scree_combine_##name(value, &(double){number_of(i)});                   \
  }                                                                                                                    \
  SCREE_LOOP_REDUCED_BODY(name, uint64_t, double, run_##name, scree_combine_##name)
EXTREME(min_f64);
EXTREME(max_f64);
SCREE_TASK(extremes, uint64_t);

typedef struct {
  min_f64_type min;
  max_f64_type max;
} operators_of_rank;

static void run_extremes(scree_task *self, const uint64_t *n) {
  const operators_of_rank *both = scree_task_arg(self);
  double min = INFINITY, max = -INFINITY, smallest = number_of(0), largest = number_of(0);
  for (uint64_t i = 1; i < *n; i++) smallest = fmin(smallest, number_of(i)), largest = fmax(largest, number_of(i));
  check_equal(min_f64_reduce(self, both->min, SCREE_LOOP_PARTITION, 0, *n, 1, 0, &min), SCREE_OK);
  check_equal(max_f64_reduce(self, both->max, SCREE_LOOP_PARTITION, 0, *n, 1, 0, &max), SCREE_OK);
  check_text(min == smallest && max == largest, "%g and %g, expected %g and %g", min, max, smallest, largest);
}
SCREE_TASK_BODY(extremes, uint64_t, run_extremes);

RULE_WORLD(operators, SCREE_OK, "", .ranks_max = 5, .nodes = 1, .seeds = 20) {
  operators_of_rank both;
  extremes_type type;
  check_equal(scree_tasks_open(a->world, NULL), SCREE_OK);
  check_equal(min_f64_register(a->world, NULL, &both.min), SCREE_OK);
  check_equal(max_f64_register(a->world, NULL, &both.max), SCREE_OK);
  check_equal(extremes_register(a->world, &both, &type), SCREE_OK);
  check_equal(scree_begin(a->w), SCREE_OK);
  if (a->w->rank == 0) extremes_spawn(a->w, type, NULL, 1 + a->seed * a->seed);
  check_text(scree_end(a->w, NULL) == SCREE_OK, "%s", scree_error_text(a->world));
}

HARNESS_MAIN
