/* sim_sorted.c - sorted types in the simulator: each batch arrives in the order of its keys, and nothing is lost, whoever
 * handles the type and by whatever route; and what is refused. */
#include <scree/scree_sim.h>

#include "base/random.h"
#include "core/world.h"
#include "harness.h"
#include "observe/memory_stats.h"

enum { MOST_RANKS = 13, SEEDS = 150, SEEDS_FULL = 3000 };
#define ANSWER UINT32_MAX /* the number of those that handlers send */

typedef struct {
  uint64_t key;
  uint32_t number; /* of this worker's sends */
  uint32_t weight;
} item;

typedef struct job job;
static void handle(scree_worker *w, const scree_batch *batch, const item *items, job *j);
static void on_item(scree_worker *w, const scree_batch *batch, const void *items, void *arg) {
  handle(w, batch, items, arg);
}

static uint64_t key_of(const void *one) {
  return ((const item *)one)->key;
}

SCREE_MESSAGE(any, item);
SCREE_MESSAGE(serial, item);
SCREE_MESSAGE(owned, item);
SCREE_MESSAGE_ROUTED(routed, item);
SCREE_MESSAGE_ROUTED(mixed, item);
SCREE_MESSAGE_ROUTED(dealt, item);

struct job {
  uint64_t seed, messages, mask; /* of each worker; of the keys: the bits that differ */
  any_type any;
  serial_type serial;
  owned_type owned;
  routed_type routed;
  mixed_type mixed;
  dealt_type dealt;
  uint64_t sent, handled; /* sums of weights */
  uint64_t batches, long_batches, swapped;
};

/* In order, and stable: one worker's messages lie in a block in the order in which it sent them, unless they come by a
 * route. */
static void handle(scree_worker *w, const scree_batch *batch, const item *items, job *j) {
  const uint32_t type = scree__worker_of(w)->in.handler - 1;
  const bool direct = type == j->any.id || type == j->serial.id || type == j->owned.id;
  check(batch->count <= scree_options_of(scree_world_of(w))->batch_max);
  for (uint32_t i = 0; i < batch->count; i++) {
    j->handled += scree__hash(items[i].weight);
    if (i == 0) continue;
    const item *one = &items[i], *last = one - 1;
    check(last->key < one->key || (last->key == one->key && (!direct || one->number == ANSWER ||
                                                             last->number == ANSWER || last->number < one->number)));
    j->swapped += last->number > one->number;
  }
  j->batches++;
  j->long_batches += batch->count > 24;
  if (batch->count % 7 == 3) any_send(w, j->any, (w->rank + 1) % w->ranks, (item){j->handled & j->mask, ANSWER, 0});
  j->sent += batch->count % 7 == 3 ? scree__hash(0) : 0;
}

static void send_one(scree_worker *w, job *j, uint32_t number, uint64_t *random) {
  const uint64_t key = scree__draw(random) & j->mask;
  const item one = {key, number, (uint32_t)scree__draw(random) | 1};
  const uint32_t dest = (uint32_t)(scree__draw(random) % w->ranks);
  const uint32_t worker = scree_worker_number(w, dest, (uint32_t)(scree__draw(random) % w->threads));
  j->sent += scree__hash(one.weight);
  switch (scree__draw(random) % 6) {
  case 0:
    any_send(w, j->any, dest, one);
    break;
  case 1:
    serial_send(w, j->serial, dest, one);
    break;
  case 2:
    owned_send(w, j->owned, worker, one);
    break;
  case 3:
    routed_send(w, j->routed, dest, one);
    break;
  case 4:
    mixed_send(w, j->mixed, dest, one);
    break;
  default:
    dealt_send(w, j->dealt, worker, one);
  }
}

static void work(scree_worker *w, void *arg) {
  job *j = arg;
  uint64_t random = j->seed + (uint64_t)w->rank * 64 + w->index;
  check_equal(scree_begin(w), SCREE_OK);
  for (uint32_t i = 0; i < j->messages; i++) send_one(w, j, i, &random);
  check_equal(scree_end(w, NULL), SCREE_OK);
  check_equal(j->sent, j->handled);
}

static void register_sorted(scree_world *world, const char *name, uint32_t flags, job *j, uint32_t *id) {
  const scree_type_desc desc = {
      .size = sizeof desc, .name = name, .item = sizeof(item), .flags = flags, .fn = on_item, .arg = j, .sort = key_of};
  check_equal(scree_register(world, &desc, id), SCREE_OK);
}

