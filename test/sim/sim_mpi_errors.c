/* sim_mpi_errors.c - generated programs over the library's code for MPI, on a simulated MPI whose calls sometimes fail.
 *
 * Whatever fails: no run hangs or crashes, no message is handled twice, and no epoch ends without an error that has
 * lost one. */
#include <cjson/cJSON.h>

#include "harness.h"
#include "sim_mpi.h"
#include "traffic.h"

static const char words[] = "faults=0";

enum { SEEDS = 2000, SEEDS_FULL = 50000, TRACED = 110 };

/* Called by the leak sanitizer. A world that has lost its peers leaves the memory that MPI may still use. */
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void) {
  return 1;
}

HARNESS_TEST(no_error_hangs_or_lies) {
  const char *one = getenv("SCREE_TEST_ROW");
  uint64_t count = one ? 1 : harness_seeds(SEEDS, SEEDS_FULL), errors = 0;
  traffic_totals totals = {0};
  sim_mpi_errors_max = 3;
  for (uint64_t seed = 1; seed <= count && harness_failures() == 0; seed++) {
    char why[3 * ROW] = "", row[ROW];
    snprintf(row, sizeof row, "seed=%" PRIu64 " %s", seed, words);
    const bool right = traffic_simulate(one ? one : row, true, &totals, why, sizeof why);
    errors += sim_mpi_errors;
    check_text(right && !sim_mpi_hung, "%s%s: %s", row, sim_mpi_hung ? " hung" : "", why);
  }
  print_totals(&totals);
  if (!one) check(errors > count && totals.failures > count / 2);
}

/* ---- traced ---- */

static FILE *file;

static bool begun; /* on rank 0 */

static void play_traced(scree_world *world, void *simulated) {
  const bool first = scree_worker_of(world, 0)->rank == 0;
  const scree_status status = scree_trace(world, first ? file : NULL);
  if (first) begun = status == SCREE_OK;
  traffic_virtual_rank(world, simulated);
  scree_trace(world, NULL);
}

/* The file is whole; it is empty where the trace has not begun. */
static uint64_t trace_one(uint64_t seed) {
  char *text = NULL, why[WHY] = "", row[ROW];
  size_t size;
  assert_non_null(file = open_memstream(&text, &size));
  snprintf(row, sizeof row, "seed=%" PRIu64 " %s trace-events=500", seed, words);
  simulated *s = traffic_prepare(row, true, why);
  assert_non_null(s);
  begun = false;
  scree_sim_run(&s->config, &s->p.drawn.user, play_traced, s, NULL);
  fclose(file);
  cJSON *all = cJSON_Parse(text);
  check_text(!sim_mpi_hung && (all || (!begun && !*text)), "%s%s: %.100s", row, sim_mpi_hung ? " hung" : "", text);
  uint64_t events = (uint64_t)cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(all, "traceEvents"));
  cJSON_Delete(all);
  free(text);
  return events;
}

HARNESS_TEST(traces_of_failing_runs) {
  uint64_t events = 0, count = harness_seeds(TRACED, SEEDS_FULL);
  sim_mpi_errors_max = 3;
  for (uint64_t seed = 1; seed <= count && harness_failures() == 0; seed++) events += trace_one(seed);
  if (count >= TRACED) events += trace_one(36034); /* a notice is lost, and its receiver only makes progress */
  printf("%" PRIu64 " events\n", events);
  check(count < TRACED || events > 10 * count);
}

/* ---- opening and closing ---- */

/* All receives are posted when a world is open: for blocks, for credit messages. */
static void count_receives(scree_world *world, void *unused) {
  const scree__options *o = (const scree__options *)scree_options_of(world);
  enum { CREDIT_MESSAGES = 8 };
  check_equal(sim_mpi_here->mail[sim_mpi_me()].posted.count, o->test_receives + CREDIT_MESSAGES);
}

HARNESS_TEST(receives_are_posted) {
  const scree_sim_config config = {.seed = 1, .ranks = 3, .nodes = 3, .unperturbed = true};
  sim_mpi_errors_max = 0;
  check_equal(scree_sim_run(&config, NULL, count_receives, NULL, NULL), SCREE_OK);
}

/* The sum that a rank cannot start is tried three times, since the others wait for it. */
static void fail_sums(scree_world *world, void *times) {
  sim_mpi_here->failing_sums = *(uint32_t *)times;
}

HARNESS_TEST(sums_are_tried_again) {
  sim_mpi_errors_max = 0;
  for (uint32_t times = 0; times <= 3; times++)
    for (uint64_t seed = 1; seed <= 3; seed++) {
      const scree_sim_config config = {.seed = seed, .ranks = 2, .nodes = 2, .quiet = true};
      scree_options options = SCREE_OPTIONS_INIT;
      options.hang_timeout = 200000000; /* 200,000 steps, which others wait where this rank gives up */
      uint64_t steps;
      check_equal(scree_sim_run(&config, &options, fail_sums, &times, &steps), SCREE_OK);
      check_equal(sim_mpi_errors, times);
      check_text((steps < 100000) == (times < 3), "%" PRIu64 " steps after %u errors", steps, times);
    }
}

HARNESS_MAIN
