/* sim_poll_rules.c - the rules of poll functions, one test for each: what may cause their work, failed worlds, where
 * they are called and where not, how much private memory they take, how the report shows them. What is legal inside one
 * is a column of calls.h, which sim_misuse.c plays.
 *
 * Not on a simulated MPI: a worker whose poll function holds work until another rank acts calls nothing there by which
 * the token moves. */
#include <scree/scree_sim.h>

#include "base/options.h"
#include "base/random.h"
#include "capture.h"
#include "core/fail.h"
#include "harness.h"

enum { SEEDS = 20, MANY = 20000, EACH = 16 };

SCREE_MESSAGE(ping, uint64_t);
SCREE_MESSAGE(share, uint64_t);

typedef struct actor actor;

/* One virtual rank of two. */
struct actor {
  bool acted;
  scree_world *world;
  scree_worker *w;
  ping_type ping;
  uint64_t calls, later_calls, handled, left, pieces;
  bool holds, in_send;
};

static void on_ping(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  actor *a = arg;
  for (uint32_t i = 0; i < batch->count; i++) a->left += items[i];
  a->handled += batch->count;
}
SCREE_HANDLER(ping, uint64_t, on_ping);

static void open_actor(actor *a, scree_world *world) {
  a->world = world;
  a->w = scree_worker_of(world, 0);
  check_equal(ping_register(world, a, &a->ping), SCREE_OK);
}

static bool is_idle(const actor *a) {
  return scree__worker_of(a->w)->end.contributed;
}

static scree_status run_seed(uint64_t seed, const scree_options *options, scree_sim_fn *play, void *arg) {
  scree_sim_config config = {.seed = seed, .ranks = 2, .nodes = 1 + seed % 2, .quiet = true};
  return scree_sim_run(&config, options, play, arg, NULL);
}

/* ---- causes: a handler, and a hold that it releases ---- */

/* Answers what handlers leave; that of rank 1 is woken in the end by what it waits for under a hold. */
static bool answer(scree_worker *w, void *arg) {
  actor *a = arg;
  a->calls++;
  if (a->holds && is_idle(a) && ++a->pieces == 20) {
    a->holds = false;
    scree_release(w, 1);
    ping_send(w, a->ping, 0, 0);
  }
  if (a->left == 0) return false;
  ping_send(w, a->ping, 1 - w->rank, --a->left);
  a->left = 0;
  return false;
}

static void play_causes(scree_world *world, void *unused) {
  actor a = {0};
  open_actor(&a, world);
  check_equal(scree_on_idle(world, answer, &a), SCREE_OK);
  check_equal(scree_begin(a.w), SCREE_OK);
  if (a.w->rank == 1) {
    a.holds = true;
    scree_hold(a.w, 1);
    ping_send(a.w, a.ping, 0, 10); /* goes to and fro until it is 0 */
  }
  check_equal(scree_end(a.w, NULL), SCREE_OK);
  check_equal(a.handled, a.w->rank == 0 ? 7 : 5);
  check(!a.holds);
}

HARNESS_TEST(causes) {
  scree_options options = SCREE_OPTIONS_INIT;
  options.checked = 1;
  for (uint64_t seed = 1; seed <= 200; seed++) check_equal(run_seed(seed, &options, play_causes, NULL), SCREE_OK);
}

/* ---- failed worlds ---- */

static bool fail_or_hold(scree_worker *w, void *arg) {
  actor *a = arg;
  check_equal(scree_error(a->world), SCREE_OK);
  if (w->rank == 1 && ++a->calls == 3) scree_fail(w, SCREE_EINVAL, "the third call");
  return true;
}
static bool count_later(scree_worker *w, void *arg) {
  ((actor *)arg)->later_calls++;
  return false;
}

static void play_failed(scree_world *world, void *unused) {
  actor a = {0};
  open_actor(&a, world);
  check_equal(scree_on_idle(world, fail_or_hold, &a), SCREE_OK);
  check_equal(scree_on_idle(world, count_later, &a), SCREE_OK);
  scree_begin(a.w);
  check_equal(scree_end(a.w, NULL), SCREE_EINVAL);
  check(!scree__is_abandoned(AO_load(&world->agreed))); /* all sends were known to arrive */
  if (a.w->rank == 1) check_equal(a.calls, 3);
  if (a.w->rank == 1) check_equal(a.later_calls, 2); /* the second one is not called in the step that failed */
  check_equal(scree_on_idle(world, count_later, &a), SCREE_EINVAL);
}

