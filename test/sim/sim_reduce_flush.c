/* sim_reduce_flush.c - a flush of a reduced type examines each waiting item once, although no block is available. */
#include <scree/reduced.h>
#include <scree/scree_sim.h>

#include "harness.h"
#include "reduce/caches.h"

enum { RANKS = 8, KEYS = 5 };

typedef struct {
  uint32_t key, weight;
} item;

static void add(item *kept, const item *more) {
  kept->weight += more->weight;
}
#define KEY(item) ((item)->key)
SCREE_MESSAGE_REDUCED(sum, item, KEY, add);

typedef struct {
  sum_type type;
  uint64_t weight;
} job;

static void on_sum(scree_worker *w, const scree_batch *batch, const item *items, void *arg) {
  for (uint32_t i = 0; i < batch->count; i++) ((job *)arg)->weight += items[i].weight;
}
SCREE_HANDLER(sum, item, on_sum);

static uint64_t asked; /* for blocks */

static scree__block *take_none(scree__transport *transport, uint32_t dest, size_t want) {
  asked++;
  return NULL;
}

/* Each item that is sent requests a block of its lane, because none is open there. */
static void flush_without_blocks(scree_worker *w, sum_type type) {
  scree__worker *me = scree__worker_of(w);
  const scree__transport_ops *given = me->path[0]->ops;
  scree__transport_ops ops = *given;
  const uint64_t held = scree__caches_held(me, type.id);
  ops.take = take_none;
  me->path[0]->ops = &ops;
  asked = 0;
  scree_flush(w, type.id);
  me->path[0]->ops = given;
  check(held >= RANKS);
  check_equal(asked, held);
  check_equal(scree__caches_held(me, type.id), held);
}

static void play(scree_world *world, void *job_) {
  job *j = job_;
  scree_worker *w = scree_worker_of(world, 0);
  check_equal(sum_register(world, j, &j->type), SCREE_OK);
  check_equal(scree_begin(w), SCREE_OK);
  for (uint32_t to = 1; w->rank == 0 && to < RANKS; to++)
    for (uint32_t key = 0; key < KEYS; key++) sum_send(w, j->type, to, (item){key, 1});
  if (w->rank == 0) flush_without_blocks(w, j->type);
  check_equal(scree_end(w, NULL), SCREE_OK);
}

HARNESS_TEST(once_for_all_destinations) {
  const scree_sim_config config = {.seed = 1, .ranks = RANKS, .nodes = 1};
  scree_options o = SCREE_OPTIONS_INIT;
  job j = {.weight = 0};
  o.combine = SCREE_COMBINE_ON;
  check_equal(scree_sim_run(&config, &o, play, &j, NULL), SCREE_OK);
  check_equal(j.weight, (RANKS - 1) * KEYS);
}

HARNESS_MAIN
