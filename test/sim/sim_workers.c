/* sim_workers.c - scree_run_workers: who runs, who handles what, what is refused, what is counted. */
#include <scree/reduced.h>
#include <scree/scree_sim.h>
#include <string.h>

#include "capture.h"
#include "harness.h"

enum { RANKS = 3, THREADS = 3, ITEMS = 360 };

SCREE_MESSAGE(any, uint32_t);
SCREE_MESSAGE(owned, uint32_t);

typedef struct {
  any_type any;
  owned_type owned;
  uint32_t handled[THREADS]; /* by worker */
  uint32_t ran[THREADS];
} rank_state;

typedef struct {
  rank_state rank[RANKS];
  int call;
} stage;

static rank_state *state_of(void *arg, const scree_worker *w) {
  return &((stage *)arg)->rank[w->rank];
}

static void on_any(scree_worker *w, const scree_batch *batch, const uint32_t *items, void *arg) {
  state_of(arg, w)->handled[w->index] += batch->count;
}
SCREE_HANDLER(any, uint32_t, on_any);
SCREE_HANDLER(owned, uint32_t, on_any);

static void register_all(scree_world *world, stage *s) {
  rank_state *r = state_of(s, scree_worker_of(world, 0));
  check_equal(any_register(world, s, &r->any), SCREE_OK);
  check_equal(owned_register_with(world, SCREE_TO_WORKER, s, &r->owned), SCREE_OK);
}

static void play(uint64_t seed, uint64_t coalesce, scree_sim_fn *fn, stage *s, scree_status expected) {
  scree_options options = SCREE_OPTIONS_INIT;
  options.coalesce_bytes = coalesce;
  options.threads = THREADS;
  scree_sim_config config = {.seed = seed, .ranks = RANKS, .nodes = 1 + (uint32_t)(seed % RANKS), .quiet = true};
  check_equal(scree_sim_run(&config, &options, fn, s, NULL), expected);
}

/* ---- who handles what: random programs show that no worker handles what is not its own ---- */

static void send_to_any(scree_worker *w, void *arg) {
  rank_state *r = state_of(arg, w);
  r->ran[w->index]++;
  check_equal(scree_begin(w), SCREE_OK);
  for (uint32_t i = 0; i < ITEMS; i++) any_send(w, r->any, i % RANKS, i);
  check_equal(scree_end(w, NULL), SCREE_OK);
}

static void share(scree_world *world, void *arg) {
  stage *s = arg;
  rank_state *r = state_of(s, scree_worker_of(world, 0));
  scree_stats stats = {.size = sizeof stats};
  register_all(world, s);
  for (uint32_t n = 1; n <= THREADS; n++) {
    memset(r->handled, 0, sizeof r->handled);
    check_equal(scree_run_workers(world, n, send_to_any, s), SCREE_OK);
    for (uint32_t i = 0; i < THREADS; i++) check((r->handled[i] > 0) == (i < n)); /* small blocks go to all of them */
  }
  check(r->ran[0] == 3 && r->ran[1] == 2 && r->ran[2] == 1);
  scree_stats_read(world, &stats);
  check_equal(stats.items_handled, ITEMS * (1 + 2 + 3));
  check_equal(stats.epochs, 3);
}

HARNESS_TEST(blocks_are_shared) {
  for (uint64_t seed = 1; seed <= harness_seeds(60, 2000) && harness_failures() == 0; seed++) {
    stage s = {.call = 0};
    play(seed, 16, share, &s, SCREE_OK);
  }
}

/* ---- wrong calls outside of epochs: refused ---- */

static void nothing(scree_worker *w, void *arg) {
  state_of(arg, w)->ran[w->index]++;
}

static void call_inside(scree_worker *w, void *arg) {
  scree_world *world = scree_world_of(w);
  any_type t;
  if (w->index > 0) return;
  check_equal(scree_run_workers(world, 2, nothing, arg), SCREE_ESTATE);
  check_contains(scree_error_text(world), "scree_run_workers: called inside itself");
  check_equal(any_register(world, arg, &t), SCREE_ESTATE);
  check_contains(scree_error_text(world), "scree_register: called inside scree_run_workers");
  check_equal(scree_close(world), SCREE_ESTATE);
  check_contains(scree_error_text(world), "scree_close: called inside scree_run_workers");
  scree_hang_hook(world, NULL, NULL);
  check_contains(scree_error_text(world), "scree_hang_hook: called inside scree_run_workers");
}

