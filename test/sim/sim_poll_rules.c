/* sim_poll_rules.c - the rules of poll functions, one test for each: what may cause their work, failed worlds, where
 * they are called and where not, how much private memory they take, how the report shows them. What is legal inside one
 * is a column of calls.h, which sim_misuse.c plays.
 *
 * Not on a simulated MPI: a worker whose poll function holds work until another rank acts calls nothing there by which
 * the token moves. */
#include "base/random.h"
#include "core/fail.h"
#include "rules.h"

enum { SEEDS = 20, MANY = 20000, EACH = 16 };

SCREE_MESSAGE(share, uint64_t);

/* One virtual rank of two. */
typedef struct {
  bool acted;
  scree_world *world;
  scree_worker *w;
  ping_type ping;
  uint64_t calls, later_calls, handled, left, pieces;
  bool holds, in_send;
} poller;

static void on_ping(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  poller *p = arg;
  for (uint32_t i = 0; i < batch->count; i++) p->left += items[i];
  p->handled += batch->count;
}
SCREE_HANDLER(ping, uint64_t, on_ping);

static void open_poller(poller *p, scree_world *world) {
  p->world = world;
  p->w = scree_worker_of(world, 0);
  check_equal(ping_register(world, p, &p->ping), SCREE_OK);
}

static bool is_idle(const poller *p) {
  return scree__worker_of(p->w)->end.contributed;
}

/* ---- causes: a handler, and a hold that it releases ---- */

/* Answers what handlers leave; that of rank 1 is woken in the end by what it waits for under a hold. */
static bool answer(scree_worker *w, void *arg) {
  poller *p = arg;
  p->calls++;
  if (p->holds && is_idle(p) && ++p->pieces == 20) {
    p->holds = false;
    scree_release(w, 1);
    ping_send(w, p->ping, 0, 0);
  }
  if (p->left == 0) return false;
  ping_send(w, p->ping, 1 - w->rank, --p->left);
  p->left = 0;
  return false;
}

static void set_checked(scree__options *o, uint64_t seed) {
  o->checked = SCREE_CHECKED_ON;
}
RULE_WORLD(causes, SCREE_OK, "", .seeds = 200, .options = set_checked) {
  poller p = {0};
  open_poller(&p, a->world);
  check_equal(scree_on_idle(a->world, answer, &p), SCREE_OK);
  check_equal(scree_begin(p.w), SCREE_OK);
  if (p.w->rank == 1) {
    p.holds = true;
    scree_hold(p.w, 1);
    ping_send(p.w, p.ping, 0, 10); /* goes to and fro until it is 0 */
  }
  check_equal(scree_end(p.w, NULL), SCREE_OK);
  check_equal(p.handled, p.w->rank == 0 ? 7 : 5);
  check(!p.holds);
}

/* ---- failed worlds ---- */

static bool fail_or_hold(scree_worker *w, void *arg) {
  poller *p = arg;
  check_equal(scree_error(p->world), SCREE_OK);
  if (w->rank == 1 && ++p->calls == 3) scree_fail(w, SCREE_EINVAL, "the third call");
  return true;
}
static bool count_later(scree_worker *w, void *arg) {
  ((poller *)arg)->later_calls++;
  return false;
}

RULE_WORLD(not_in_failed_worlds, SCREE_EINVAL, "the third call", .seeds = SEEDS) {
  scree_world *world = a->world;
  poller p = {0};
  open_poller(&p, world);
  check_equal(scree_on_idle(world, fail_or_hold, &p), SCREE_OK);
  check_equal(scree_on_idle(world, count_later, &p), SCREE_OK);
  scree_begin(p.w);
  check_equal(scree_end(p.w, NULL), SCREE_EINVAL);
  check(!scree__is_abandoned(AO_load(&world->agreed))); /* all sends were known to arrive */
  if (p.w->rank == 1) check_equal(p.calls, 3);
  if (p.w->rank == 1) check_equal(p.later_calls, 2); /* the second one is not called in the step that failed */
  check_equal(scree_on_idle(world, count_later, &p), SCREE_EINVAL);
}

/* ---- where they are called ---- */

static bool not_in_a_send(scree_worker *w, void *arg) {
  poller *p = arg;
  check(!p->in_send);
  p->calls++;
  return false;
}

