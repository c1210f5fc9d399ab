/* sim_traffic.c - random programs through the real core, seed by seed: without and with faults, with tight options.
 *
 * A row determines a run. SCREE_TEST_ROW='seed=N ...' runs that one alone (with SCREE_TEST_VERBOSE=1 a hang shows its
 * report); SCREE_TEST_SEEDS=N changes their number. What a program does and how it is judged is in test/traffic. */
#include "harness.h"
#include "traffic.h"

enum { SEEDS = 300, SEEDS_FULL = 20000, SEEDS_TWICE = 100 };

/* The options of a soak program that took very long: docs/reliability.md. Over the simulated MPI one program in a few
 * hundred hangs if credits are lost (mutant mpi_overdue_forgotten). */
static const char tight[] =
    "options=0 transport=mpi memory=64K coalesce-bytes=1000 in-flight=2 batch-max=1 flush-age=0 "
    "test-pool-blocks=5 checked=on types=8 threads=1 postpones=0 faults=0 nodes=3 reduced=0";

/* Over the simulated MPI, where it is linked, a program takes three times as long. */
void sim_mpi_deliver(void) __attribute__((weak));
static uint64_t usual(void) {
  return sim_mpi_deliver ? SEEDS / 4 : SEEDS;
}

static traffic_totals run_seeds(const char *words, uint64_t count) {
  const char *one = getenv("SCREE_TEST_ROW");
  traffic_totals totals = {0};
  for (uint64_t seed = 1; seed <= (one ? 1 : count) && harness_failures() == 0; seed++) {
    char why[3 * ROW] = "", row[ROW];
    snprintf(row, ROW, "seed=%" PRIu64 " %s", seed, words);
    check_text(traffic_simulate(one ? one : row, false, &totals, why, sizeof why), "%s", why);
  }
  print_totals(&totals);
  return totals;
}

/* A generator that draws nothing of interest would pass everything. */
static void check_variety(const traffic_totals *t, uint64_t count) {
  if (getenv("SCREE_TEST_ROW") || count < usual() || harness_failures()) return;
  check(t->messages > 100 * usual());
  const uint64_t often[] = {t->overflows,   t->waits,   t->records, t->holds,  t->shared,
                            t->by_progress, t->passed,  t->stalls,  t->polled, t->combined,
                            t->filtered,    t->evicted, t->urgent,  t->tasks,  t->iterations};
  for (size_t i = 0; i < sizeof often / sizeof *often; i++)
    check_text(often[i] > usual() / 2, "total %zu is %" PRIu64, i, often[i]);
}

HARNESS_TEST(exactly_once) {
  const uint64_t count = harness_seeds(usual(), SEEDS_FULL);
  traffic_totals t = run_seeds("faults=0", count);
  check_variety(&t, count);
  check_equal(t.failures, 0);
}

/* Lanes fill up, and batches are long. */
HARNESS_TEST(larger_programs) {
  const uint64_t count = harness_seeds(100, 1000);
  traffic_totals t = run_seeds("faults=0 scale=8 ranks=3 types=3 options=2 tight=0 bytes=0 objects=0", count);
  check_equal(t.failures, 0);
  if (!getenv("SCREE_TEST_ROW") && count >= 100) check(t.swapped > 1000 && t.sorted > 10);
}

HARNESS_TEST(failures_end_epochs) {
  const uint64_t count = harness_seeds(usual(), SEEDS_FULL);
  traffic_totals t = run_seeds("", count);
  check_variety(&t, count);
  if (!getenv("SCREE_TEST_ROW")) check(t.failures > count / 10);
}

HARNESS_TEST(tight_options) {
  traffic_totals t = run_seeds(tight, harness_seeds(100, 4000));
  check_equal(t.failures, 0);
  if (!getenv("SCREE_TEST_ROW") && harness_seeds(100, 4000) >= 100) check(t.waits > t.messages / 2);
}

/* Most messages are iterations. One task lives at a time, so that many closures wait and are stolen. */
HARNESS_TEST(loops) {
  const uint64_t count = harness_seeds(usual() / 10, 2000);
  traffic_totals t = run_seeds("tasks=2 loops=1 types=3 depth=2 roots=4 threads=3", count);
  if (getenv("SCREE_TEST_ROW") || count < usual() / 10) return;
  check(t.iterations > t.messages / 2 && t.tasks > 100 && t.failures > count / 10);
}

/* Each operation in each form at each kind of place. Delegates have no form that waits on a worker's own stack, and
 * stacks are lent to tasks, which wait otherwise. */
static void check_operations(const traffic_totals *t) {
  for (int o = 0; o < OPERATIONS; o++)
    for (int f = 0; f < FORMS; f++)
      for (int p = 0; p < PLACES; p++) {
        const bool legal = f != 1 || (o != OPERATIONS - 1 && p != PLACES - 1);
        check_text((t->drawn[o][f][p] > 0) == legal, "operation %d, form %d, place %d: %" PRIu64, o, f, p,
                   t->drawn[o][f][p]);
      }
}

/* Tasks access memory. */
HARNESS_TEST(global_memory) {
  const uint64_t count = harness_seeds(usual() / 6, 3000);
  traffic_totals t = run_seeds("tasks=1 global=1 bytes=1 types=3 depth=3 roots=8 epochs=2 checked=default", count);
  const traffic_totals few = run_seeds("tasks=3 global=1 bytes=1 types=3 depth=2 roots=8 epochs=2", count / 4);
  if (getenv("SCREE_TEST_ROW") || count < SEEDS / 6) return;
  add_totals(&t, &few);
  check_operations(&t);
  check(t.allocated > 10 * count && t.refused > count / 2 && t.reused > 10 * count && t.lent > count / 2);
}

/* Most messages are tasks, many of which share objects. */
static void share_objects(const char *words, uint64_t count, bool fails) {
  traffic_totals t = run_seeds(words, count);
  if (getenv("SCREE_TEST_ROW") || count < usual() / 6) return;
  check(t.tasks > t.messages / 8 && t.objects > count);
  check(fails ? t.failures > count / 10 : t.failures == 0);
}
HARNESS_TEST(objects) {
  share_objects("faults=0 tasks=2 objects=1 loops=0 types=3 depth=2 roots=4", harness_seeds(usual() / 6, 2000), false);
}
HARNESS_TEST(objects_in_failures) {
  share_objects("tasks=1 objects=1 loops=0 types=3 depth=2 roots=4 threads=3", harness_seeds(usual() / 6, 2000), true);
}

HARNESS_TEST(same_row_same_run) {
  for (uint64_t seed = 1, count = harness_seeds(SEEDS_TWICE, SEEDS_TWICE); seed <= count; seed++) {
    traffic_totals one = {0}, other = {0};
    char why[3 * ROW], row[ROW];
    snprintf(row, ROW, "seed=%" PRIu64, seed);
    traffic_simulate(row, false, &one, why, sizeof why);
    traffic_simulate(row, false, &other, why, sizeof why);
    check_text(memcmp(&one, &other, sizeof one) == 0, "seed %" PRIu64 ": %" PRIu64 " and %" PRIu64 " steps", seed,
               one.steps, other.steps);
  }
}

HARNESS_MAIN
