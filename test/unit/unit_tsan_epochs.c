/* unit_tsan_epochs.c - random programs on ranks that are threads of this process: counters, detector, inbox, pools and teams of
 * the real core, at once.
 *
 * The simulator runs one thread at a time and cannot show a wrong memory order; the thread sanitizer can. All counts are plain
 * words of the worker that writes them. SCREE_TEST_ROW='seed=N ...' runs one program alone. */
#include "harness.h"
#include "joined.h"
#include "threads_transport.h"
#include "traffic.h"

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { SEEDS = 8 };
#else
enum { SEEDS = 50 };
#endif

typedef struct {
  threads_node node;
  program p;
  uint32_t endpoints; /* of a rank: one more than its workers with a progress thread */
  account accounts[THREADS_MAX];
  home home[THREADS_MAX]; /* by rank */
} stage;

/* What was counted in the epoch is read by all who leave it, when others may be in the next one already. */
static void left(player *me) {
  const stage *s = me->home->stage;
  uint64_t sent = 0, handled = 0;
  for (uint32_t i = 0; i < s->p.ranks * s->endpoints; i++) {
    sent += s->accounts[i].sum.epoch[me->epoch].sent;
    handled += s->accounts[i].sum.epoch[me->epoch].handled;
  }
  check_equal(handled, sent);
}

static scree_status run_workers(scree_world *world, uint32_t n, scree_work_fn *fn, void *home_) {
  const home *h = home_;
  return h->p->joined ? joined_run(world, n, fn, home_) : scree_run_workers(world, n, fn, home_);
}

static const driver threads_as_ranks = {.left = left, .run = run_workers, .at_once = true};

static void play(void *context, uint32_t rank) {
  stage *s = context;
  home *h = &s->home[rank];
  memset(h, 0, offsetof(home, player));
  h->p = &s->p, h->driver = &threads_as_ranks, h->stage = s;
  scree_world *world = threads_world(&s->node, rank);
  if (!check(world != NULL)) return;
  traffic_play(h, world, &s->accounts[rank * s->endpoints], 1);
  const scree_status status = scree_error(world);
  check_equal(scree_close(world), status);
}

static bool run_row(stage *s, const char *row) {
  static account all;
  char why[WHY] = "";
  memset(s->accounts, 0, sizeof s->accounts);
  memset(&all, 0, sizeof all);
  if (!check_text(traffic_draw(&s->p, row, why), "%s", why)) return false;
  s->endpoints = scree__options_endpoints(&s->p.drawn);
  if (!check_text(threads_open(&s->node, s->p.ranks, &s->p.drawn.user), "%s: it does not open", row)) return false;
  threads_run(s->p.ranks, play, s);
  threads_close(&s->node);
  for (uint32_t i = 0; i < s->p.ranks * s->endpoints; i++) fold(&all, &s->accounts[i]);
  for (uint32_t r = 0; r < s->p.ranks; r++)
    for (uint32_t i = 0; i < s->endpoints; i++) check_string(s->home[r].player[i].why, "");
  return check_text(judge(&s->p, &all, why), "%s; to replay: SCREE_TEST_ROW='%s'", why, row);
}

static void programs(void **words) {
  static stage s;
  const char *one = getenv("SCREE_TEST_ROW");
  char row[ROW];
  for (uint64_t seed = 1; seed <= (one ? 1 : SEEDS) && harness_failures() == 0; seed++) {
    snprintf(row, ROW, "seed=%" PRIu64 " epochs=8 mpi=0 hands=0 pin=off detector=node %s", seed, (const char *)*words);
    run_row(&s, one ? one : row);
  }
}

#define ONE_BLOCK "memory=4096 test-pool-blocks=1 coalesce-bytes=8 batch-max=3"
#define TEST(words)                                                                                                    \
  { words, programs, NULL, NULL, (void *)(uintptr_t)(words) }
static const struct CMUnitTest tests[] = {
    TEST("faults=0 ranks=4 threads=1 progress=none"),
    TEST("faults=0 ranks=4 threads=1 progress=none options=0 " ONE_BLOCK),
    TEST("faults=0 ranks=2 threads=2"),
    TEST("faults=0 ranks=1 threads=4 joined=1"),
    TEST("faults=0 ranks=2 threads=3 joined=1 options=0 " ONE_BLOCK),
    TEST("faults=0 ranks=2 threads=3 progress=full options=0 " ONE_BLOCK),
    TEST("faults=0 ranks=2 threads=3 progress=full"),
    TEST("faults=0 ranks=4 threads=2 route=rook aggregate=rank progress=none"),
    TEST("faults=0 ranks=4 threads=1 route=ring options=0 " ONE_BLOCK),
    TEST("faults=2 ranks=2 threads=3 joined=1"),
};
HARNESS_MAIN(tests)
