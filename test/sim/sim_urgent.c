/* sim_urgent.c - urgent types: how many plain messages that wait at the receiver an urgent one overtakes, that nothing
 * starves, and what is refused. Random programs have urgent types, too. */
#include <scree/reduced.h>
#include <scree/scree_sim.h>

#include "capture.h"
#include "core/pass.h"
#include "harness.h"
#include "open/resolve.h"

enum { WAITING = 64, HANDLED = 10, CHAINS = 4, LONG = 9000 };

SCREE_MESSAGE(plain, uint64_t);
SCREE_MESSAGE(urgent, uint64_t);
SCREE_VARIABLE(text);

/* ---- overtaking: rank 0 sends, rank 1 polls when all of it has arrived ---- */

typedef struct {
  uint32_t flags, first; /* of the message that follows; plain ones that rank 1 handles before it is sent */
  bool flushes;          /* else it is sent in the next progress step */
  bool text;             /* it is a record that no block of a lane holds */
  bool plain_sent, sent;
  uint64_t plain, before, arrived; /* plain ones handled; and when the other one was; which was so often */
} race;

static void on_plain(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  ((race *)arg)->plain += batch->count;
}
SCREE_HANDLER(plain, uint64_t, on_plain);

static void on_urgent(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  race *r = arg;
  r->before = r->plain;
  r->arrived += batch->count;
}
SCREE_HANDLER(urgent, uint64_t, on_urgent);

static void on_urgent_text(scree_worker *w, const scree_batch *batch, const void *items, void *arg) {
  on_urgent(w, batch, items, arg);
}
SCREE_VARIABLE_HANDLER(text, on_urgent_text);

static void send_urgent(const race *r, scree_worker *w, urgent_type type) {
  static const char zeros[LONG];
  if (r->text)
    text_send(w, (text_type){type.id}, 1, zeros, sizeof zeros);
  else
    urgent_send(w, type, 1, 0);
}

/* Makes no progress. A run that hangs ends it. */
static void wait_until(const scree_worker *w, const bool *flag) {
  const scree__transport *t = ((const scree__worker *)w)->transport;
  while (!*flag && !t->fault->lost) t->scheduler->ops->backoff(t->scheduler, 1);
}

static void send_race(race *r, scree_worker *w, plain_type plain, urgent_type urgent) {
  for (uint64_t i = 0; i < WAITING; i++) plain_send(w, plain, 1, i);
  scree_flush(w, SCREE_ALL);
  r->plain_sent = true;
  while (r->plain < r->first && !scree_error(scree_world_of(w))) scree_progress(w);
  if (!r->flushes) plain_send(w, plain, 1, WAITING); /* stays in its lane */
  send_urgent(r, w, urgent);
  if (r->flushes)
    scree_flush(w, SCREE_ALL);
  else
    scree_progress(w);
  check_equal(scree__worker_of(w)->lanes.open, !r->flushes);
  r->sent = true;
}

static void run_race(scree_world *world, void *arg) {
  race *r = arg;
  scree_worker *w = scree_worker_of(world, 0);
  plain_type plain;
  urgent_type urgent;
  text_type text;
  check_equal(plain_register(world, r, &plain), SCREE_OK);
  if (r->text) {
    check_equal(text_register_with(world, r->flags, r, &text), SCREE_OK);
    urgent.id = text.id;
  } else {
    check_equal(urgent_register_with(world, r->flags, r, &urgent), SCREE_OK);
  }
  if (w->rank == 1) wait_until(w, &r->plain_sent);
  if (w->rank == 1 && !r->first) wait_until(w, &r->sent);
  check_equal(scree_begin(w), SCREE_OK);
  if (w->rank == 0) send_race(r, w, plain, urgent);
  while (w->rank == 1 && r->plain < r->first && !scree_error(world)) scree_progress(w);
  if (w->rank == 1) wait_until(w, &r->sent);
  check_equal(scree_end(w, NULL), SCREE_OK);
  check(r->plain == WAITING + (r->flushes ? 0u : 1u) && r->arrived == 1);
}

