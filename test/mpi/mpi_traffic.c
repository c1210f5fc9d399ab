/* mpi_traffic.c - random programs over real ranks, also without MPI, without and with faults, small and large: every
 * option of the table, every kind of message, one and several workers of each rank, threads that join, one node and
 * several. What a program does and how it is judged is in test/traffic. Each number of ranks plays seeds of its own,
 * and fewer where ranks outnumber the cores: then a program takes long. SCREE_TEST_ROW='seed=N ...' runs one alone;
 * SCREE_TEST_SEEDS=N changes their number. */
#include "harness.h"
#include "joined.h"
#include "ranks.h"
#include "traffic_ranks.h"

static scree_status run_workers(scree_world *world, uint32_t n, scree_work_fn *fn, void *home_) {
  const home *h = home_;
  return h->p->joined ? joined_run(world, n, fn, home_) : scree_run_workers(world, n, fn, home_);
}

/* Without a route nothing is passed on, unless ranks forward messages to their workers. */
static void check_passed(home *h) {
  const scree_options *o = scree_options_of(h->world);
  scree_stats s = {.size = sizeof s};
  scree_stats_read(h->world, &s);
  const bool forwards = o->aggregate == SCREE_AGGREGATE_RANK && o->threads + (o->progress == SCREE_PROGRESS_FULL) > 1;
  if (!forwards && (o->route == SCREE_ROUTE_DIRECT || harness_ranks < 3)) check_equal(s.passed, 0);
}

static bool run_row(const char *row, traffic_totals *totals) {
  static account all;
  static program p;
  const driver hooks = {.run = run_workers, .ended = check_passed};
  char why[WHY] = "", words[ROW + 40];
  snprintf(words, sizeof words, "%s ranks=%d%s", row, harness_ranks, ranks_are_local ? " mpi=0" : "");
  if (!check_text(traffic_draw(&p, words, why), "%s", why)) return false;
  const bool right = traffic_over_ranks(&p, &hooks, &all, why);
  if (right) add_totals(totals, &all.sum.totals);
  return check_text(right, "%s; to replay: SCREE_TEST_ROW='%s'", why, words);
}

typedef struct {
  const char *words;
  uint64_t seeds, full;
} series;

static const series all_series[] = {{"faults=0", 60, 1000},
                                    {"faults=0 threads=1", 30, 1000},
                                    {"faults=0 joined=1 threads=3", 10, 200},
                                    {"", 40, 1000},
                                    {"faults=0 scale=6 hands=1", 20, 400},
                                    {"faults=0 text=5 hands=0 postpones=0", 10, 200},
                                    {"faults=0 tasks=1 loops=1 types=6", 20, 200},
                                    {"tasks=1 objects=1 types=3 depth=2", 20, 200},
                                    {"faults=0 tasks=1 global=1 bytes=1 types=4", 20, 200}};
enum { SERIES = sizeof all_series / sizeof *all_series };

static void programs(void **state) {
  const series *s = *state;
  const char *one = getenv("SCREE_TEST_ROW");
  traffic_totals totals = {0};
  const uint64_t usual = s->seeds / (harness_ranks < 3 ? 1 : harness_ranks < 5 ? 2 : 4);
  const uint64_t count = one ? 1 : harness_seeds(usual, s->full);
  for (uint64_t i = 1; i <= count && harness_all(harness_failures() == 0); i++) {
    char row[ROW];
    snprintf(row, ROW, "seed=%" PRIu64 " %s", 100000 * (uint64_t)harness_ranks + i, s->words);
    run_row(one ? one : row, &totals);
  }
  print_totals(&totals);
  if (one || count < usual) return;
  check(totals.messages > count * (uint64_t)harness_ranks);
  check(totals.iterations > 0 || !strstr(s->words, "loops"));
  check(totals.objects > 0 || !strstr(s->words, "objects"));
  check(totals.operations > 0 || !strstr(s->words, "bytes"));
  if (s != all_series) return;
  check(totals.overflows > 0 && totals.records > 0 && totals.shared > 0 && totals.combined > 0 && totals.filtered > 0 &&
        totals.by_progress > 0 && totals.polled > 0 && totals.holds > 0 && totals.urgent > 0 && totals.tasks > 0);
  check(harness_ranks < 4 || (totals.passed > 0 && totals.stalls > 0));
}

int main(int argc, char **argv) {
  for (size_t i = 0; i < SERIES; i++)
    harness_add((struct CMUnitTest){all_series[i].words, programs, NULL, NULL, (void *)(uintptr_t)&all_series[i]});
  harness_level = MPI_THREAD_MULTIPLE;
  return harness__mpi_main(argc, argv);
}
