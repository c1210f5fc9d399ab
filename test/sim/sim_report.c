/* sim_report.c - the hang report: of a world with a route, requested at any time: in handlers, after a failure, between
 * steps; of a run that hangs, on request, of a rank that is silent. Of ranks on other nodes: sim_standing.c. */
#include <fcntl.h>
#include <limits.h>
#include <scree/routed.h>
#include <scree/scree_sim.h>
#include <string.h>
#include <unistd.h>

#include "base/options.h"
#include "base/tools.h"
#include "capture.h"
#include "core/progress.h"
#include "core/world.h"
#include "harness.h"

enum { RANKS = 16, ROUNDS = 50 };

SCREE_MESSAGE_ROUTED(visit, uint64_t);

typedef struct {
  scree_world *world[RANKS];
  FILE *to;
  bool fails;
  uint64_t handled;
} stage;

/* Items that would be absurd tags; the report of a world whose block is half passed on must not read them as such. */
static void on_visit(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  stage *s = arg;
  s->handled += batch->count;
  scree_report_print(s->world[w->rank], s->to);
  if (s->fails && s->handled > RANKS * ROUNDS) {
    scree_report_request(); /* answered after this handler */
    scree_fail(w, SCREE_ENOMEM, "as planned");
  }
}
SCREE_HANDLER(visit, uint64_t, on_visit);

static void play(scree_world *world, void *arg) {
  stage *s = arg;
  scree_worker *w = scree_worker_of(world, 0);
  visit_type visit;
  s->world[w->rank] = world;
  check_equal(visit_register(world, s, &visit), SCREE_OK);
  check_equal(scree_begin(w), SCREE_OK);
  for (int k = 0; k < ROUNDS; k++)
    for (uint32_t dest = 0; dest < w->ranks; dest++) {
      visit_send(w, visit, dest, UINT64_C(0xfffefffefffefffe));
      if (k % 16 == 0) scree_report_print(world, s->to);
    }
  check_equal(scree_end(w, NULL), s->fails ? SCREE_ENOMEM : SCREE_OK);
}

/* The ranks that reports name as the next hop. */
static uint64_t next_hops(FILE *from) {
  static const char before[] = "through rank ";
  char line[4096];
  uint64_t found = 0;
  bool inside = false;
  rewind(from);
  while (fgets(line, sizeof line, from)) {
    inside |= strstr(line, "inside the handler of type 'visit'") != NULL;
    const char *at = strstr(line, before);
    if (!at) continue;
    check(strtoul(at + sizeof before - 1, NULL, 10) < RANKS);
    found++;
  }
  check(inside);
  return found;
}

static void reports(bool fails) {
  uint64_t found = 0;
  for (uint64_t seed = 1; seed <= 8; seed++) {
    const scree_sim_config config = {.seed = seed, .ranks = RANKS, .nodes = 4, .quiet = true};
    scree_options o = SCREE_OPTIONS_INIT;
    stage s = {.to = tmpfile(), .fails = fails};
    if (!check(s.to)) return;
    o.route = SCREE_ROUTE_ROOK;
    char *requested = capture_run(&config, &o, play, &s, fails ? SCREE_ENOMEM : SCREE_OK);
    check(!strstr(requested, "capture_run"));
    free(requested);
    found += next_hops(s.to);
    fclose(s.to);
  }
  check(found > 0);
}

HARNESS_TEST(in_handlers) {
  reports(false);
}

HARNESS_TEST(after_a_failure) {
  reports(true);
}

/* ---- without a route: what hangs, what is requested ---- */