static scree_options race_options(uint32_t coalesce_bytes) {
  scree_options o = SCREE_OPTIONS_INIT;
  o.memory = 1 << 20;
  o.in_flight = WAITING; /* the most */
  o.coalesce_bytes = coalesce_bytes;
  o.batch_max = 1;
  o.flush_age = UINT64_C(3600) * 1000000000;
  o.urgent_types = SCREE_URGENT_TYPES_ON;
  return o;
}

/* How many plain messages were handled before it. */
static uint64_t race_of(race r, uint32_t coalesce_bytes, uint32_t nodes) {
  const scree_options o = race_options(coalesce_bytes);
  const scree_sim_config config = {.seed = 1, .ranks = 2, .nodes = nodes, .unperturbed = true};
  check_equal(scree_sim_run(&config, &o, run_race, &r, NULL), SCREE_OK);
  return r.before;
}

/* 64 blocks of one message wait. */
HARNESS_TEST(overtakes_blocks) {
  for (uint32_t nodes = 1; nodes <= 2; nodes++) {
    check_equal(race_of((race){.flags = SCREE_URGENT, .flushes = true}, 1, nodes), 0);
    check_equal(race_of((race){.flags = SCREE_URGENT}, 1, nodes), 0);
    check_equal(race_of((race){.flags = SCREE_URGENT | SCREE_SERIAL}, 1, nodes), 0);
    check_equal(race_of((race){.flags = SCREE_URGENT | SCREE_TO_WORKER}, 1, nodes), 0);
    check_equal(race_of((race){.flags = SCREE_URGENT, .flushes = true, .text = true}, 1, nodes), 0);
    check_equal(race_of((race){.flags = 0, .flushes = true}, 1, nodes), WAITING);
  }
}

/* One block of 64 messages is being handled: it waits for one batch at most. */
HARNESS_TEST(overtakes_a_block) {
  for (uint32_t nodes = 1; nodes <= 2; nodes++) {
    const uint64_t before = race_of((race){.flags = SCREE_URGENT, .first = HANDLED}, 4096, nodes);
    check_text(before <= HANDLED + 1, "%" PRIu64 " plain messages came first", before);
    check_equal(race_of((race){.flags = 0, .first = HANDLED, .flushes = true}, 4096, nodes), WAITING);
  }
}

/* ---- messages to self and from others ---- */

typedef struct {
  plain_type chain;
  urgent_type stop;
  bool runs; /* the chain does */
  uint64_t stopped;
} chains;

static void on_chain(scree_worker *w, const scree_batch *batch, const void *items, void *arg) {
  chains *c = arg;
  c->runs = true;
  for (uint32_t i = 0; i < batch->count && !c->stopped; i++) plain_send(w, c->chain, 1, 0);
}
static void on_stop(scree_worker *w, const scree_batch *batch, const void *items, void *arg) {
  ((chains *)arg)->stopped += batch->count;
}

/* Rank 1 always has messages to itself, by urgent or plain types, until it handles one of that kind from rank 0. */
static void run_chains(scree_world *world, void *arg) {
  chains *c = arg;
  scree_worker *w = scree_worker_of(world, 0);
  const uint32_t flags = c->stopped ? SCREE_URGENT : 0;
  const scree_type_desc chain = {
      .size = sizeof chain, .name = "chain", .item = sizeof(uint64_t), .flags = flags, .fn = on_chain, .arg = c};
  const scree_type_desc stop = {
      .size = sizeof stop, .name = "stop", .item = sizeof(uint64_t), .flags = flags, .fn = on_stop, .arg = c};
  check_equal(scree_register(world, &chain, &c->chain.id), SCREE_OK);
  check_equal(scree_register(world, &stop, &c->stop.id), SCREE_OK);
  c->stopped = 0;
  check_equal(scree_begin(w), SCREE_OK);
  for (int i = 0; i < CHAINS && w->rank == 1; i++) plain_send(w, c->chain, 1, 0);
  for (int i = 0; i < 100 && w->rank == 1; i++) scree_progress(w);
  if (w->rank == 0) wait_until(w, &c->runs);
  if (w->rank == 0) urgent_send(w, c->stop, 1, 0);
  check_equal(scree_end(w, NULL), SCREE_OK);
  check_equal(c->stopped, 1);
}

