/* sim_irregular.c - the kernels on tasks and global memory in the simulator, seed by seed, under drawn options of
 * kernel and world; and in runs that fail after a drawn number of steps. */
#include <scree/scree_sim.h>

#include "base/options.h"
#include "base/random.h"
#include "harness.h"
#include "irregular_case.h"

enum { SEEDS = 12, SEEDS_FULL = 500, RANKS = 9 };

static void play(scree_world *world, void *arg) {
  irregular_play(world, arg);
}

static uint64_t draw(uint64_t *random, uint64_t n) {
  return scree__draw(random) % n;
}

/* A run: its status. */
static scree_status simulate(irregular_try *t, uint64_t seed) {
  uint64_t random = seed;
  scree__options o = SCREE__OPTIONS_INIT;
  const uint32_t ranks = 1 + (uint32_t)draw(&random, RANKS);
  o.coalesce_bytes = draw(&random, 2) ? SCREE_UNSET : 1 + draw(&random, 300);
  o.batch_max = draw(&random, 2) ? SCREE_UNSET : 1 + draw(&random, 8);
  o.test_pool_blocks = draw(&random, 3) ? SCREE_UNSET : 2;
  o.route = draw(&random, 2) ? SCREE_UNSET : draw(&random, 6);
  o.combine = draw(&random, 2) ? SCREE_UNSET : draw(&random, 3);
  o.threads = draw(&random, 3) ? 1 : 2 + draw(&random, 2);
  const scree_sim_config config = {.seed = seed,
                                   .ranks = ranks,
                                   .nodes = 1 + (uint32_t)draw(&random, ranks),
                                   .quiet = t->may_fail,
                                   .max_steps = t->may_fail ? 200 + draw(&random, 1 << (8 + draw(&random, 8)))
                                                            : UINT64_C(1) << 32};
  t->draw = seed;
  return scree_sim_run(&config, &o.user, play, t, NULL);
}

static void play_all(uint64_t usual, uint64_t full, bool may_fail, uint64_t *runs, uint64_t *failed) {
  for (const irregular_case *row = irregular_cases; row->kernel; row++)
    for (uint64_t seed = 1; seed <= harness_seeds(usual, full) && harness_failures() == 0; seed++) {
      irregular_try t = {.row = row, .may_fail = may_fail};
      const scree_status status = simulate(&t, seed);
      check_text(status == SCREE_OK || (may_fail && status == SCREE_EPEER), "%s, seed %" PRIu64 ": %d", row->kernel,
                 seed, status);
      *runs += t.runs, *failed += t.failed;
    }
}

HARNESS_TEST(each_is_valid) {
  uint64_t runs = 0, failed = 0;
  play_all(SEEDS, SEEDS_FULL, false, &runs, &failed);
  check(runs > SEEDS / 8 && failed == 0);
}

HARNESS_TEST(failures) {
  uint64_t runs = 0, failed = 0;
  play_all(SEEDS, SEEDS_FULL, true, &runs, &failed);
  check(failed > 0);
}

HARNESS_TEST(refusals) {
  for (const irregular_case *row = irregular_refusals; row->kernel; row++) {
    irregular_try t = {.row = row};
    check_equal(simulate(&t, 1), SCREE_OK);
  }
}

HARNESS_MAIN