HARNESS_TEST(not_in_failed_worlds) {
  for (uint64_t seed = 1; seed <= SEEDS; seed++) check_equal(run_seed(seed, NULL, play_failed, NULL), SCREE_EINVAL);
}

/* ---- where they are called ---- */

static bool not_in_a_send(scree_worker *w, void *arg) {
  actor *a = arg;
  check(!a->in_send);
  a->calls++;
  return false;
}

static void play_sends(scree_world *world, void *unused) {
  actor a = {0};
  scree_stats stats = {.size = sizeof stats};
  open_actor(&a, world);
  check_equal(scree_on_idle(world, not_in_a_send, &a), SCREE_OK);
  scree_begin(a.w);
  a.in_send = true;
  for (int i = 0; i < 3000; i++) ping_send(a.w, a.ping, 1 - a.w->rank, 0);
  a.in_send = false;
  check_equal(a.calls, 0);
  check_equal(scree_end(a.w, NULL), SCREE_OK);
  check_equal(a.handled, 3000);
  check(a.calls > 0);
  scree_stats_read(world, &stats);
  check(stats.waits > 0);
}

HARNESS_TEST(not_in_sends) {
  scree__options options = SCREE__OPTIONS_INIT;
  options.test_pool_blocks = options.in_flight = 1;
  options.coalesce_bytes = 64;
  check_equal(run_seed(1, &options.user, play_sends, NULL), SCREE_OK);
}

/* In scree_close what they work on may be gone. Order: each in turn, by registration. */
static bool first(scree_worker *w, void *arg) {
  actor *a = arg;
  check_equal(a->calls++, a->later_calls);
  return false;
}

static void play_order(scree_world *world, void *arg) {
  actor *a = &((actor *)arg)[scree_worker_of(world, 0)->rank];
  *a = (actor){0};
  open_actor(a, world);
  check_equal(scree_on_idle(world, NULL, a), SCREE_EINVAL);
  check_contains(scree_error_text(world), "scree_on_idle: no function");
  check_equal(scree_on_idle(world, first, a), SCREE_OK);
  for (int i = 1; i < SCREE_POLLS_MAX; i++)
    check_equal(scree_on_idle(world, i == 1 ? count_later : not_in_a_send, i == 1 ? a : a + 2), SCREE_OK);
  check_equal(scree_on_idle(world, first, a), SCREE_EINVAL);
  check_contains(scree_error_text(world), "at most 8 poll functions");
  scree_begin(a->w);
  check_equal(scree_end(a->w, NULL), SCREE_OK);
  check(a->calls > 0);
  check_equal(a->calls, a->later_calls);
  a->handled = a->calls;
}

HARNESS_TEST(in_order_and_not_at_the_close) {
  actor actors[4] = {{0}};
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    check_equal(run_seed(seed, NULL, play_order, actors), SCREE_OK);
    for (int r = 0; r < 2; r++) check_equal(actors[r].calls, actors[r].handled);
  }
}

/* ---- a list of a rank, which all of its workers drain ---- */

enum { RANKS = 4, WORKERS = 3, LISTED = 2000 };

typedef struct {
  bool holds;
  share_type type;
  uint64_t random, sent, handled, listed[RANKS][LISTED];
  uint32_t count[RANKS];
} shared;

static void on_share(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  shared *s = arg;
  s->handled += batch->count;
  for (uint32_t i = 0; i < batch->count; i++) {
    if (items[i] == 0 || s->count[w->rank] == LISTED) continue;
    if (s->holds) scree_hold(w, 1);
    s->listed[w->rank][s->count[w->rank]++] = items[i] - 1;
  }
}
SCREE_HANDLER(share, uint64_t, on_share);

static void send_shares(scree_worker *w, shared *s, uint64_t depth) {
  for (int i = 0; i < 2; i++, s->sent++) share_send(w, s->type, (uint32_t)(scree__draw(&s->random) % w->ranks), depth);
}

/* The worker that takes the work releases it. */
static bool drain(scree_worker *w, void *arg) {
  shared *s = arg;
  if (s->count[w->rank] == 0) return false;
  const uint64_t depth = s->listed[w->rank][--s->count[w->rank]];
  if (s->holds) scree_release(w, 1);
  send_shares(w, s, depth);
  return s->count[w->rank] > 0;
}

