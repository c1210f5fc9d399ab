/* sim_trace_clocks.c - traces of ranks whose clocks disagree: the clocks in a file are compared. */
#include "harness.h"
#include "observe/trace.h"
#include "traced_run.h"

enum { CLOCKS = 3, TICKS = 100 }; /* ranks; epochs */
enum { JUMP = 10000000, MEASURING = 1000, DRIFT = 10000 };

SCREE_MESSAGE(tick, uint64_t);
static void on_tick(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {}
SCREE_HANDLER(tick, uint64_t, on_tick);

static uint64_t jumped; /* ns, of the time of all ranks */

/* A scheduler whose clock is wrong. */
typedef struct {
  scree__scheduler base; /* must be first */
  scree__scheduler *inner;
  scree__scheduler_ops ops;
  uint64_t rank;
} wrong_clock;

static uint64_t ahead(uint64_t rank, uint64_t at) {
  return rank * (UINT64_C(1000000000000) + at / DRIFT);
}

static uint64_t wrong_now(scree__scheduler *s) {
  wrong_clock *c = (wrong_clock *)s;
  uint64_t at = c->inner->ops->now(c->inner) + jumped;
  return at + ahead(c->rank, at);
}
static void wrong_backoff(scree__scheduler *s, uint32_t polls) {
  wrong_clock *c = (wrong_clock *)s;
  c->inner->ops->backoff(c->inner, polls);
}

/* Rank 0 lets time pass. */
static void tick_often(scree_world *world, void *unused) {
  scree_worker *w = scree_worker_of(world, 0);
  tick_type tick;
  check_equal(tick_register(world, NULL, &tick), SCREE_OK);
  for (int i = 0; i < TICKS; i++) {
    if (i && world->rank == 0) jumped += JUMP;
    check_equal(scree_begin(w), SCREE_OK);
    tick_send_all(w, tick, 1);
    check_equal(scree_end(w, NULL), SCREE_OK);
  }
}

static void with_wrong_clocks(scree_world *world, void *file) {
  traced s = {.fn = tick_often, .ends = true, .file = file};
  scree__transport *t = world->worker[0]->transport;
  wrong_clock clock = {.inner = t->scheduler, .rank = world->rank};
  scree__scheduler *right = t->scheduler;
  clock.ops = (scree__scheduler_ops){.backoff = wrong_backoff, .now = wrong_now};
  clock.base.ops = &clock.ops;
  t->scheduler = &clock.base;
  traced_play(world, &s);
  t->scheduler = right;
}

/* The clocks in the file are right within their own bounds; corrected by them, epochs are in order. */
static void compare_clocks(uint64_t seed) {
  const scree_sim_config config = {.seed = seed, .ranks = CLOCKS, .nodes = CLOCKS, .threads = 1, .unperturbed = true};
  scree_options options = SCREE_OPTIONS_INIT;
  uint64_t steps, worst = 0;
  char *text = NULL;
  size_t size;
  FILE *file = open_memstream(&text, &size);
  assert_non_null(file);
  options.trace_events = 5000;
  jumped = 0;
  check_equal(scree_sim_run(&config, &options, with_wrong_clocks, file, &steps), SCREE_OK);
  fclose(file);
  timeline *t = timeline_read(text, CLOCKS, 1);
  for (uint32_t r = 0; r < CLOCKS; r++) {
    const track *of = &t->of[r][0];
    int64_t wrong = of->offset - (int64_t)ahead(r, steps * 1000 + jumped), error = (int64_t)of->error + MEASURING;
    check_text(wrong <= error && -wrong <= error, "rank %u: offset %" PRId64 ", wrong by %" PRId64 ", error %" PRIu64,
               r, of->offset, wrong, of->error);
    check_equal(of->found.epochs, TICKS);
    if (of->error > worst) worst = of->error;
  }
  timeline_judge_epochs(t, 2 * (int64_t)worst + MEASURING);
  check_text(2 * worst < TICKS * (JUMP / DRIFT), "the clocks drift by less than the errors, %" PRIu64 " ns", worst);
  timeline_free(t);
  free(text);
}

HARNESS_TEST(clocks_are_compared) {
  for (uint64_t seed = 1; seed <= 4; seed++) compare_clocks(seed);
}

HARNESS_MAIN
