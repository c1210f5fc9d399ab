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

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(no_error_hangs_or_lies),
    cmocka_unit_test(traces_of_failing_runs),
};

HARNESS_MAIN(tests)
