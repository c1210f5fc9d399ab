/* sim_mpi_errors.c - generated programs over the library's code for MPI, on a simulated MPI whose calls fail now and then.
 *
 * Whatever fails: no run hangs or crashes, no message is handled twice, and no epoch ends without an error that has lost
 * one. */
#include <cjson/cJSON.h>

#include "harness.h"
#include "programs_inside.h"
#include "sim_mpi.h"

enum { SEEDS = 2000, SEEDS_FULL = 50000, TRACED = 60 };

/* Asked by the leak sanitizer. A world that has lost its peers leaves the memory that MPI may still use. */
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void) {
  return 1;
}

static void no_error_hangs_or_lies(void **unused) {
  (void)unused;
  const char *one = getenv("SCREE_TEST_SEED");
  uint64_t first = one ? strtoull(one, NULL, 10) : 1, count = one ? 1 : harness_seeds(SEEDS, SEEDS_FULL), errors = 0;
  program_totals totals = {0};
  sim_mpi_errors_max = 3;
  for (uint64_t seed = first; seed < first + count && harness_failures() == 0; seed++) {
    char why[400] = "";
    bool right = program_run(seed, PROGRAM_ON_FAILING_MPI, &totals, why, sizeof why);
    errors += sim_mpi_errors;
    check_text(right && !sim_mpi_hung, "%s%s; to replay: SCREE_TEST_SEED=%" PRIu64 " test/sim_mpi_errors", why,
               sim_mpi_hung ? " hung" : "", seed);
  }
  printf("%" PRIu64 " seeds, %" PRIu64 " messages, %" PRIu64 " errors of MPI, %" PRIu64 " failed runs, %" PRIu64
         " steps\n",
         count, totals.messages, errors, totals.failures, totals.steps);
  if (!one) check(errors > count && totals.failures > count / 2);
}

/* ---- traced ---- */

static FILE *file;

static bool begun; /* on rank 0 */

static void play_traced(scree_world *world, void *program) {
  bool first = scree_worker_of(world, 0)->rank == 0;
  scree_status status = scree_trace(world, first ? file : NULL);
  if (first) begun = status == SCREE_OK;
  program_play(world, program);
  scree_trace(world, NULL);
}

/* The file is whole; it is empty where the trace has not begun. */
static uint64_t trace_one(uint64_t seed) {
  program *p = calloc(1, sizeof *p);
  char *text = NULL;
  size_t size;
  assert_non_null(p);
  assert_non_null(file = open_memstream(&text, &size));
  program_draw(p, seed, PROGRAM_ON_FAILING_MPI, (program_shape){0, 0, 0});
  p->options.trace_events = 500;
  p->mpi_fails = true;
  begun = false;
  scree_sim_run(&p->config, &p->options, play_traced, p, NULL);
  fclose(file);
  cJSON *all = cJSON_Parse(text);
  check_text(!sim_mpi_hung && (all || (!begun && !*text)), "seed %" PRIu64 "%s: %.100s", seed,
             sim_mpi_hung ? " hung" : "", text);
  uint64_t events = (uint64_t)cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(all, "traceEvents"));
  cJSON_Delete(all);
  free(text);
  free(p);
  return events;
}

static void traces_of_failing_runs(void **unused) {
  uint64_t events = 0, count = harness_seeds(TRACED, SEEDS_FULL);
  (void)unused;
  sim_mpi_errors_max = 3;
  for (uint64_t seed = 1; seed <= count && harness_failures() == 0; seed++) events += trace_one(seed);
  check(count < TRACED || events > 20 * count);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(no_error_hangs_or_lies),
    cmocka_unit_test(traces_of_failing_runs),
};

HARNESS_MAIN(tests)
