/* sim_detect.c - the detectors: messages per epoch by their formulas, statistics, a hold that is passed on.
 * Random programs draw the detector, as all options. */
#include <scree/scree_sim.h>

#include "base/tools.h"
#include "core/fail.h"
#include "core/world.h"
#include "harness.h"

enum { EPOCHS = 10, MOST = 40 };

static const char *const names[] = {"node", "flat"};

SCREE_MESSAGE(hop, uint64_t); /* how often it is still forwarded */

/* What a run did. */
typedef struct {
  uint64_t hops;     /* that each message makes; 0: no message is sent */
  uint64_t handled;  /* by all ranks, in the epochs that count, as are the two that follow */
  uint64_t messages; /* for detection */
  bool counts;       /* the epoch does */
  uint64_t rounds[MOST];
  hop_type type;
} job;

static void on_hop(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  job *j = arg;
  j->handled += batch->count;
  for (uint32_t i = 0; i < batch->count; i++)
    if (items[i] > 1) hop_send(w, j->type, (w->rank + 1) % w->ranks, items[i] - 1);
}
SCREE_HANDLER(hop, uint64_t, on_hop);

static void one_epoch(scree_worker *w, job *j) {
  scree_reduce r = {.sum = {1, w->index}, .min = w->rank, .max = w->rank};
  check_equal(scree_begin(w), SCREE_OK);
  if (j->hops || !j->counts) hop_send(w, j->type, (w->rank + 1) % w->ranks, j->hops);
  check_equal(scree_end(w, &r), SCREE_OK);
  const uint64_t t = w->threads, n = w->ranks;
  check(r.sum[0] == n * t && r.sum[1] == n * t * (t - 1) / 2 && r.min == 0 && r.max == n - 1);
}

static void epochs(scree_worker *w, void *job_) {
  ((job *)job_)->counts = true;
  for (int i = 0; i < EPOCHS; i++) one_epoch(w, job_);
}

/* The first epoch is not counted: there is no earlier one with which it could be compared. It always has messages. */
static void play(scree_world *world, void *job_) {
  job *j = job_;
  scree_stats before = {.size = sizeof before}, after = {.size = sizeof after};
  check_equal(hop_register_with(world, 0, j, &j->type), SCREE_OK);
  scree_run_workers(world, world->threads, (scree_work_fn *)one_epoch, j);
  scree_stats_read(world, &before);
  j->handled -= before.items_handled;
  check_equal(scree_run_workers(world, world->threads, epochs, j), SCREE_OK);
  scree_stats_read(world, &after);
  j->messages += after.detection_messages - before.detection_messages;
  j->rounds[world->rank] = after.detection_rounds - before.detection_rounds;
}

static job run(uint64_t detector, const scree_sim_config *config, job what) {
  scree_options options = SCREE_OPTIONS_INIT;
  options.detector = detector;
  check_equal(scree_sim_run(config, &options, play, &what, NULL), SCREE_OK);
  return what;
}

static uint64_t leaders_of(uint64_t detector, const scree_sim_config *config) {
  return detector == SCREE_DETECTOR_NODE ? config->nodes : config->ranks;
}

/* In terms of the rounds, each of which the first leader counts. One leader sends none. */
static uint64_t formula(uint64_t leaders, uint64_t rounds) {
  return leaders == 1 ? 0 : 2 * (leaders - 1) * rounds;
}

static void check_formula(uint64_t detector, const scree_sim_config *config, uint64_t hops) {
  const uint64_t leaders = leaders_of(detector, config);
  const job found = run(detector, config, (job){.hops = hops});
  const uint64_t rounds = found.rounds[0];
  if (!hops && leaders > 1) check_equal(rounds, EPOCHS);
  if (hops && leaders > 1) check(rounds >= 2 * EPOCHS);
  check_equal(found.handled, (uint64_t)config->ranks * config->threads * hops * EPOCHS);
  check_text(found.messages == formula(leaders, rounds),
             "%s, %u ranks of %u threads on %u nodes, seed %" PRIu64 ": %" PRIu64 " messages in %" PRIu64 " rounds",
             names[detector], config->ranks, config->threads, config->nodes, config->seed, found.messages, rounds);
}

HARNESS_TEST(messages_by_formula) {
  static const uint32_t ranks[] = {1, 2, 3, 5, 8, 16, 33};
  for (uint64_t detector = 0; detector < 2; detector++)
    for (size_t i = 0; i < sizeof ranks / sizeof ranks[0]; i++)
      for (uint64_t seed = 1; seed <= (ranks[i] > 8 ? 2 : 6); seed++) {
        scree_sim_config config = {.seed = seed, .ranks = ranks[i], .threads = 1 + (uint32_t)(seed % 3)};
        config.nodes = 1 + (uint32_t)seed % ranks[i];
        check_formula(detector, &config, 0);
        check_formula(detector, &config, 1 + seed % 3);
      }
}