static void refuse(scree_world *world, void *arg) {
  scree_worker *w = scree_worker_of(world, 0);
  rank_state *r = state_of(arg, w);
  check(scree_worker_of(world, THREADS) == NULL);
  check_equal(scree_run_workers(world, THREADS + 1, nothing, arg), SCREE_EINVAL);
  check_contains(scree_error_text(world), "4 workers, legal are 1..3");
  check_equal(scree_run_workers(world, 0, nothing, arg), SCREE_EINVAL);
  check_contains(scree_error_text(world), "0 workers, legal are 1..3");
  check_equal(scree_run_workers(world, w->rank == 2 ? 2 : 1, nothing, arg), SCREE_EINVAL);
  check_contains(scree_error_text(world), "rank 0 passes 1 workers, rank 2 passes 2: pass the same number");
  check_equal(scree_run_workers(world, w->rank == 1 ? 9 : 1, nothing, arg), SCREE_EINVAL);
  check_contains(scree_error_text(world),
                 w->rank == 1 ? "9 workers, legal are 1..3" : "refused on rank 1, which passes 9 workers");
  if (strcmp(scree_thread_level(world), "none") == 0) { /* over a simulated MPI a world does not know that it is
                                                         * simulated */
    check_equal(scree_join_workers(world, 1, 0, nothing, arg), SCREE_ESTATE);
    check_contains(scree_error_text(world), "scree_join_workers: the simulator runs no threads of the program");
  }
  check_equal(r->ran[0] + r->ran[1] + r->ran[2], 0);
  check_equal(scree_begin(scree_worker_of(world, 1)), SCREE_ESTATE);
  check_equal(scree_run_workers(world, 2, call_inside, arg), SCREE_OK);
  check_equal(scree_run_workers(world, 2, nothing, arg), SCREE_OK);
  check(r->ran[0] == 1 && r->ran[1] == 1 && r->ran[2] == 0);
}

HARNESS_TEST(wrong_calls) {
  stage s = {.call = 0};
  play(7, 0, refuse, &s, SCREE_OK);
}

/* ---- wrong calls that fail the world ---- */

static void fail_inside(scree_worker *w, void *arg) {
  const stage *s = arg;
  const rank_state *r = state_of(arg, w);
  bool me = w->rank == 1 && w->index == 1;
  if (me && s->call == 3) scree_fail(w, SCREE_EMPI, "outside of an epoch");
  if (me && s->call == 4) scree_fail(w, SCREE_EMPI, "outside of an epoch");
  if (s->call == 4) return; /* the failure is known in the next epoch, of worker 0 */
  check_equal(scree_begin(w), SCREE_OK);
  if (me && s->call == 0) owned_send(w, r->owned, scree_worker_number(w, 2, 2), 0);
  if (me && s->call == 1) return;
  if (me && s->call == 2)
    memset(scree__slot(w, r->owned.id, RANKS * THREADS, sizeof(uint32_t), true), 0, sizeof(uint32_t));
  if (w->rank == 1 && w->index == 0 && s->call == 5)
    check_equal(scree_run_workers(scree_world_of(w), 2, nothing, arg), SCREE_ESTATE);
  check(scree_end(w, NULL) != SCREE_OK);
}

static void fail_world(scree_world *world, void *arg) {
  static const char *const texts[] = {
      "destination 8 of type 'owned': worker 2 takes no part in this epoch, which has workers 0..1",
      "the function returned with an open epoch",
      "destination 9 of type 'owned' is out of range 0..8",
      "outside of an epoch",
      "outside of an epoch",
      "an epoch is open"};
  static const scree_status codes[] = {SCREE_EINVAL, SCREE_ESTATE, SCREE_EINVAL, SCREE_EMPI, SCREE_EMPI, SCREE_ESTATE};
  stage *s = arg;
  scree_worker *w = scree_worker_of(world, 0);
  register_all(world, s);
  scree_status status = scree_run_workers(world, 2, fail_inside, s);
  if (s->call == 4) {
    check_equal(status, SCREE_OK);
    check_equal(scree_begin(w), SCREE_OK);
    status = scree_end(w, NULL);
  }
  check_equal(status, codes[s->call]);
  check_equal(scree_error_rank(world), 1);
  if (w->rank == 1) check_contains(scree_error_text(world), texts[s->call]);
  if (w->rank == 1) check_contains(scree_error_text(world), "rank 1 of 3: worker");
  check_equal(scree_run_workers(world, 2, nothing, s), codes[s->call]);
}

HARNESS_TEST(failures) {
  static const scree_status codes[] = {SCREE_EINVAL, SCREE_ESTATE, SCREE_EINVAL, SCREE_EMPI, SCREE_EMPI, SCREE_ESTATE};
  for (int call = 0; call < 6; call++)
    for (uint64_t seed = 1; seed <= 20 && harness_failures() == 0; seed++) {
      stage s = {.call = call};
      play(seed, 0, fail_world, &s, codes[call]);
    }
}

/* ---- a destination that takes no part ---- */

#define KEY(item) (*(item))
static void keep_first(uint32_t *kept, const uint32_t *item) {}
SCREE_MESSAGE_ROUTED(passed, uint32_t);
SCREE_MESSAGE_REDUCED(held, uint32_t, KEY, keep_first);
SCREE_MESSAGE_FILTERED(known, uint32_t, KEY, KEY);
SCREE_HANDLER(passed, uint32_t, on_any);
SCREE_HANDLER(held, uint32_t, on_any);
SCREE_HANDLER(known, uint32_t, on_any);