static void share(scree_worker *w, void *arg) {
  shared *s = arg;
  if (scree_begin(w)) return;
  send_shares(w, s, 4);
  if (scree_end(w, NULL)) return;
  check_equal(s->handled, s->sent);
  check_equal(s->count[w->rank], 0);
}

static void play_shared(scree_world *world, void *arg) {
  shared *s = arg;
  check_equal(share_register(world, s, &s->type), SCREE_OK);
  check_equal(scree_on_idle(world, drain, s), SCREE_OK);
  scree_run_workers(world, WORKERS, share, s);
}

/* With holds all of it is done. Without them the epoch could end while a worker that was idle has taken work: a checked
 * world reports that. */
HARNESS_TEST(shared_lists) {
  static shared s;
  uint32_t caught = 0;
  for (uint64_t seed = 1; seed <= 100; seed++)
    for (int holds = 0; holds < 2; holds++) {
      const scree_sim_config config = {
          .seed = seed, .ranks = 1 + (uint32_t)seed % RANKS, .nodes = 1, .threads = WORKERS, .quiet = true};
      scree__options options = SCREE__OPTIONS_INIT;
      options.checked = SCREE_CHECKED_ON;
      options.test_pool_blocks = options.in_flight = 2;
      options.batch_max = 1 + seed % 4;
      s = (shared){.holds = holds, .random = seed};
      const scree_status status = scree_sim_run(&config, &options.user, play_shared, &s, NULL);
      check(status == SCREE_OK || (!holds && status == SCREE_ESTATE));
      caught += status == SCREE_ESTATE;
    }
  printf("%u of 100 caught\n", caught);
  check(caught > 20);
}

/* ---- private memory ---- */

static bool flood(scree_worker *w, void *arg) {
  actor *a = arg;
  for (int i = 0; i < EACH && a->pieces > 0; i++, a->pieces--) ping_send(w, a->ping, 1, 0);
  return a->pieces > 0;
}

static void play_flood(scree_world *world, void *arg) {
  actor a = {.pieces = scree_worker_of(world, 0)->rank == 0 ? MANY : 0};
  const uint64_t *peak = arg;
  scree_stats stats = {.size = sizeof stats};
  open_actor(&a, world);
  check_equal(scree_on_idle(world, flood, &a), SCREE_OK);
  scree_begin(a.w);
  check_equal(scree_end(a.w, NULL), SCREE_OK);
  check_equal(a.handled, a.w->rank == 1 ? MANY : 0);
  scree_stats_read(world, &stats);
  if (a.w->rank == 0) check_text(stats.overflow_peak <= *peak, "overflow of %" PRIu64 " bytes", stats.overflow_peak);
  if (a.w->rank == 0) check(stats.overflow_peak > 0);
}

/* As long as a quarter of the memory waits they are not called, so the peak is that, what one call sends, and a
 * block. */
HARNESS_TEST(private_memory_is_bounded) {
  scree__options options = SCREE__OPTIONS_INIT;
  options.test_pool_blocks = options.in_flight = options.batch_max = 1;
  options.memory = 65536;
  uint64_t peak = options.memory / 4 + 2 * 1024;
  for (uint64_t seed = 1; seed <= 4; seed++) check_equal(run_seed(seed, &options.user, play_flood, &peak), SCREE_OK);
}

/* ---- reports ---- */

static void note_hang(scree_world *world, scree_status status, void *arg) {
  check_equal(status, SCREE_EPEER);
  *(bool *)arg = true;
}

static bool hold_until_hung(scree_worker *w, void *arg) {
  actor *a = arg;
  if (a->calls++ == 0) scree_report_print(scree_world_of(w), stderr);
  return a->holds = !a->acted && w->rank == 1;
}

static void play_hang(scree_world *world, void *unused) {
  actor a = {0};
  open_actor(&a, world);
  scree_hang_hook(world, note_hang, &a.acted);
  check_equal(scree_on_idle(world, hold_until_hung, &a), SCREE_OK);
  scree_begin(a.w);
  check_equal(scree_end(a.w, NULL), SCREE_OK);
}

HARNESS_TEST(reports) {
  scree_options options = SCREE_OPTIONS_INIT;
  options.hang_timeout = 1000000;
  capture_start();
  const scree_status status = run_seed(2, &options, play_hang, NULL);
  char *said = capture_end();
  check_equal(status, SCREE_OK);
  check_contains(said, "  inside a poll function\n");
  check_contains(said, "  a poll function holds work\n");
  free(said);
}

HARNESS_MAIN
