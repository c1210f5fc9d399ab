/* unit_tsan_epochs.c - random programs on ranks that are threads of this process: counters, detector, inbox, pools and
 * teams of the real core, at once.
 *
 * The simulator runs one thread at a time and cannot show a wrong memory order; the thread sanitizer can. All counts
 * are plain words of the worker that writes them. SCREE_TEST_ROW='seed=N ...' runs one program alone. */
#include "core/world.h"
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

static const driver threads_as_ranks = {.left = left, .run = run_workers, .at_once = true, .one_process = true};

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
    snprintf(row, ROW, "seed=%" PRIu64 " epochs=8 mpi=0 hands=0 global=0 pin=off detector=node %s", seed,
             (const char *)*words);
    run_row(&s, one ? one : row);
  }
}

/* ---- the text of a failure ---- */

/* A thread without a worker: it may read the text of a failure at any time, and finds none or all of it. Until the
 * first worker has an owner, any thread counts as that. */
typedef struct {
  scree_world *world;
  AO_t over;       /* 1: the world closes */
  char first[320]; /* text that it has found */
  bool changed;
} reader;

static void *read_text(void *reader_) {
  reader *r = reader_;
  while (!AO_load(&r->over)) {
    const char *text = AO_load(&r->world->worker[0]->owner.thread) ? scree_error_text(r->world) : "";
    if (*text && !*r->first) snprintf(r->first, sizeof r->first, "%s", text);
    r->changed |= strcmp(text, r->first) != 0;
    sched_yield();
  }
  return NULL;
}

/* One worker fails when the others may be waiting for the end: some of them learn of it by the end alone. */
static void fail_last(scree_worker *w, void *unused) {
  (void)unused;
  scree_begin(w);
  for (int i = 0; i < 20 && w->rank == 1 && w->index == 2; i++) scree_progress(w);
  if (w->rank == 1 && w->index == 2) scree_fail(w, SCREE_EMPI, "the last one");
  check_equal(scree_end(w, NULL), SCREE_EMPI);
}

static void fail_and_read(void *node, uint32_t rank) {
  pthread_t thread;
  scree_world *world = threads_world(node, rank);
  reader r = {.world = world};
  if (!check(world != NULL) || !check_equal(pthread_create(&thread, NULL, read_text, &r), 0)) return;
  check_equal(scree_run_workers(world, 3, fail_last, NULL), SCREE_EMPI);
  AO_store(&r.over, 1);
  pthread_join(thread, NULL);
  check_text(!r.changed, "'%s' has changed", r.first);
  check_equal(scree_close(world), SCREE_EMPI);
}

static void read_by_another(void **unused) {
  static threads_node node;
  (void)unused;
  scree_options options = SCREE_OPTIONS_INIT;
  options.threads = 3;
  for (int i = 0; i < SEEDS && harness_failures() == 0; i++) {
    if (!check(threads_open(&node, 2, &options))) return;
    threads_run(2, fail_and_read, &node);
    threads_close(&node);
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
    TEST("faults=0 ranks=2 threads=4 tasks=1 loops=1 types=6 progress=none"),
    TEST("faults=0 ranks=2 threads=4 tasks=1 objects=1 types=3 depth=2 progress=none"),
    TEST("faults=0 ranks=2 threads=4 tasks=1 global=1 bytes=1 types=4 epochs=2 roots=4 progress=none"),
    cmocka_unit_test(read_by_another),
};
HARNESS_MAIN_OF(tests)
