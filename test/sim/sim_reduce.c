/* sim_reduce.c - reduced types in the simulator: what combines keeps its sum, the least of each key arrives, what is filtered
 * was needless; by every route, with pools of one block, tiny caches and failures; modes; statistics. */
#include <scree/reduced.h>
#include <scree/scree_sim.h>

#include "base/random.h"
#include "harness.h"
#include "reduce/caches.h"

enum { EPOCHS = 2, MOST_RANKS = 13, KEYS = 40, KINDS = 5 };

/* What travels. `weight` of a sum, or the value of a least one; the rest proves that it came to the right place. */
typedef struct {
  uint32_t key;
  uint16_t dest, from;
  uint64_t weight;
  uint32_t depth;
} note;

/* Combined, in the types that keep their source only with what this rank has sent itself. */
static void add(note *kept, const note *item) {
  check_equal(kept->dest, item->dest);
  check_equal(kept->key, item->key);
  kept->weight += item->weight;
  if (item->depth > kept->depth) kept->depth = item->depth;
}
static void add_of_one(note *kept, const note *item) {
  check_equal(kept->from, item->from);
  add(kept, item);
}
static void least_waits(note *kept, const note *item) {
  check_equal(kept->dest, item->dest);
  if (item->weight < kept->weight) *kept = *item;
}
#define KEY(item)    ((item)->key)
#define WEIGHT(item) ((item)->weight)
#define NONE(item)   0u

SCREE_MESSAGE_REDUCED(sum, note, KEY, add);
SCREE_MESSAGE_REDUCED(own_sum, note, KEY, add_of_one);
SCREE_MESSAGE_REDUCED(waiting, note, KEY, least_waits);
SCREE_MESSAGE_FILTERED(lowest, note, KEY, WEIGHT);
SCREE_MESSAGE_FILTERED(first, note, KEY, NONE);

typedef enum { SUM, OWN_SUM, WAITING, LOWEST, FIRST } kind;

/* What was sent by, or has arrived of, a kind, destination and key in an epoch: a sum, a minimum, or 1. */
typedef uint64_t ledger[EPOCHS][KINDS][MOST_RANKS][KEYS];

typedef struct {
  uint64_t random;
  uint32_t messages, depth, keys;
  uint32_t failing; /* rank that raises a failure in the first epoch; of no rank: none does */
  bool any_source;  /* the type that adds may combine items of several ranks */
  sum_type sum;
  own_sum_type own_sum;
  waiting_type waiting;
  lowest_type lowest;
  first_type first;
  uint32_t epoch[MOST_RANKS];
  ledger sent, arrived;
  uint64_t count[KINDS];                             /* of messages, sent less handled */
  uint64_t combined[KINDS], looked_up, switched_off; /* by the statistics */
} job;

static uint32_t below(uint64_t *random, uint32_t n) {
  return (uint32_t)(scree__draw(random) % n);
}

static void enter(ledger *l, uint32_t epoch, kind k, const note *n) {
  uint64_t *at = &(*l)[epoch][k][n->dest][n->key];
  if (k == SUM || k == OWN_SUM)
    *at += n->weight;
  else if (k == FIRST)
    *at = 1;
  else if (*at == 0 || n->weight < *at)
    *at = n->weight;
}

