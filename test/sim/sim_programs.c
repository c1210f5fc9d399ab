/* sim_programs.c - generated programs through the real core, seed by seed: without and with faults, with tight options.
 *
 * A seed determines a run. SCREE_TEST_SEED=N runs that seed alone, in each test (with SCREE_TEST_VERBOSE=1 a hang shows
 * its report); SCREE_TEST_SEEDS=N changes their number. What a program does and how it is judged is in programs*.c.
 *
 * Also: on a simulated MPI */
#include "harness.h"
#include "programs.h"

enum { SEEDS = 2000, SEEDS_FULL = 20000, SEEDS_TWICE = 100, SEEDS_TIGHT = 100, SEEDS_TIGHT_FULL = 4000 };

static uint64_t number(const char *name, uint64_t otherwise) {
  const char *text = getenv(name);
  return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

static program_totals run_seeds(program_kind kind, uint64_t count) {
  uint64_t first = 1;
  program_totals totals = {0};
  if (getenv("SCREE_TEST_SEED")) {
    first = number("SCREE_TEST_SEED", 1);
    count = 1;
  }
  for (uint64_t seed = first; seed < first + count && harness_failures() == 0; seed++) {
    char why[400];
    bool right = program_run(seed, kind, &totals, why, sizeof why);
    check_text(right, "%s; to replay: SCREE_TEST_SEED=%" PRIu64 " test/sim_programs", why, seed);
  }
  printf("%" PRIu64 " seeds, %" PRIu64 " messages, %" PRIu64 " failed runs, %" PRIu64 " overflow blocks, %" PRIu64
         " waits, %" PRIu64 " large records, %" PRIu64 " hand-overs, %" PRIu64 " messages of several workers, %" PRIu64
         " passed on, %" PRIu64 " stalls, %" PRIu64 " pieces of work of poll functions, %" PRIu64 " combined, %" PRIu64
         " filtered, %" PRIu64 " driven out of caches, %" PRIu64 " steps\n",
         count, totals.messages, totals.failures, totals.overflows, totals.waits, totals.parts, totals.holds,
         totals.shared, totals.passed, totals.stalls, totals.polled, totals.combined, totals.dropped, totals.evicted,
         totals.steps);
  return totals;
}

/* A generator that draws nothing of interest would pass everything. */
static void check_variety(const program_totals *t) {
  if (getenv("SCREE_TEST_SEED") || harness_seeds(SEEDS, SEEDS_FULL) < SEEDS) return;
  check(t->messages > 100 * SEEDS);
  check(t->overflows > 1000 && t->waits > 1000 && t->parts > 1000 && t->holds > 1000 && t->shared > 10 * SEEDS);
  check(t->by_progress > SEEDS);
  check(t->passed > 10 * SEEDS && t->stalls > SEEDS);
  check(t->polled > SEEDS);
  check(t->combined > SEEDS && t->dropped > SEEDS && t->evicted > SEEDS);
}

static void exactly_once(void **unused) {
  (void)unused;
  program_totals t = run_seeds(PROGRAM_PLAIN, harness_seeds(SEEDS, SEEDS_FULL));
  check_variety(&t);
  check_equal(t.failures, 0);
}

static void failures_end_epochs(void **unused) {
  (void)unused;
  program_totals t = run_seeds(PROGRAM_WITH_FAULTS, harness_seeds(SEEDS, SEEDS_FULL));
  check_variety(&t);
  if (!getenv("SCREE_TEST_SEED")) check(t.failures > harness_seeds(SEEDS, SEEDS_FULL) / 10);
}

/* Over the simulated MPI one program in a few hundred hangs if credits are lost (mutant mpi_overdue_forgotten). */
static void tight_options(void **unused) {
  (void)unused;
  program_totals t = run_seeds(PROGRAM_TIGHT, harness_seeds(SEEDS_TIGHT, SEEDS_TIGHT_FULL));
  check_equal(t.failures, 0);
  if (!getenv("SCREE_TEST_SEED") && harness_seeds(SEEDS_TIGHT, SEEDS_TIGHT_FULL) >= SEEDS_TIGHT)
    check(t.waits > t.messages / 2); /* a few programs may be calm */
}

static void same_seed_same_run(void **unused) {
  (void)unused;
  char why[400];
  for (uint64_t seed = 1; seed <= SEEDS_TWICE; seed++) {
    program_totals one = {0}, other = {0};
    program_run(seed, PROGRAM_WITH_FAULTS, &one, why, sizeof why);
    program_run(seed, PROGRAM_WITH_FAULTS, &other, why, sizeof why);
    check_text(memcmp(&one, &other, sizeof one) == 0, "seed %" PRIu64 ": %" PRIu64 " and %" PRIu64 " steps", seed,
               one.steps, other.steps);
  }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(exactly_once),
    cmocka_unit_test(failures_end_epochs),
    cmocka_unit_test(tight_options),
    cmocka_unit_test(same_seed_same_run),
};

HARNESS_MAIN(tests)