static void make_small(scree__options *o, uint64_t seed) {
  o->test_pool_blocks = o->in_flight = 1;
  o->coalesce_bytes = 64;
}
RULE_WORLD(not_in_sends, SCREE_OK, "", .options = make_small) {
  poller p = {0};
  scree_stats stats = {.size = sizeof stats};
  open_poller(&p, a->world);
  check_equal(scree_on_idle(a->world, not_in_a_send, &p), SCREE_OK);
  scree_begin(p.w);
  p.in_send = true;
  for (int i = 0; i < 3000; i++) ping_send(p.w, p.ping, 1 - p.w->rank, 0);
  p.in_send = false;
  check_equal(p.calls, 0);
  check_equal(scree_end(p.w, NULL), SCREE_OK);
  check_equal(p.handled, 3000);
  check(p.calls > 0);
  scree_stats_read(a->world, &stats);
  check(stats.waits > 0);
}

/* In scree_close what they work on may be gone. Order: each in turn, by registration. */
static bool first(scree_worker *w, void *arg) {
  poller *p = arg;
  check_equal(p->calls++, p->later_calls);
  return false;
}

static poller pollers[4];
static void play_order(actor *a) {
  poller *p = &pollers[a->w->rank];
  scree_world *world = a->world;
  *p = (poller){0};
  open_poller(p, world);
  check_equal(scree_on_idle(world, NULL, p), SCREE_EINVAL);
  check_contains(scree_error_text(world), "scree_on_idle: no function");
  check_equal(scree_on_idle(world, first, p), SCREE_OK);
  for (int i = 1; i < SCREE_POLLS_MAX; i++)
    check_equal(scree_on_idle(world, i == 1 ? count_later : not_in_a_send, i == 1 ? p : p + 2), SCREE_OK);
  check_equal(scree_on_idle(world, first, p), SCREE_EINVAL);
  check_contains(scree_error_text(world), "at most 8 poll functions");
  scree_begin(p->w);
  check_equal(scree_end(p->w, NULL), SCREE_OK);
  check(p->calls > 0);
  check_equal(p->calls, p->later_calls);
  p->handled = p->calls;
}

HARNESS_TEST(in_order_and_not_at_the_close) {
  rule r = {.name = "order", .setup = &rule_world, .text = "", .world = play_order};
  for (r.seed = 1; r.seed <= SEEDS; r.seed++) {
    rule_run_one(&r);
    for (int i = 0; i < 2; i++) check_equal(pollers[i].calls, pollers[i].handled);
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
  poller *p = arg;
  for (int i = 0; i < EACH && p->pieces > 0; i++, p->pieces--) ping_send(w, p->ping, 1, 0);
  return p->pieces > 0;
}

/* As long as a quarter of the memory waits they are not called, so the peak is that, what one call sends, and a
 * block. */
enum { MEMORY = 65536 };
static void make_tight(scree__options *o, uint64_t seed) {
  o->test_pool_blocks = o->in_flight = o->batch_max = 1;
  o->memory = MEMORY;
}
RULE_WORLD(private_memory_is_bounded, SCREE_OK, "", .seeds = 4, .options = make_tight) {
  poller p = {.pieces = a->w->rank == 0 ? MANY : 0};
  const uint64_t peak = MEMORY / 4 + 2 * 1024;
  scree_stats stats = {.size = sizeof stats};
  open_poller(&p, a->world);
  check_equal(scree_on_idle(a->world, flood, &p), SCREE_OK);
  scree_begin(p.w);
  check_equal(scree_end(p.w, NULL), SCREE_OK);
  check_equal(p.handled, p.w->rank == 1 ? MANY : 0);
  scree_stats_read(a->world, &stats);
  if (p.w->rank == 0) check_text(stats.overflow_peak <= peak, "overflow of %" PRIu64 " bytes", stats.overflow_peak);
  if (p.w->rank == 0) check(stats.overflow_peak > 0);
}

/* ---- reports ---- */

static void note_hang(scree_world *world, scree_status status, void *arg) {
  check_equal(status, SCREE_EPEER);
  *(bool *)arg = true;
}

static bool hold_until_hung(scree_worker *w, void *arg) {
  poller *p = arg;
  if (p->calls++ == 0) scree_report_print(scree_world_of(w), stderr);
  return p->holds = !p->acted && w->rank == 1;
}

static void give_up_soon(scree__options *o, uint64_t seed) {
  o->hang_timeout = 1000000;
}
static void check_reports(const char *said) {
  check_contains(said, "  inside a poll function\n");
  check_contains(said, "  a poll function holds work\n");
}
RULE_WORLD(reports, SCREE_OK, "", .seed = 2, .options = give_up_soon, .said = check_reports) {
  poller p = {0};
  open_poller(&p, a->world);
  scree_hang_hook(a->world, note_hang, &p.acted);
  check_equal(scree_on_idle(a->world, hold_until_hung, &p), SCREE_OK);
  scree_begin(p.w);
  check_equal(scree_end(p.w, NULL), SCREE_OK);
}

HARNESS_MAIN
