/* sim_answers.c - published answers of real graphs, over 1 to 64 virtual ranks. */
#include <scree/scree_sim.h>

#include "harness.h"
#include "known_answers.h"
#include "known_components.h"

static void play(scree_world *world, void *all) {
  known_run(world, *(bool *)all);
  known_components_run(world, *(bool *)all);
}

static void run(uint32_t ranks, uint32_t nodes, bool unperturbed, bool all) {
  const char *missing = known_find();
  if (!missing) missing = known_components_find();
  if (missing) harness_skip(missing);
  scree_sim_config config = {.seed = 7 * ranks + nodes, .ranks = ranks, .nodes = nodes, .unperturbed = unperturbed};
  config.max_steps = UINT64_C(1) << 32;
  check_text(scree_sim_run(&config, NULL, play, &all, NULL) == SCREE_OK, "%u ranks on %u nodes", ranks, nodes);
}

static void small_graphs(void **unused) {
  (void)unused;
  const uint32_t step = harness_full() ? 8 : 56; /* 64 ranks take as long as all others together */
  for (uint32_t ranks = 1; ranks <= 64; ranks += ranks < 8 ? 1 : step) run(ranks, 1 + ranks / 3, false, false);
}

static void large_graphs(void **unused) {
  static const uint32_t ranks[] = {1, 2, 3, 4, 5, 7, 16, 64};
  (void)unused;
  for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++)
    if (harness_full() || ranks[i] == 3) run(ranks[i], (ranks[i] + 1) / 2, ranks[i] > 16, true);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(small_graphs), cmocka_unit_test(large_graphs)};
HARNESS_MAIN(tests)