/* Sends as a program may: a try, or a send that waits. */
#define SEND(name, k)                                                                                                  \
  do {                                                                                                                 \
    if (!tries || !name##_try_send(w, j->name, dest, n)) name##_send(w, j->name, dest, n);                             \
  } while (0)

static void send_one(scree_worker *w, job *j, uint32_t depth) {
  const uint32_t dest = below(&j->random, w->ranks);
  const bool tries = below(&j->random, 4) == 0;
  const kind k = below(&j->random, KINDS);
  const uint32_t key = below(&j->random, j->keys), value = 1 + below(&j->random, 1000);
  const note n = {key, (uint16_t)dest, (uint16_t)w->rank, value, depth};
  enter(&j->sent, j->epoch[w->rank], k, &n);
  j->count[k]++;
  switch (k) {
  case SUM:
    SEND(sum, SUM);
    break;
  case OWN_SUM:
    SEND(own_sum, OWN_SUM);
    break;
  case WAITING:
    SEND(waiting, WAITING);
    break;
  case LOWEST:
    SEND(lowest, LOWEST);
    break;
  case FIRST:
    SEND(first, FIRST);
    break;
  }
}

static void take(scree_worker *w, const scree_batch *batch, const note *items, job *j, kind k) {
  for (uint32_t i = 0; i < batch->count; i++) {
    const note *n = &items[i];
    check_equal(n->dest, w->rank);
    check(n->key < j->keys);
    if (k != SUM || !j->any_source) check_equal(n->from, batch->source);
    enter(&j->arrived, j->epoch[w->rank], k, n);
    j->count[k]--;
    if (n->depth) send_one(w, j, n->depth - 1);
  }
}

#define HANDLER(name, k)                                                                                               \
  static void on_##name(scree_worker *w, const scree_batch *batch, const note *items, void *arg) {                     \
    take(w, batch, items, arg, k);                                                                                     \
  }                                                                                                                    \
  SCREE_HANDLER(name, note, on_##name)
HANDLER(sum, SUM);
HANDLER(own_sum, OWN_SUM);
HANDLER(waiting, WAITING);
HANDLER(lowest, LOWEST);
HANDLER(first, FIRST);

static void interrupt(scree_worker *w, job *j) {
  switch (below(&j->random, 40)) {
  case 0:
    scree_flush(w, SCREE_ALL);
    break;
  case 1:
    scree_flush(w, j->sum.id);
    break;
  case 2:
    scree_flush_lane(w, j->waiting.id, below(&j->random, w->ranks));
    break;
  case 3:
    scree_progress(w);
    break;
  }
}

static void check_ledgers(const scree_worker *w, const job *j, uint32_t epoch) {
  for (kind k = SUM; k <= FIRST; k++)
    for (uint32_t key = 0; key < j->keys; key++)
      check_text(j->arrived[epoch][k][w->rank][key] == j->sent[epoch][k][w->rank][key],
                 "epoch %u, kind %d, rank %u, key %u: arrived %" PRIu64 ", sent %" PRIu64, epoch, (int)k, w->rank, key,
                 j->arrived[epoch][k][w->rank][key], j->sent[epoch][k][w->rank][key]);
}

static void one_epoch(scree_worker *w, job *j, uint32_t epoch) {
  j->epoch[w->rank] = epoch;
  check_equal(scree_begin(w), SCREE_OK);
  for (uint32_t i = 0; i < j->messages; i++) {
    send_one(w, j, j->depth);
    interrupt(w, j);
    if (w->rank == j->failing && i == j->messages / 2) scree_fail(w, SCREE_EMPI, "as the test wants it");
  }
  const scree_status status = scree_end(w, NULL);
  check_equal(status, j->failing < w->ranks ? SCREE_EMPI : SCREE_OK);
  check(!scree__caches_of(scree__worker_of(w)) ||
        !scree__caches_ops.held(NULL, &scree__caches_of(scree__worker_of(w))->holder));
  if (!status) check_ledgers(w, j, epoch);
}

static void count_combined(scree_world *world, job *j) {
  const uint32_t types[KINDS] = {j->sum.id, j->own_sum.id, j->waiting.id, j->lowest.id, j->first.id};
  for (kind k = SUM; k <= FIRST; k++) {
    scree_reduced_stats s;
    check_equal(scree_stats_reduced(world, types[k], &s), SCREE_OK);
    j->combined[k] += s.combined;
    j->looked_up += s.looked_up;
    j->switched_off += s.switched_off;
    if (!scree_error(world) && k < LOWEST) check_equal(s.looked_up, s.combined + s.evicted + s.emptied);
  }
}

static void play(scree_world *world, void *job_) {
  job *j = job_;
  check_equal(sum_register_with(world, j->any_source ? SCREE_ANY_SOURCE : 0, j, &j->sum), SCREE_OK);
  check_equal(own_sum_register(world, j, &j->own_sum), SCREE_OK);
  check_equal(waiting_register_with(world, SCREE_SERIAL, j, &j->waiting), SCREE_OK);
  check_equal(lowest_register(world, j, &j->lowest), SCREE_OK);
  check_equal(first_register(world, j, &j->first), SCREE_OK);
  for (uint32_t e = 0; e < EPOCHS && !scree_error(world); e++) one_epoch(scree_worker_of(world, 0), j, e);
  count_combined(world, j);
}

static scree_options draw_options(uint64_t route, uint64_t *random) {
  static const uint64_t sizes[] = {1, 100, 300, 1024}, ages[] = {0, 1000, 100000, 1000000};
  scree_options o = SCREE_OPTIONS_INIT;
  o.route = route;
  o.memory = UINT64_C(65536) << below(random, 3);
  o.pool_blocks = below(random, 3);
  o.in_flight = 1 + below(random, 4);
  o.coalesce_bytes = sizes[below(random, 4)];
  o.batch_max = 1 + below(random, 8);
  o.detector = below(random, 2);
  o.flush_age = ages[below(random, 4)];
  o.reduce = below(random, 2);
  o.reduce_cache = below(random, 2) ? 16 * 40 : 65536;
  return o;
}

static const char *const words[] = {"direct", "rook", "hypercube", "dissemination", "node", "ring"};
enum { ROUTES = sizeof words / sizeof words[0] };

static void run(const scree_sim_config *config, const scree_options *o, job *j, scree_status expected) {
  const scree_status status = scree_sim_run(config, o, play, j, NULL);
  check_text(status == expected,
             "%s, seed %" PRIu64 ", %u ranks on %u nodes, %" PRIu64 " blocks, cache %" PRIu64 ", age %" PRIu64 ": '%s'",
             words[o->route], config->seed, config->ranks, config->nodes, o->pool_blocks, o->reduce_cache, o->flush_age,
             scree_status_text(status));
}

static scree_sim_config draw_config(uint64_t seed, uint64_t *random) {
  const uint32_t ranks = 1 + below(random, MOST_RANKS);
  return (scree_sim_config){
      .seed = seed, .ranks = ranks, .nodes = 1 + below(random, ranks), .quiet = !getenv("SCREE_TEST_VERBOSE")};
}

/* ---- every kind by every route ---- */

static void draw_and_run(uint64_t route, uint64_t seed, uint64_t *totals) {
  uint64_t random = seed;
  const scree_sim_config config = draw_config(seed, &random);
  const scree_options o = draw_options(route, &random);
  job j = {.random = seed, .failing = UINT32_MAX};
  j.any_source = below(&random, 2);
  j.depth = below(&random, 3);
  j.keys = 1 + below(&random, KEYS);
  j.messages = 1 + below(&random, 150);
  run(&config, &o, &j, SCREE_OK);
  for (kind k = SUM; k <= FIRST; k++) {
    check_text(j.count[k] == j.combined[k],
               "%s, seed %" PRIu64 ", kind %d: %" PRIu64 " were not handled, %" PRIu64 " combined", words[route], seed,
               (int)k, j.count[k], j.combined[k]);
    totals[k] += j.combined[k];
  }
}

static void every_kind(void **state) {
  const uint64_t route = *(const uint64_t *)*state;
  uint64_t totals[KINDS] = {0};
  const uint64_t seeds = harness_seeds(60, 1500);
  for (uint64_t k = 0; k < seeds && harness_failures() == 0; k++) draw_and_run(route, 10000 * route + k, totals);
  for (kind k = SUM; k <= FIRST; k++) check_text(totals[k] > 0, "kind %d: %" PRIu64, (int)k, totals[k]);
}

/* ---- failures ---- */

static void failures_while_items_wait(void **unused) {
  (void)unused;
  for (uint64_t k = 0; k < harness_seeds(60, 1000) && harness_failures() == 0; k++) {
    uint64_t random = k;
    scree_sim_config config = draw_config(k, &random);
    const scree_options o = draw_options(k % ROUTES, &random);
    job j = {.random = k, .messages = 60, .depth = 1, .keys = 1 + below(&random, KEYS)};
    j.failing = below(&random, config.ranks);
    run(&config, &o, &j, SCREE_EMPI);
  }
}

/* ---- what combines where ---- */

static void at_hops(scree_world *world, void *job_) {
  job *j = job_;
  scree_worker *w = scree_worker_of(world, 0);
  scree_reduced_stats s;
  const bool sends = w->rank + 1 < w->ranks;
  check_equal(sum_register_with(world, j->any_source ? SCREE_ANY_SOURCE : 0, j, &j->sum), SCREE_OK);
  check_equal(scree_begin(w), SCREE_OK);
  if (sends) sum_send(w, j->sum, w->ranks - 1, (note){1, (uint16_t)(w->ranks - 1), (uint16_t)w->rank, 5, 0});
  if (sends) j->sent[0][SUM][w->ranks - 1][1] += 5;
  if (sends) j->count[SUM]++;
  check_equal(scree_end(w, NULL), SCREE_OK);
  check_ledgers(w, j, 0);
  check_equal(scree_stats_reduced(world, j->sum.id, &s), SCREE_OK);
  j->combined[SUM] += s.combined;
}

/* Each rank sends one item, so what is combined, is on its way: in a hypercube, at most by all but one. */
static void combined_on_their_way(void **unused) {
  uint64_t combined[2] = {0};
  (void)unused;
  for (uint64_t k = 0; k < 100 && harness_failures() == 0; k++) {
    const scree_sim_config config = {.seed = k, .ranks = 13, .nodes = 1 + (uint32_t)k % 4};
    scree_options o = SCREE_OPTIONS_INIT;
    o.route = k % 4 < 2 ? SCREE_ROUTE_HYPERCUBE : SCREE_ROUTE_ROOK;
    o.reduce = SCREE_REDUCE_ON;
    job j = {.keys = 2, .any_source = k % 2};
    check_equal(scree_sim_run(&config, &o, at_hops, &j, NULL), SCREE_OK);
    check_equal(j.count[SUM], j.combined[SUM]);
    combined[k % 2] += j.combined[SUM];
  }
  check_equal(combined[0], 0); /* each is of another source */
  check(combined[1] > 20);
}

/* ---- where sends do not look at a cache ---- */

static void without(scree_world *world, void *job_) {
  play(world, job_);
}

static void off_or_checked(void **unused) {
  (void)unused;
  for (uint64_t k = 0; k < 20; k++) {
    uint64_t random = k;
    const scree_sim_config config = draw_config(k, &random);
    scree_options o = draw_options(k % ROUTES, &random);
    job j = {.random = k, .messages = 60, .keys = 3, .failing = UINT32_MAX};
    if (k % 2)
      o.checked = 1;
    else
      o.reduce = SCREE_REDUCE_OFF;
    check_equal(scree_sim_run(&config, &o, without, &j, NULL), SCREE_OK);
    check_equal(j.looked_up, 0);
    for (kind kind_ = SUM; kind_ <= FIRST; kind_++) check_equal(j.count[kind_], 0);
  }
}

/* ---- scree_reduce_type ---- */

static void one_round(scree_world *world, job *j, bool combines) {
  scree_worker *w = scree_worker_of(world, 0);
  scree_reduced_stats before, after;
  check_equal(scree_stats_reduced(world, j->sum.id, &before), SCREE_OK);
  check_equal(scree_begin(w), SCREE_OK);
  for (int i = 0; i < 10; i++) {
    const uint16_t dest = (uint16_t)((w->rank + 1) % w->ranks);
    sum_send(w, j->sum, dest, (note){0, dest, (uint16_t)w->rank, 1, 0});
  }
  check_equal(scree_end(w, NULL), SCREE_OK);
  check_equal(scree_stats_reduced(world, j->sum.id, &after), SCREE_OK);
  check_equal(after.combined - before.combined, combines ? 9 : 0);
}

static void set_mode(scree_world *world, void *job_) {
  job *j = job_;
  lowest_type other = {99};
  check_equal(sum_register_with(world, SCREE_UNREDUCED, j, &j->sum), SCREE_OK);
  one_round(world, j, false);
  check_equal(scree_reduce_type(world, j->sum.id, SCREE_REDUCE_ON), SCREE_OK);
  one_round(world, j, true);
  check_equal(scree_reduce_type(world, j->sum.id, SCREE_REDUCE_OFF), SCREE_OK);
  one_round(world, j, false);
  check_equal(scree_reduce_type(world, j->sum.id, SCREE_REDUCE_AUTO), SCREE_OK);
  one_round(world, j, true);
  check_equal(scree_reduce_type(world, j->sum.id, 7), SCREE_EINVAL);
  check_contains(scree_error_text(world), "mode 7, legal: SCREE_REDUCE_AUTO (0), _ON (1) or _OFF (2)");
  check_equal(scree_reduce_type(world, other.id, SCREE_REDUCE_ON), SCREE_EINVAL);
  check_contains(scree_error_text(world), "type 99 is not a reduced type");
  check_equal(scree_begin(scree_worker_of(world, 0)), SCREE_OK);
  check_equal(scree_reduce_type(world, j->sum.id, SCREE_REDUCE_ON), SCREE_ESTATE);
  check_equal(scree_end(scree_worker_of(world, 0), NULL), SCREE_ESTATE);
}

static void modes(void **unused) {
  const scree_sim_config config = {.seed = 3, .ranks = 3, .nodes = 2, .quiet = true};
  job j = {.keys = 1};
  (void)unused;
  check_equal(scree_sim_run(&config, NULL, set_mode, &j, NULL), SCREE_ESTATE);
  for (uint32_t r = 0; r < config.ranks; r++) check_equal(j.arrived[0][SUM][r][0], 4 * 10);
}

/* ---- what is filtered ---- */

/* Of so many items of one key and level, sent in one epoch, so many are dropped. */
static void check_dropped(scree_world *world, job *j, uint32_t sent, uint64_t dropped) {
  scree_worker *w = scree_worker_of(world, 0);
  const uint16_t dest = (uint16_t)((w->rank + 1) % w->ranks);
  scree_reduced_stats before, after;
  check_equal(scree_stats_reduced(world, j->first.id, &before), SCREE_OK);
  check_equal(scree_begin(w), SCREE_OK);
  for (uint32_t i = 0; i < sent; i++) first_send(w, j->first, dest, (note){0, dest, (uint16_t)w->rank, 1, 0});
  check_equal(scree_end(w, NULL), SCREE_OK);
  check_equal(scree_stats_reduced(world, j->first.id, &after), SCREE_OK);
  check_equal(after.combined - before.combined, dropped);
}

static void use_up_epochs(scree_world *world, void *job_) {
  job *j = job_;
  check_equal(first_register(world, j, &j->first), SCREE_OK);
  const scree__caches *c = scree__caches_of(scree__worker_of(scree_worker_of(world, 0)));
  check_dropped(world, j, 5, 4);
  c->shown[j->first.id].to = 0 - c->kept[j->first.id].epoch;
  check_dropped(world, j, 0, 0);
  check_equal(c->shown[j->first.id].to, c->kept[j->first.id].epoch); /* that of the first one */
  check_dropped(world, j, 3, 2);
}

/* The number of an epoch in a cache comes again. */
static void epochs_begin_again(void **unused) {
  (void)unused;
  const scree_sim_config config = {.seed = 3, .ranks = 3, .nodes = 1};
  job j = {.keys = 1};
  check_equal(scree_sim_run(&config, NULL, use_up_epochs, &j, NULL), SCREE_OK);
}

static uint64_t routes[] = {0, 1, 2, 3, 4, 5};
#define BY(i)                                                                                                          \
  { "every_kind", every_kind, NULL, NULL, &routes[i] }
static const struct CMUnitTest tests[] = {
    BY(0),
    BY(1),
    BY(2),
    BY(3),
    BY(4),
    BY(5),
    cmocka_unit_test(failures_while_items_wait),
    cmocka_unit_test(combined_on_their_way),
    cmocka_unit_test(off_or_checked),
    cmocka_unit_test(modes),
    cmocka_unit_test(epochs_begin_again),
};
HARNESS_MAIN(tests)