SCREE_MESSAGE(tick, uint64_t);
static void on_tick(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {}
SCREE_HANDLER(tick, uint64_t, on_tick);

/* Opens an epoch, in which it sends a tick to rank 0. */
static scree_worker *begin_and_tick(scree_world *world) {
  scree_worker *w = scree_worker_of(world, 0);
  tick_type tick;
  check_equal(tick_register(world, NULL, &tick), SCREE_OK);
  check_equal(scree_begin(w), SCREE_OK);
  tick_send(w, tick, 0, 1);
  return w;
}

static void one_tick(scree_world *world, void *unused) {
  check_equal(scree_end(begin_and_tick(world), NULL), SCREE_OK);
}

/* Rank 1 never ends its epoch: the run is given up, and every rank prints where it was. */
static void hang(scree_world *world, void *unused) {
  scree_worker *w = begin_and_tick(world);
  while (w->rank == 1 && scree_error(world) == SCREE_OK) scree_progress(w);
  check_equal(scree_end(w, NULL), SCREE_EPEER);
}

HARNESS_TEST(hang_report) {
  scree_sim_config config = {.seed = 12345, .ranks = 3, .nodes = 1, .max_steps = 20000};
  char *text = capture_run(&config, NULL, hang, NULL, SCREE_EPEER);
  check_contains(text, "the simulated run of 3 ranks on 1 nodes hung: seed 12345, ");
  check_contains(text, "report of rank 0 of 3");
  check_contains(text, "report of rank 1 of 3");
  check_contains(text, "report of rank 2 of 3");
  check_contains(text, "type 'tick': sent 1, handled ");
  check_contains(text, "  rank 1: idle in 0 epochs so far, now or last in scree_progress\n");
  free(text);
}

static void report_inside(scree_world *world, void *unused) {
  scree_worker *w = begin_and_tick(world);
  char *text = capture_report(world);
  check_contains(text, "report of rank 0 of 1 (node 0 of 1, sim): epoch 0 open, not idle");
  check_contains(text, "lanes with content 1");
  check_contains(text, "not idle yet in this epoch: rank 0");
  free(text);
  check_equal(scree_end(w, NULL), SCREE_OK);
}

HARNESS_TEST(report_of_one) {
  scree_sim_config config = {.seed = 1, .ranks = 1, .nodes = 1, .unperturbed = true};
  check_equal(scree_sim_run(&config, NULL, report_inside, NULL, NULL), SCREE_OK);
}

static void ask_for_report(scree_world *world, void *unused) {
  scree_worker *w = begin_and_tick(world); /* every rank has its world by now */
  if (w->rank == 0) scree_report_request();
  check_equal(scree_end(w, NULL), SCREE_OK);
}

/* Each world answers once. */
HARNESS_TEST(report_on_request) {
  scree_sim_config config = {.seed = 1, .ranks = 2, .nodes = 1};
  char *text = capture_run(&config, NULL, ask_for_report, NULL, SCREE_OK);
  const char *one = strstr(text, "report of rank 1 of 2");
  check_contains(text, "report of rank 0 of 2");
  check(one && !strstr(one + 1, "report of rank 1 of 2"));
  free(text);
  text = capture_run(&config, NULL, one_tick, NULL, SCREE_OK); /* worlds opened later do not */
  check_string(text, "");
  free(text);
}

/* Requests a report with every step until 2.5 s, of simulated time, and continues until 4.5 s. */
static void request_again_and_again(scree_world *world, void *printed) {
  scree__worker *me = scree__worker_of(scree_worker_of(world, 0));
  uint64_t start = scree__now(me), at;
  int *count = printed;
  check_equal(scree_begin(&me->head), SCREE_OK);
  while ((at = scree__now(me) - start) < 4500000000 && *count < 10) {
    uint32_t seen = me->watch.report_seen;
    if (at < 2500000000) scree_report_request();
    scree_progress(&me->head);
    *count += me->watch.report_seen != seen;
  }
  check_equal(scree_end(&me->head, NULL), SCREE_OK);
}

/* At once, and after each second; requests that come sooner are answered together. */
HARNESS_TEST(report_per_second) {
  int count = 0, found = 0;
  scree_sim_config config = {.seed = 1, .ranks = 1, .nodes = 1, .unperturbed = true};
  char *text = capture_run(&config, NULL, request_again_and_again, &count, SCREE_OK);
  for (const char *at = text; (at = strstr(at, "report of rank 0")); at++) found++;
  check_equal(count, 4);
  check_equal(found, 4);
  free(text);
}

/* Rank 1 is silent for longer than hang_timeout, a millisecond of a thousand steps, and ends then. */
static struct {
  int calls;
  scree_status status;
} hung;

static void on_hang(scree_world *world, scree_status status, void *arg) {
  check_equal(scree_options_of(world)->hang_timeout, 1000000);
  hung.calls++;
  hung.status = status;
  *(bool *)arg = true;
}

static void be_silent(scree_world *world, void *unused) {
  scree_worker *w = scree_worker_of(world, 0);
  static bool over;
  if (w->rank == 0) scree_hang_hook(world, on_hang, &over);
  check_equal(scree_begin(w), SCREE_OK);
  while (w->rank == 1 && !over) scree_progress(w);
  check_equal(scree_end(w, NULL), SCREE_OK);
}

HARNESS_TEST(silence) {
  scree_sim_config config = {.seed = 1, .ranks = 2, .nodes = 1, .unperturbed = true};
  scree_options options = SCREE_OPTIONS_INIT;
  options.hang_timeout = 1000000;
  char *text = capture_run(&config, &options, be_silent, NULL, SCREE_OK);
  check(hung.calls >= 1);
  check_equal(hung.status, SCREE_EPEER);
  check_contains(text, "report of rank 0 of 2 (node 0 of 1, sim): epoch 0 open, idle");
  check_contains(text, "not idle yet in this epoch: rank 1\n");
  free(text);
}

/* ---- no silence: something moves, or has not been waited for ---- */

enum { LIMIT = 50000 }; /* us */

/* Other ranks run meanwhile. */
static void pass_time(scree_worker *w, uint64_t us) {
  scree__worker *me = scree__worker_of(w);
  scree__scheduler *s = me->transport->scheduler;
  for (const uint64_t from = scree__now(me); scree__now(me) - from < us * 1000;) s->ops->backoff(s, 0);
}

/* Waits are long in turns, but not as long as the limit, in epochs and outside; the time between them does not
 * count. */
static void wait_shortly(scree_world *world, void *unused) {
  scree_worker *w = scree_worker_of(world, 0);
  tick_type tick;
  for (int i = 0; i < 4; i++) {
    if (w->rank == 1) pass_time(w, LIMIT / 4);
    check_equal(tick_register(world, NULL, &tick), SCREE_OK);
    check_equal(scree__worker_of(w)->watch.idle_turns, 0); /* as a report says it */
    pass_time(w, 2 * LIMIT);
    check_equal(scree_begin(w), SCREE_OK);
    for (int k = 0; w->rank == 1 && k < 5; k++) {
      pass_time(w, LIMIT / 4);
      tick_send(w, tick, 0, 1);
      scree_flush(w, tick.id);
    }
    check_equal(scree_end(w, NULL), SCREE_OK);
    pass_time(w, 2 * LIMIT);
  }
}

HARNESS_TEST(no_silence) {
  for (uint32_t nodes = 1; nodes <= 2; nodes++) {
    const scree_sim_config config = {.seed = 1, .ranks = 2, .nodes = nodes, .unperturbed = true};
    scree_options options = SCREE_OPTIONS_INIT;
    options.hang_timeout = LIMIT * UINT64_C(1000);
    char *text = capture_run(&config, &options, wait_shortly, NULL, SCREE_OK);
    check_string(text, "");
    free(text);
  }
}

/* Nothing has moved for the worker, but it has served other endpoints of its rank. */
static void serve_others(scree_world *world, void *unused) {
  scree__worker *me = scree__worker_of(scree_worker_of(world, 0));
  scree__service service = {0};
  me->watch.idle_turns = 100;
  me->transport->service = &service;
  scree__backoff(me);
  check_equal(me->watch.idle_turns, 101);
  service.moved++;
  scree__backoff(me);
  check_equal(me->watch.idle_turns, 1);
  scree__backoff(me);
  check_equal(me->watch.idle_turns, 2);
  me->transport->service = NULL;
}

HARNESS_TEST(no_silence_while_it_serves) {
  const scree_sim_config config = {.seed = 1, .ranks = 1, .nodes = 1, .unperturbed = true};
  check_equal(scree_sim_run(&config, NULL, serve_others, NULL, NULL), SCREE_OK);
}

/* ---- blocks that wait on a route ---- */

SCREE_MESSAGE_ROUTED(parcel, uint64_t);
SCREE_HANDLER(parcel, uint64_t, on_tick);

static bool woken; /* rank 3 */

/* Of 4 ranks in 2 rows, rank 0 sends to rank 3 through rank 1, where blocks wait while rank 3 makes no progress. */
static void report_a_block_that_waits(scree_world *world, void *unused) {
  scree_worker *w = scree_worker_of(world, 0);
  parcel_type parcel;
  check_equal(parcel_register(world, NULL, &parcel), SCREE_OK);
  check_equal(scree_begin(w), SCREE_OK);
  scree__scheduler *s = scree__worker_of(w)->transport->scheduler;
  while (w->rank == 3 && !woken) s->ops->backoff(s, 0); /* another rank runs */
  for (uint64_t i = 0; w->rank == 0 && i < 400; i++) parcel_send(w, parcel, 3, i);
  while (w->rank == 1 && scree__worker_of(w)->passing.stalls == 0) scree_progress(w);
  if (w->rank == 1) {
    char *text = capture_report(world);
    check_contains(text, "  hops of class 0: blocks in flight 0, a block from rank 0 with ");
    check_contains(text, " items left, the next one through rank 3\n");
    check_contains(text, "  hops of class 1: blocks in flight ");
    check_contains(text, "  passed on: ");
    check_contains(text, "; progress steps in which a block waited for space: 1\n");
    free(text);
    woken = true;
  }
  check_equal(scree_end(w, NULL), SCREE_OK);
}

static void no_classes(scree_world *world, void *unused) {
  char *text = capture_report(world);
  check(!strstr(text, "hops of class"));
  free(text);
}

HARNESS_TEST(report_names_classes) {
  const scree_sim_config config = {.seed = 1, .ranks = 4, .nodes = 1, .unperturbed = true};
  scree__options o = SCREE__OPTIONS_INIT;
  check_equal(scree_sim_run(&config, &o.user, no_classes, NULL, NULL), SCREE_OK);
  o.route = SCREE_ROUTE_ROOK;
  o.test_pool_blocks = o.in_flight = 1;
  o.coalesce_bytes = 100;
  check_equal(scree_sim_run(&config, &o.user, report_a_block_that_waits, NULL, NULL), SCREE_OK);
  check(woken);
}

/* A packet of the pipe is a write, or as much of it as other processes cannot break into. */
static void report_to_a_pipe(scree_world *world, void *unused) {
  char packet[PIPE_BUF];
  int ends[2], packets = 0;
  tick_type tick;
  (void)unused;
  for (int i = 0; i < 100; i++) check_equal(tick_register(world, NULL, &tick), SCREE_OK);
  if (!check_equal(pipe2(ends, O_DIRECT), 0)) return;
  FILE *to = fdopen(ends[1], "w");
  scree_report_print(world, to);
  fclose(to);
  for (ssize_t n; (n = read(ends[0], packet, sizeof packet)) > 0; packets++) check_equal(packet[n - 1], '\n');
  check(packets > 1 && packets < 5);
  close(ends[0]);
}

HARNESS_TEST(lines_stay_whole) {
  const scree_sim_config config = {.seed = 1, .ranks = 1, .nodes = 1, .unperturbed = true};
  check_equal(scree_sim_run(&config, NULL, report_to_a_pipe, NULL, NULL), SCREE_OK);
}

HARNESS_MAIN
