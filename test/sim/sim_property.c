/* sim_property.c - drawn cases for all variants of BFS and SSSP, seed by seed, in the simulator; and one large graph, for
 * what BFS does on no small one.
 *
 * SCREE_TEST_SEED=N runs that case alone (with SCREE_TEST_VERBOSE=1 a
 * hang shows its report); SCREE_TEST_SEEDS=N changes their number. What a case is, is in property_case.h.
 *
 * Also: on a simulated MPI */
#include <signal.h>
#include <unistd.h>

#include "harness.h"
#include "harness_watchdog.h"
#include "programs.h"
#include "property_case.h"
#include "property_levels.h"

enum { SEEDS = 200, SEEDS_FULL = 6000, LEVELS_IN = 25 /* seeds */ };

static uint64_t number(const char *name, uint64_t otherwise) {
  const char *text = getenv(name);
  return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

/* How to run the case again, for every way in which it can end. */
static char replay[200];
static const char *program = "sim_property";

static void crashed(int signal_number) {
  (void)!write(STDERR_FILENO, "\ncrashed; to replay: ", 21);
  (void)!write(STDERR_FILENO, replay, strlen(replay));
  (void)!write(STDERR_FILENO, "\n", 1);
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

static void watch(uint64_t seed) {
  const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
  snprintf(replay, sizeof replay, "SCREE_TEST_SEED=%" PRIu64 " %s", seed, program);
  harness__watch(replay);
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) signal(signals[i], crashed);
}

static bool run_seed(uint64_t seed, property_case *c, property_outcome *outcome) {
  watch(seed);
  property_draw(c, seed);
  if (property_play(c, outcome)) return true;
  check_text(false, "%s; to replay: %s", outcome->verdict.text, replay);
  fprintf(stderr, "%" PRIu64 " edges on %" PRIu32 " ranks; making it smaller ...\n", c->given.m, c->sim.ranks);
  property_shrink(c, outcome);
  property_print(c, outcome, stderr);
  return false;
}

static void drawn_cases(void **unused) {
  (void)unused;
  uint64_t first = number("SCREE_TEST_SEED", 1), runs = 0, steps = 0, max = 0, laws[PROPERTY_LAWS] = {0};
  uint64_t seeds = getenv("SCREE_TEST_SEED") ? 1 : harness_seeds(SEEDS, SEEDS_FULL);
  property_case *c = malloc(sizeof *c);
  property_outcome outcome;
  for (uint64_t seed = first; check(c != NULL) && seed < first + seeds; seed++) {
    if (!run_seed(seed, c, &outcome)) break;
    runs += outcome.runs / c->sim.ranks;
    steps += outcome.steps;
    if (outcome.steps > max) max = outcome.steps;
    laws[c->law] += outcome.law_applied;
  }
  free(c);
  printf("%" PRIu64 " cases, %" PRIu64 " runs of variants, %" PRIu64 " steps, at most %" PRIu64 " in a case\n", seeds,
         runs, steps, max);
  for (size_t i = 0; seeds >= SEEDS && harness_failures() == 0 && i < PROPERTY_LAWS; i++)
    check_text(laws[i] > 0, "no case for the law: %s", property_law_name(i));
}

static void levels_are_left_and_met_again(void **unused) {
  (void)unused;
  uint64_t first = number("SCREE_TEST_SEED", 1),
           seeds = getenv("SCREE_TEST_SEED") ? 1 : harness_seeds(SEEDS, SEEDS_FULL) / LEVELS_IN;
  case_verdict verdict;
  for (uint64_t seed = first; seed < first + seeds; seed++) {
    watch(seed);
    if (!check_text(property_levels(seed, &verdict), "%s; to replay: %s", verdict.text, replay)) break;
  }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(drawn_cases),
    cmocka_unit_test(levels_are_left_and_met_again),
};

int main(int argc, char **argv) {
  program = argv[0];
  return harness__main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