HARNESS_TEST(nothing_starves) {
  for (uint32_t i = 0; i < 8; i++) {
    scree_options o = race_options(1);
    o.flush_age = 0;
    const scree_sim_config config = {.seed = 1 + i, .ranks = 2, .nodes = 1 + i / 4, .max_steps = 200000, .quiet = true};
    chains c = {.stopped = i % 2};
    check_equal(scree_sim_run(&config, &o, run_chains, &c, NULL), SCREE_OK);
  }
}

/* ---- what is refused, and the report ---- */

#define KEY(item) (*(item))
static void add(uint64_t *kept, const uint64_t *item) {
  *kept += *item;
}
SCREE_MESSAGE_REDUCED(sum, uint64_t, KEY, add);
SCREE_HANDLER(sum, uint64_t, on_plain);

static void refused(scree_world *world, uint32_t flags, const char *text) {
  urgent_type type;
  race r = {0};
  check_equal(urgent_register_with(world, flags, &r, &type), text ? SCREE_EINVAL : SCREE_OK);
  if (text) check_contains(scree_error_text(world), text);
}

static void types_without_the_option(scree_world *world, void *unused) {
  check_equal(scree__worker_of(scree_worker_of(world, 0))->world->classes, 1);
  refused(world, SCREE_URGENT,
          "type 'urgent' with SCREE_URGENT, and the option urgent_types is off: set it to on (SCREE_URGENT_TYPES");
  refused(world, 0, NULL);
}

static void types_with_the_option(scree_world *world, void *unused) {
  refused(world, SCREE_URGENT | 3, "type 'urgent': flags 259, legal: 0, SCREE_SERIAL (1) or SCREE_TO_WORKER (2), with");
  refused(world, SCREE_URGENT | 16, "flags 272");
  refused(world, SCREE_URGENT, NULL);
  sum_type sum;
  check_equal(sum_register_with(world, SCREE_URGENT, NULL, &sum), SCREE_EINVAL);
  check_contains(scree_error_text(world), "reduced type 'sum' with SCREE_URGENT: its messages would wait");
  char *text = capture_report(world);
  check_contains(text, "  hops of class 0: blocks in flight 0");
  check_contains(text, "  hops of class 1 (urgent types): blocks in flight 0");
  check(!strstr(text, "passed on"));
  free(text);
}

HARNESS_TEST(refusals) {
  const scree_sim_config config = {.seed = 1, .ranks = 2, .nodes = 1, .unperturbed = true};
  scree__options o = SCREE__OPTIONS_INIT;
  char why[320] = "";
  check_equal(scree_sim_run(&config, &o.user, types_without_the_option, NULL, NULL), SCREE_OK);
  o.urgent_types = SCREE_URGENT_TYPES_ON;
  check_equal(scree_sim_run(&config, &o.user, types_with_the_option, NULL, NULL), SCREE_OK);
  check_equal(scree__options_complete(&o, &o.user, why, sizeof why), 0);
  check(scree__hops_allow(&o, 2, why, sizeof why));
  o.progress = SCREE_PROGRESS_COMM;
  check(!scree__hops_allow(&o, 2, why, sizeof why));
  check_contains(why, "urgent-types=on with progress=comm");
  check_contains(why, "set progress to none or full, or urgent_types to off");
}

HARNESS_MAIN
