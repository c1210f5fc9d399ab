/* sim_weak.c - the core over a simulated memory of C11 (test/weak): random programs, and epochs in which workers read plain words
 * of each other. Atomic loads may return older values, and plain accesses that nothing orders are findings.
 *
 * SCREE_TEST_ROW='seed=N ...' plays that program alone, SCREE_TEST_SEEDS=N changes their number. */
#include <malloc.h>

#include "harness.h"
#include "traffic.h"
#include "weak.h"

enum { SEEDS = 12, SEEDS_FULL = 400, RANKS = 3, THREADS = 2, EPOCHS = 3 };

static void print_counts(void) {
  printf("%" PRIu64 " runs, %" PRIu64 " loads of which %" PRIu64 " stale, %" PRIu64 " stores, %" PRIu64
         " updates, %" PRIu64 " failed on a stale value, %" PRIu64 " plain accesses\n",
         weak_total.runs, weak_total.loads, weak_total.stale, weak_total.stores, weak_total.updates, weak_total.failed,
         weak_total.plain);
}

/* What the program counts is not looked at: all virtual ranks count on one account. */
static bool play(const char *row, traffic_totals *totals, char *why) {
  uint64_t steps = 0;
  simulated *s = traffic_prepare(row, false, why);
  if (!s) return false;
  weak_ignore(s, malloc_usable_size(s));
  weak_ignore(totals, sizeof *totals);
  const scree_status status = scree_sim_run(&s->config, &s->p.drawn.user, traffic_virtual_rank, s, &steps);
  if (!traffic_judge(s, status, steps, totals, why)) return false;
  return !weak_finding();
}

static void programs(void **words) {
  const char *one = getenv("SCREE_TEST_ROW");
  const uint64_t count = one ? 1 : harness_seeds(SEEDS, SEEDS_FULL);
  static traffic_totals totals;
  scree__order = &weak_order;
  for (uint64_t seed = 1; seed <= count && harness_failures() == 0; seed++) {
    char why[WHY] = "", row[ROW];
    snprintf(row, ROW, "seed=%" PRIu64 " ranks=%d tasks=0 %s", seed, 1 + (int)(seed % 5), (const char *)*words);
    const bool good = play(one ? one : row, &totals, why);
    check_text(good, "%s; to replay: SCREE_TEST_ROW='%s'", weak_finding() ? weak_finding() : why, one ? one : row);
  }
  scree__order = NULL;
  print_totals(&totals);
  print_counts();
}

/* ---- plain words ---- */

SCREE_MESSAGE(ping, uint64_t);

typedef struct {
  ping_type ping[RANKS];
  uint64_t begun[RANKS][THREADS][EPOCHS];   /* by the worker, before it begins */
  uint64_t handled[RANKS][THREADS][EPOCHS]; /* by its handlers */
} words;

/* All workers of this rank have begun, in an epoch that each of them begins. */
static void on_ping(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  words *s = arg;
  for (uint32_t i = 0; i < batch->count; i++) {
    for (uint32_t t = 0; t < THREADS; t++) check_equal(s->begun[w->rank][t][items[i]], items[i] + 1);
    s->handled[w->rank][w->index][items[i]]++;
  }
}
SCREE_HANDLER(ping, uint64_t, on_ping);

/* In the first epoch all send, in the second one worker, in the third nobody. */
static void work(scree_worker *w, void *arg) {
  words *s = arg;
  static const uint64_t sent_to_each[EPOCHS] = {RANKS * THREADS, 1, 0};
  for (uint64_t e = 0; e < EPOCHS; e++) {
    uint64_t sum = 0;
    s->begun[w->rank][w->index][e] = e + 1;
    scree_begin(w);
    if (e == 0 || (e == 1 && w->index == 1 && w->rank == 0)) ping_send_all(w, s->ping[w->rank], e);
    check_equal(scree_end(w, NULL), SCREE_OK);
    for (uint32_t r = 0; r < RANKS; r++)
      for (uint32_t t = 0; t < THREADS; t++) sum += s->handled[r][t][e] + 1000 * (s->begun[r][t][e] - e);
    check_equal(sum, 1000 * RANKS * THREADS + RANKS * sent_to_each[e]);
  }
}

static void rank(scree_world *world, void *arg) {
  words *s = arg;
  ping_register(world, s, &s->ping[scree_worker_of(world, 0)->rank]);
  check_equal(scree_run_workers(world, THREADS, work, s), SCREE_OK);
}

HARNESS_TEST(plain_words) {
  const uint64_t count = harness_seeds(10 * SEEDS, 10 * SEEDS_FULL);
  scree_options options = SCREE_OPTIONS_INIT;
  options.memory = 1 << 20;
  scree__order = &weak_order;
  for (uint64_t seed = 1; seed <= count && harness_failures() == 0; seed++) {
    words s = {.ping = {{0}}};
    const scree_sim_config config = {.seed = seed, .ranks = RANKS, .nodes = 1 + seed % 2, .threads = THREADS};
    check_equal(scree_sim_run(&config, &options, rank, &s, NULL), SCREE_OK);
    check_text(!weak_finding(), "seed %" PRIu64 ": %s", seed, weak_finding());
  }
  scree__order = NULL;
  print_counts();
}

#define PROGRAMS(words)                                                                                                \
  { words, programs, NULL, NULL, (void *)(uintptr_t)(words) }
static const struct CMUnitTest tests[] = {
    cmocka_unit_test(plain_words),
    PROGRAMS("faults=0"),
    PROGRAMS(""),
};
HARNESS_MAIN(tests)