/* Rounds that find that messages are under way become rare, so that they take no time from the messages. */
HARNESS_TEST(few_rounds_find_work) {
  const scree_sim_config config = {.seed = 1, .ranks = 2, .nodes = 2, .unperturbed = true};
  for (uint64_t detector = 0; detector < 2; detector++)
    check(run(detector, &config, (job){.hops = 1000}).rounds[0] < 10 * EPOCHS);
}

/* The library's own choice needs no round more than it did. */
static void named_in_statistics(scree_world *world, void *name) {
  char *text = NULL;
  size_t size;
  FILE *file = open_memstream(&text, &size);
  assert_non_null(file);
  scree_stats_print(world, file, false);
  scree_stats_print(world, file, true);
  scree_report_print(world, file);
  fclose(file);
  char table[64], json[64], report[64];
  snprintf(table, sizeof table, "  detector: %s\n", (const char *)name);
  snprintf(json, sizeof json, "\"detector\":\"%s\",", (const char *)name);
  snprintf(report, sizeof report, "  detector %s: epochs ended here 0,", (const char *)name);
  check_contains(text, table);
  check_contains(text, json);
  check_contains(text, report);
  free(text);
}

HARNESS_TEST(statistics) {
  for (uint64_t detector = 0; detector < 2; detector++) {
    scree_options options = SCREE_OPTIONS_INIT;
    const scree_sim_config config = {.seed = 1, .ranks = 2, .nodes = 2, .unperturbed = true};
    char name[8];
    options.detector = detector;
    snprintf(name, sizeof name, "%s", names[detector]);
    check_equal(scree_sim_run(&config, &options, named_in_statistics, name, NULL), SCREE_OK);
  }
}

/* ---- values of a reduction ---- */

/* The world has failed, but no message of it is in doubt: its ranks close in order. */
static void check_in_order(scree_worker *w) {
  check(!scree__is_abandoned(AO_load(&scree__worker_of(w)->transport->page->failed)));
}

/* Workers that name no operation get the results too; ones that name another fail the world, everywhere, with a
 * text. */
static void reduce_values(scree_worker *w, void *differ) {
  scree_reduce r = SCREE_REDUCE_INIT;
  if (w->rank % 2) r.value[7] = (scree_reduce_value){SCREE_MIN_REAL, {.real = -0.5 * w->rank}};
  if (w->rank == 2) r.value[3] = (scree_reduce_value){SCREE_SUM, {.integer = -7}};
  if (*(bool *)differ && w->rank == 3) r.value[7].op = SCREE_MAX_REAL;
  check_equal(scree_begin(w), SCREE_OK);
  const scree_status status = scree_end(w, &r);
  check_equal(status, *(bool *)differ ? SCREE_EINVAL : SCREE_OK);
  if (status) check_contains(scree_error_text(scree_world_of(w)), "scree_end: workers reduce by different operations");
  check_in_order(w);
  if (status) return;
  check(r.value[7].op == SCREE_MIN_REAL && r.value[7].of.real == -2.5 && r.value[3].of.integer == -14);
  check(r.value[0].op == SCREE_NO_VALUE && r.min == UINT64_MAX && r.max == 0 && r.sum[0] == 0);
}

static void no_operation(scree_worker *w, void *unused) {
  scree_reduce r = SCREE_REDUCE_INIT;
  if (w->rank == 1) r.value[2].op = (scree_reduce_op)7;
  check_equal(scree_begin(w), SCREE_OK);
  check_equal(scree_end(w, &r), SCREE_EINVAL);
  const char *text = scree_error_text(scree_world_of(w));
  if (w->rank == 1) check_contains(text, "value[2].op of scree_reduce is 7, legal: 0..6");
  if (w->rank == 1) check_contains(text, "rank 1 of 6: worker ");
  check_in_order(w);
}

static void in_all_workers(scree_world *world, void *differ) {
  scree_run_workers(world, world->threads, differ ? reduce_values : no_operation, differ);
}

HARNESS_TEST(values) {
  bool differ[] = {false, true};
  for (uint32_t nodes = 1; nodes <= 6; nodes += 5)
    for (int i = 0; i < 3; i++) {
      const scree_sim_config config = {.seed = nodes, .ranks = 6, .nodes = nodes, .threads = 2, .quiet = true};
      check_equal(scree_sim_run(&config, NULL, in_all_workers, i < 2 ? &differ[i] : NULL, NULL),
                  i ? SCREE_EINVAL : SCREE_OK);
    }
}

/* A send has failed, whose message may arrive: the ranks must not close as if none were in flight. The fault is taken
 * once. */