typedef struct {
  stage stage;
  passed_type passed;
  held_type held;
  known_type known;
  int call;
} absence;

/* A message to a worker that takes part has opened a lane to that rank, which has space. */
static void send_to_absent(scree_worker *w, void *arg) {
  const absence *a = arg;
  check_equal(scree_begin(w), SCREE_OK);
  for (uint32_t i = 0; i < THREADS && w->rank == 1 && w->index == 1; i += 2) {
    const uint32_t to = scree_worker_number(w, 2, i);
    if (a->call == 0) passed_send(w, a->passed, to, to);
    if (a->call == 1) held_send(w, a->held, to, to);
    if (a->call == 2) known_send(w, a->known, to, to);
  }
  check_equal(scree_end(w, NULL), SCREE_EINVAL);
}

/* The sender notices, or a rank that has passed the message on. */
static void fail_absent(scree_world *world, void *arg) {
  absence a = *(absence *)arg;
  check_equal(passed_register_with(world, SCREE_TO_WORKER, &a.stage, &a.passed), SCREE_OK);
  check_equal(held_register_with(world, SCREE_TO_WORKER, &a.stage, &a.held), SCREE_OK);
  check_equal(known_register_with(world, SCREE_TO_WORKER, &a.stage, &a.known), SCREE_OK);
  check_equal(scree_run_workers(world, 2, send_to_absent, &a), SCREE_EINVAL);
  if (scree_error_rank(world) == scree_worker_of(world, 0)->rank)
    check_contains(scree_error_text(world), "worker 2 takes no part in this epoch, which has workers 0..1");
}

HARNESS_TEST(absent) {
  for (uint64_t seed = 1; seed <= 36 && harness_failures() == 0; seed++) {
    absence a = {.call = (int)(seed % 3)};
    scree_options options = SCREE_OPTIONS_INIT;
    options.threads = THREADS;
    options.route = seed / 3 % 2 ? SCREE_ROUTE_ROOK : SCREE_ROUTE_DIRECT;
    options.aggregate = seed / 6 % 2 ? SCREE_AGGREGATE_RANK : SCREE_AGGREGATE_WORKER;
    options.combine = SCREE_COMBINE_ON;
    scree_sim_config config = {.seed = seed, .ranks = RANKS, .nodes = 1 + (uint32_t)(seed % RANKS), .quiet = true};
    check_equal(scree_sim_run(&config, &options, fail_absent, &a, NULL), SCREE_EINVAL);
  }
}

/* ---- statistics ---- */

static void print_stats(scree_world *world, void *arg) {
  stage *s = arg;
  register_all(world, s);
  check_equal(scree_run_workers(world, THREADS, send_to_any, s), SCREE_OK);
  if (scree_worker_of(world, 0)->rank == 0) scree_stats_print(world, stderr, s->call);
}

HARNESS_TEST(statistics) {
  for (int json = 0; json < 2; json++) {
    stage s = {.call = json};
    capture_start();
    play(3, 0, print_stats, &s, SCREE_OK);
    char *said = capture_end();
    check_contains(said, json ? "\"workers\":[{\"worker\":0,\"epochs\":1," : "  worker 2: epochs 1,");
    free(said);
  }
}

/* Without messages no receive of MPI is complete, whenever the requests are examined. */
static void end_once(scree_worker *w, void *unused) {
  check_equal(scree_begin(w), SCREE_OK);
  check_equal(scree_end(w, NULL), SCREE_OK);
}

static void examine(scree_world *world, void *unused) {
  scree_lock_stats s = {.size = sizeof s}, later = s;
  check_equal(scree_stats_lock(world, &s), SCREE_OK);
  check(s.entries < 100 && s.waits <= s.entries && s.samples <= s.entries && s.sampled_sends + s.again + s.fair == 0);
  check_equal(scree_run_workers(world, THREADS, end_once, NULL), SCREE_OK);
  check_equal(scree_stats_lock(world, &later), SCREE_OK);
  check(later.entries >= s.entries && later.samples <= later.entries && later.wasted <= later.entries);
  check(later.samples == 0 || later.sampled_receives > 0);
  check_equal(later.dangling_receives, 0);
  check_equal(later.sampled_sends, 0);
}

HARNESS_TEST(requests_are_examined) {
  for (uint64_t seed = 1; seed <= 4; seed++) {
    const scree_sim_config config = {.seed = seed, .ranks = 2, .nodes = 2};
    scree_options options = SCREE_OPTIONS_INIT;
    options.threads = THREADS;
    options.lock_sample = 1;
    check_equal(scree_sim_run(&config, &options, examine, NULL, NULL), SCREE_OK);
  }
}

HARNESS_MAIN
