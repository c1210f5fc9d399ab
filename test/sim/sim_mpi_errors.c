/* sim_mpi_errors.c - generated programs over the library's code for MPI, on a simulated MPI whose calls fail now and then.
 *
 * Whatever fails: no run hangs or crashes, no message is handled twice, and no epoch ends without an error that has lost
 * one. */
#include "harness.h"
#include "programs.h"
#include "sim_mpi.h"

enum { SEEDS = 2000, SEEDS_FULL = 50000 };

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

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(no_error_hangs_or_lies),
};

HARNESS_MAIN(tests)
