/* unit_pin.c - the cores that ranks with several workers take. Needs no cores: those that threads are bound to are
 * tested in mpi_workers. */
#include "harness.h"
#include "thread/thread.h"

enum { CORES = 20, RANKS = 6, THREADS = 5 };

/* uses[c]: threads on core c, those that are not bound counted or not. */
static void place(uint32_t *uses, uint32_t ranks, uint32_t threads, uint32_t cores, uint32_t from) {
  memset(uses, 0, CORES * sizeof *uses);
  for (uint32_t r = 0; r < ranks; r++)
    for (uint32_t i = from; i < threads; i++) {
      const uint32_t core = scree__pin_core((scree__core_share){r, ranks}, threads, cores, i);
      if (check(core < cores)) uses[core]++;
    }
}

/* On different cores where there are enough, else as many on each as on any other, or one more. */
HARNESS_TEST(spread_over_all) {
  uint32_t uses[CORES];
  for (uint32_t ranks = 1; ranks <= RANKS; ranks++)
    for (uint32_t threads = 2; threads <= THREADS; threads++)
      for (uint32_t cores = 1; cores <= CORES; cores++) {
        const bool enough = ranks * threads <= cores;
        uint32_t min = UINT32_MAX, max = 0;
        place(uses, ranks, threads, cores, enough ? 0 : 1);
        for (uint32_t c = 0; c < cores; c++) {
          if (uses[c] < min) min = uses[c];
          if (uses[c] > max) max = uses[c];
        }
        check_text(max <= (enough ? 1 : min + 1), "%u ranks of %u threads on %u cores: %u to %u", ranks, threads, cores,
                   min, max);
      }
}

/* Threads of a rank are neighbours, and ranks come in their order. */
HARNESS_TEST(ranges_of_ranks) {
  for (uint32_t r = 0; r < 4; r++)
    for (uint32_t i = 0; i < 3; i++) {
      check_equal(scree__pin_core((scree__core_share){r, 4}, 3, 12, i), 3 * r + i);
      check_equal(scree__pin_core((scree__core_share){r, 4}, 3, 64, i), 16 * r + i);
    }
  for (uint32_t i = 0; i < 3; i++) check_equal(scree__pin_core((scree__core_share){0, 0}, 3, 4, i), i);
}

HARNESS_MAIN
