/* sim_reduce.c - reduced types, scene by scene: what is combined at intermediate ranks, scree_combine_type, epochs
 * whose numbers recur. Random programs show that nothing is lost. */
#include <scree/reduced.h>
#include <scree/scree_sim.h>

#include "harness.h"
#include "reduce/caches.h"

typedef struct {
  uint32_t key, weight;
} note;

static void add(note *kept, const note *item) {
  kept->weight += item->weight;
}
#define KEY(item)  ((item)->key)
#define NONE(item) 0u

SCREE_MESSAGE_REDUCED(sum, note, KEY, add);
SCREE_MESSAGE_FILTERED(first, note, KEY, NONE);

/* Of all ranks. */
typedef struct {
  bool any_source; /* the type that adds may combine items of several ranks */
  sum_type sum;
  first_type first;
  uint64_t sent, handled, weight, combined; /* items; weight: sent less handled */
} job;

static void take(scree_worker *w, const scree_batch *batch, const note *items, void *arg) {
  job *j = arg;
  j->handled += batch->count;
  for (uint32_t i = 0; i < batch->count; i++) j->weight -= items[i].weight;
}
SCREE_HANDLER(sum, note, take);
SCREE_HANDLER(first, note, take);

static void send_sum(scree_worker *w, job *j, uint32_t dest, note item) {
  j->sent++;
  j->weight += item.weight;
  sum_send(w, j->sum, dest, item);
}

/* ---- what combines where ---- */

static void at_hops(scree_world *world, void *job_) {
  job *j = job_;
  scree_worker *w = scree_worker_of(world, 0);
  scree_reduced_stats s = {.size = sizeof s};
  check_equal(sum_register_with(world, j->any_source ? SCREE_ANY_SOURCE : 0, j, &j->sum), SCREE_OK);
  check_equal(scree_begin(w), SCREE_OK);
  if (w->rank + 1 < w->ranks) send_sum(w, j, w->ranks - 1, (note){1, 5});
  check_equal(scree_end(w, NULL), SCREE_OK);
  check_equal(j->weight, 0);
  check_equal(scree_stats_reduced(world, j->sum.id, &s), SCREE_OK);
  j->combined += s.combined;
}

/* Each rank sends one item, so items are combined only at intermediate ranks: in a hypercube, at most by all but
 * one. */
HARNESS_TEST(combined_on_their_way) {
  uint64_t combined[2] = {0};
  for (uint64_t k = 0; k < 100 && harness_failures() == 0; k++) {
    const scree_sim_config config = {.seed = k, .ranks = 13, .nodes = 1 + (uint32_t)k % 4};
    scree_options o = SCREE_OPTIONS_INIT;
    o.route = k % 4 < 2 ? SCREE_ROUTE_HYPERCUBE : SCREE_ROUTE_ROOK;
    o.combine = SCREE_COMBINE_ON;
    job j = {.any_source = k % 2};
    check_equal(scree_sim_run(&config, &o, at_hops, &j, NULL), SCREE_OK);
    check_equal(j.sent, j.handled + j.combined);
    combined[k % 2] += j.combined;
  }
  check_equal(combined[0], 0); /* each is of another source */
  check(combined[1] > 20);
}

/* ---- scree_combine_type ---- */

static void one_round(scree_world *world, job *j, bool combines) {
  scree_worker *w = scree_worker_of(world, 0);
  scree_reduced_stats before = {.size = sizeof before}, after = {.size = sizeof after};
  check_equal(scree_stats_reduced(world, j->sum.id, &before), SCREE_OK);
  check_equal(scree_begin(w), SCREE_OK);
  for (int i = 0; i < 10; i++) send_sum(w, j, (w->rank + 1) % w->ranks, (note){0, 1});
  check_equal(scree_end(w, NULL), SCREE_OK);
  check_equal(scree_stats_reduced(world, j->sum.id, &after), SCREE_OK);
  check_equal(after.combined - before.combined, combines ? 9 : 0);
}

static void set_mode(scree_world *world, void *job_) {
  job *j = job_;
  check_equal(sum_register_with(world, SCREE_UNREDUCED, j, &j->sum), SCREE_OK);
  one_round(world, j, false);
  check_equal(scree_combine_type(world, j->sum.id, SCREE_COMBINE_ON), SCREE_OK);
  one_round(world, j, true);
  check_equal(scree_combine_type(world, j->sum.id, SCREE_COMBINE_OFF), SCREE_OK);
  one_round(world, j, false);
  check_equal(scree_combine_type(world, j->sum.id, SCREE_COMBINE_AUTO), SCREE_OK);
  one_round(world, j, true);
  check_equal(scree_combine_type(world, j->sum.id, 7), SCREE_EINVAL);
  check_contains(scree_error_text(world), "mode 7, legal: SCREE_COMBINE_AUTO (0), _ON (1) or _OFF (2)");
  check_equal(scree_combine_type(world, 99, SCREE_COMBINE_ON), SCREE_EINVAL);
  check_contains(scree_error_text(world), "type 99 is not a reduced type");
  check_equal(scree_begin(scree_worker_of(world, 0)), SCREE_OK); /* all have read: the next failure has a text, too */
  check_equal(scree_end(scree_worker_of(world, 0), NULL), SCREE_OK);
  check_equal(scree_begin(scree_worker_of(world, 0)), SCREE_OK);
  check_equal(scree_combine_type(world, j->sum.id, SCREE_COMBINE_ON), SCREE_ESTATE);
  check_equal(scree_end(scree_worker_of(world, 0), NULL), SCREE_ESTATE);
}

HARNESS_TEST(modes) {
  const scree_sim_config config = {.seed = 3, .ranks = 3, .nodes = 2, .quiet = true};
  job j = {.sent = 0};
  check_equal(scree_sim_run(&config, NULL, set_mode, &j, NULL), SCREE_ESTATE);
  check_equal(j.sent, config.ranks * 4 * 10);
  check_equal(j.weight, 0);
}

/* ---- what is filtered ---- */

/* Of so many items of one key and level, sent in one epoch, so many are dropped. */
static void check_dropped(scree_world *world, job *j, uint32_t sent, uint64_t dropped) {
  scree_worker *w = scree_worker_of(world, 0);
  scree_reduced_stats before = {.size = sizeof before}, after = {.size = sizeof after};
  check_equal(scree_stats_reduced(world, j->first.id, &before), SCREE_OK);
  check_equal(scree_begin(w), SCREE_OK);
  for (uint32_t i = 0; i < sent; i++) first_send(w, j->first, (w->rank + 1) % w->ranks, (note){0, 1});
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

/* The number of an epoch in a cache recurs. */
HARNESS_TEST(epochs_begin_again) {
  const scree_sim_config config = {.seed = 3, .ranks = 3, .nodes = 1};
  job j = {.sent = 0};
  check_equal(scree_sim_run(&config, NULL, use_up_epochs, &j, NULL), SCREE_OK);
}

HARNESS_MAIN
