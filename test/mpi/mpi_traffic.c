/* mpi_traffic.c - random programs over real ranks, without and with faults, small and large: every option of the table, every
 * kind of message, one and several workers of each rank, threads that join, one node and several. What a program does and how
 * it is judged is in test/traffic. SCREE_TEST_ROW='seed=N ...' runs one alone; SCREE_TEST_SEEDS=N changes their number.
 *
 * MPI: defaults */
#include "harness.h"
#include "joined.h"
#include "traffic_mpi.h"

static scree_status run_workers(scree_world *world, uint32_t n, scree_work_fn *fn, void *home_) {
  const home *h = home_;
  return h->p->joined ? joined_run(world, n, fn, home_) : scree_run_workers(world, n, fn, home_);
}

static bool run_row(const char *row, traffic_totals *totals) {
  static account all;
  static program p;
  const driver hooks = {.run = run_workers};
  char why[WHY] = "", words[ROW + 20];
  snprintf(words, sizeof words, "%s ranks=%d", row, harness_ranks);
  if (!check_text(traffic_draw(&p, words, why), "%s", why)) return false;
  const bool right = traffic_over_mpi(&p, &hooks, &all, why);
  if (right) add_totals(totals, &all.sum.totals);
  return check_text(right, "%s; to replay: SCREE_TEST_ROW='%s'", why, words);
}

typedef struct {
  const char *words;
  uint64_t seeds, full;
} series;

static const series all_series[] = {
    {"faults=0", 60, 1000}, {"faults=0 threads=1", 30, 1000},      {"faults=0 joined=1", 10, 200},
    {"", 40, 1000},         {"faults=0 scale=6 hands=1", 20, 400}, {"faults=0 options=0 scale=8", 2, 20}};
enum { SERIES = sizeof all_series / sizeof *all_series };

static void programs(void **state) {
  const series *s = *state;
  const char *one = getenv("SCREE_TEST_ROW");
  traffic_totals totals = {0};
  const uint64_t count = one ? 1 : harness_seeds(s->seeds, s->full);
  for (uint64_t seed = 1; seed <= count && harness_all(harness_failures() == 0); seed++) {
    char row[ROW];
    snprintf(row, ROW, "seed=%" PRIu64 " %s", seed, s->words);
    run_row(one ? one : row, &totals);
  }
  print_totals(&totals);
  if (!one) check(totals.messages > count * (uint64_t)harness_ranks);
}

int main(int argc, char **argv) {
  struct CMUnitTest tests[SERIES];
  for (size_t i = 0; i < SERIES; i++)
    tests[i] = (struct CMUnitTest){all_series[i].words, programs, NULL, NULL, (void *)(uintptr_t)&all_series[i]};
  harness_level = MPI_THREAD_MULTIPLE;
  return harness__mpi_main(argc, argv, tests, SERIES);
}
