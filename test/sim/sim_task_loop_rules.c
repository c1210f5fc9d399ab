/* sim_task_loop_rules.c - what loops refuse: ranges, grains, policies, maps, places; a task that waits for what waits for it. */
#include <scree/scree_sim.h>
#include <scree/task_loop.h>

#include "capture.h"
#include "harness.h"

SCREE_LOOP(part, uint64_t);
SCREE_LOOP(circle, uint64_t);

static void run_part(scree_task *self, uint64_t begin, uint64_t end, const uint64_t *args) {
  check(begin < end && *args == 1);
}
SCREE_LOOP_BODY(part, uint64_t, run_part);

static const struct {
  scree_loop_policy policy;
  uint64_t begin, end, grain;
  uint32_t ranks;
  bool map;
  scree_status expected;
  const char *text;
} refusals[] = {
    {SCREE_LOOP_LOCAL, 5, 4, 0, 1, false, SCREE_EINVAL, "begin is after end"},
    {SCREE_LOOP_LOCAL, 0, 4, 5, 1, false, SCREE_EINVAL, "grain is above"},
    {SCREE_LOOP_LOCAL, 4, 4, 5, 1, false, SCREE_OK, ""},
    {SCREE_LOOP_REMOTE, 0, 4, 1, 1, false, SCREE_EINVAL, "with one rank"},
    {SCREE_LOOP_BY_MAP, 0, 4, 1, 2, false, SCREE_EINVAL, "without a map"},
    {SCREE_LOOP_BY_MAP, 0, 65, 1, 2, true, SCREE_EINVAL, "above the number of elements"},
    {(scree_loop_policy)4, 0, 4, 1, 2, false, SCREE_EINVAL, "policy"},
};

static void refuse_loop(scree_world *world, void *arg) {
  const size_t *row = arg;
  scree_distribution map;
  part_type part;
  scree_distribution_init(&map, SCREE_DISTRIBUTION_CYCLIC, 64, refusals[*row].ranks);
  check_equal(scree_tasks_open(world, NULL), SCREE_OK);
  check_equal(part_register(world, NULL, &part), SCREE_OK);
  part.map = refusals[*row].map ? &map : NULL;
  scree_worker *w = scree_worker_of(world, 0);
  check_equal(scree_begin(w), SCREE_OK);
  if (w->rank == 0)
    part_for_in(w, part, NULL, refusals[*row].policy, refusals[*row].begin, refusals[*row].end, refusals[*row].grain,
                1);
  if (w->rank == 0) check_contains(scree_error_text(world), refusals[*row].text);
  check_equal(scree_end(w, NULL), refusals[*row].expected);
}

HARNESS_TEST(wrong_calls) {
  for (size_t row = 0; row < sizeof refusals / sizeof *refusals; row++) {
    const scree_sim_config config = {
        .seed = 1, .ranks = refusals[row].ranks, .nodes = 1, .threads = 1, .max_steps = 1000000, .quiet = true};
    check_equal(scree_sim_run(&config, NULL, refuse_loop, &row, NULL), refusals[row].expected);
  }
}

/* Outside of tasks a loop that waits is refused, with the call to use. */
static void wait_outside(scree_world *world, void *unused) {
  part_type part;
  check_equal(scree_tasks_open(world, NULL), SCREE_OK);
  check_equal(part_register(world, NULL, &part), SCREE_OK);
  scree_worker *w = scree_worker_of(world, 0);
  check_equal(scree_begin(w), SCREE_OK);
  check_equal(part_for(NULL, part, SCREE_LOOP_LOCAL, 0, 4, 1, 1), SCREE_ESTATE);
  check_contains(scree_error_text(world), "name_for_in");
  check_equal(scree_end(w, NULL), SCREE_ESTATE);
}

HARNESS_TEST(outside_of_tasks) {
  const scree_sim_config config = {
      .seed = 1, .ranks = 1, .nodes = 1, .threads = 1, .max_steps = 1000000, .quiet = true};
  check_equal(scree_sim_run(&config, NULL, wait_outside, NULL, NULL), SCREE_ESTATE);
}

/* A body that waits for the completion that its loop was started in. */
static scree_completion *own;

static void run_circle(scree_task *self, uint64_t begin, uint64_t end, const uint64_t *args) {
  check_equal(end - begin, *args);
  check_equal(scree_completion_wait(self, own), SCREE_ESTATE);
}
SCREE_LOOP_BODY(circle, uint64_t, run_circle);

static void wait_in_a_circle(scree_world *world, void *unused) {
  circle_type circle;
  check_equal(scree_tasks_open(world, NULL), SCREE_OK);
  check_equal(circle_register(world, NULL, &circle), SCREE_OK);
  scree_worker *w = scree_worker_of(world, 0);
  check_equal(scree_begin(w), SCREE_OK);
  check_equal(scree_completion_open(w, &own), SCREE_OK);
  circle_for_in(w, circle, own, SCREE_LOOP_LOCAL, 0, 1, 1, 1);
  check_equal(scree_end(w, NULL), SCREE_ESTATE);
  check_contains(scree_error_text(world), "so for itself");
}

HARNESS_TEST(own_loop) {
  const scree_sim_config config = {
      .seed = 1, .ranks = 1, .nodes = 1, .threads = 1, .max_steps = 1000000, .quiet = true};
  check_equal(scree_sim_run(&config, NULL, wait_in_a_circle, NULL, NULL), SCREE_ESTATE);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(wrong_calls), cmocka_unit_test(outside_of_tasks),
                                          cmocka_unit_test(own_loop)};
HARNESS_MAIN(tests)