static void fail_in_doubt(scree_worker *w, void *unused) {
  scree__worker *me = scree__worker_of(w);
  check_equal(scree_begin(w), SCREE_OK);
  if (w->rank == 1 && w->index == 0) me->transport->fault->doubtful++;
  if (w->rank == 1 && w->index == 0) scree__fault_raise(me->transport->fault, SCREE_EMPI, "as planned");
  check_equal(scree_end(w, NULL), SCREE_EMPI);
  check(scree__is_abandoned(AO_load(&me->transport->page->failed)));
  check_equal(me->transport->fault->status, SCREE_OK);
}

static void play_in_doubt(scree_world *world, void *unused) {
  scree_run_workers(world, world->threads, fail_in_doubt, NULL);
}

HARNESS_TEST(in_doubt) {
#ifdef SCREE__ASAN
  harness_skip("after such a failure memory that MPI may still use is not freed, which is a leak to the sanitizer");
#endif
  for (uint32_t nodes = 1; nodes <= 3; nodes += 2) {
    const scree_sim_config config = {.seed = nodes, .ranks = 3, .nodes = nodes, .threads = 2, .quiet = true};
    check_equal(scree_sim_run(&config, NULL, play_in_doubt, NULL, NULL), SCREE_EMPI);
  }
}

/* ---- a hold that is passed on ---- */

/* Rank 0 is read while it is idle. Then rank 2, which is not idle, passes work to it by a hold, rank 0 passes part of
 * it to rank 1 by another hold, and rank 1 releases that one: those that are read after rank 0 have made one hold and
 * released one. No block has been created. Rank 0 works on for a while, and sends. */
enum { NOT_READ, READ, HANDED_TO_0, HANDED_TO_1, RELEASED_BY_1, SENT };
typedef struct {
  hop_type type;
  int stage;
  uint64_t steps, handled;
} handed;

static void on_handed(scree_worker *w, const scree_batch *batch, const void *items, void *arg) {
  ((handed *)arg)->handled += batch->count;
}

static uint64_t rounds_of(scree_worker *w) {
  scree_stats s = {.size = sizeof s};
  scree_stats_read(scree_world_of(w), &s);
  return s.detection_rounds;
}

/* Rank 0 checks its work once. True: it has none. */
static bool work_of_0(scree_worker *w, handed *h, uint64_t rounds) {
  if (h->stage == NOT_READ && rounds_of(w) > rounds) h->stage = READ;
  if (h->stage == HANDED_TO_0) {
    scree_hold(w, 1);
    h->stage = HANDED_TO_1;
  }
  if (h->stage == RELEASED_BY_1 && h->steps-- == 0) {
    hop_send(w, h->type, 1, 1);
    scree_release(w, 1);
    h->stage = SENT;
  }
  return h->stage < HANDED_TO_0 || h->stage == SENT;
}

static bool work_of_1(scree_worker *w, handed *h) {
  if (h->stage == HANDED_TO_1) {
    scree_release(w, 1);
    h->stage = RELEASED_BY_1;
  }
  return h->stage >= RELEASED_BY_1;
}

static bool work_of_2(scree_worker *w, handed *h) {
  if (h->stage == READ) {
    scree_hold(w, 1);
    h->stage = HANDED_TO_0;
  }
  return h->stage >= HANDED_TO_0;
}

static void hand_on(scree_world *world, void *handed_) {
  handed *h = handed_;
  scree_worker *w = scree_worker_of(world, 0);
  scree_type_desc desc = {
      .size = sizeof desc, .name = "handed", .item = sizeof(uint64_t), .flags = 0, .fn = on_handed, .arg = h};
  check_equal(scree_register(world, &desc, &h->type.id), SCREE_OK);
  for (int i = 0; i < 2; i++) check(scree_begin(w) == SCREE_OK && scree_end(w, NULL) == SCREE_OK);
  const uint64_t rounds = rounds_of(w);
  bool idle = false;
  check_equal(scree_begin(w), SCREE_OK);
  while (!scree_test(w, idle, NULL))
    idle = w->rank == 0 ? work_of_0(w, h, rounds) : w->rank == 1 ? work_of_1(w, h) : work_of_2(w, h);
  check_text(h->stage == SENT && h->handled == 1, "rank %u leaves at stage %d", w->rank, h->stage);
}

HARNESS_TEST(a_hold_handed_on) {
  for (uint64_t detector = 0; detector < 2; detector++)
    for (uint64_t seed = 1; seed <= 20 && harness_failures() == 0; seed++) {
      scree_options options = SCREE_OPTIONS_INIT;
      const scree_sim_config config = {.seed = seed, .ranks = 3, .nodes = 3};
      handed h = {.steps = 300};
      options.detector = detector;
      check_equal(scree_sim_run(&config, &options, hand_on, &h, NULL), SCREE_OK);
    }
}

HARNESS_MAIN