/* Virtual ranks share the job. */
static void play(scree_world *world, void *arg) {
  job *j = arg;
  register_sorted(world, "any", 0, j, &j->any.id);
  register_sorted(world, "serial", SCREE_SERIAL, j, &j->serial.id);
  register_sorted(world, "owned", SCREE_TO_WORKER, j, &j->owned.id);
  register_sorted(world, "routed", SCREE_ROUTED, j, &j->routed.id);
  register_sorted(world, "mixed", SCREE_ROUTED | SCREE_ANY_SOURCE, j, &j->mixed.id);
  register_sorted(world, "dealt", SCREE_ROUTED | SCREE_TO_WORKER, j, &j->dealt.id);
  check_equal(scree_run_workers(world, scree_worker_of(world, 0)->threads, work, j), SCREE_OK);
}

static void every_batch_is_sorted(void **unused) {
  (void)unused;
  static const uint64_t batches[] = {1, 2, 25, 100, 8192, 1 << 24};
  uint64_t swapped = 0, of_many = 0;
  for (uint64_t seed = 1; seed <= harness_seeds(SEEDS, SEEDS_FULL) && harness_failures() == 0; seed++) {
    uint64_t random = seed;
    scree_sim_config config = {.seed = seed, .ranks = 1 + (uint32_t)(scree__draw(&random) % MOST_RANKS)};
    scree_options o = SCREE_OPTIONS_INIT;
    job j = {.seed = seed, .messages = 20 + scree__draw(&random) % 600};
    config.nodes = 1 + (uint32_t)(scree__draw(&random) % config.ranks);
    config.threads = 1 + (uint32_t)(scree__draw(&random) % 2);
    o.threads = config.threads;
    o.route = scree__draw(&random) % (SCREE_ROUTE_RING + 1);
    o.aggregate = scree__draw(&random) % 2;
    o.batch_max = batches[scree__draw(&random) % (sizeof batches / sizeof *batches)];
    o.coalesce_bytes = scree__draw(&random) % 3 ? 0 : 1 + scree__draw(&random) % 2000;
    o.in_flight = 1 + scree__draw(&random) % 3;
    j.mask = scree__draw(&random);
    j.mask >>= scree__draw(&random) % 64;
    check_equal(scree_sim_run(&config, &o, play, &j, NULL), SCREE_OK);
    check_text(j.sent == j.handled, "seed %" PRIu64, seed);
    swapped += j.swapped;
    of_many += j.long_batches;
  }
  printf("%" PRIu64 " items moved, %" PRIu64 " batches of more than 24\n", swapped, of_many);
  check(swapped > 100 && of_many > 10);
}

/* ---- registration ---- */

static void nothing(scree_worker *w, const scree_batch *batch, const void *items, void *arg) {
  (void)w, (void)batch, (void)items, (void)arg;
}
static uint64_t no_key(const void *anything) {
  (void)anything;
  return 0;
}

static uint64_t tables_of(const scree_world *world) {
  scree__memory m;
  scree__memory_read(world, &m);
  return m.tables;
}

/* Memory to sort is taken for the largest batch that there can be, once for all types; none for types that are not sorted. */
static void register_some(scree_world *world, void *unused) {
  scree_type_desc desc = {.size = sizeof desc, .name = "records", .fn = nothing, .sort = no_key};
  uint32_t id;
  (void)unused;
  check_equal(scree_register(world, &desc, &id), SCREE_EINVAL);
  check_contains(scree_error_text(world),
                 "type 'records': sort with a variable length, legal: NULL, or an item of 1..");
  desc.item = 16;
  desc.sort = NULL;
  uint64_t before = tables_of(world);
  check_equal(scree_register(world, &desc, &id), SCREE_OK);
  const uint64_t plain = tables_of(world) - before;
  desc.sort = no_key;
  before = tables_of(world);
  check_equal(scree_register(world, &desc, &id), SCREE_OK);
  check_equal(tables_of(world) - before, plain + 1000 * (2 * 8 + 16));
  before = tables_of(world);
  check_equal(scree_register(world, &desc, &id), SCREE_OK);
  check_equal(tables_of(world) - before, plain);
}

static void memory_to_sort(void **unused) {
  (void)unused;
  const scree_sim_config config = {.seed = 1, .ranks = 2, .nodes = 1};
  scree_options o = SCREE_OPTIONS_INIT;
  o.batch_max = 1000;
  check_equal(scree_sim_run(&config, &o, register_some, NULL, NULL), SCREE_OK);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_batch_is_sorted),
    cmocka_unit_test(memory_to_sort),
};
HARNESS_MAIN(tests)
