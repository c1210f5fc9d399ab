/* sim_epoch_ahead.c - work that a worker passes under a hold to another one of its rank that is still in the previous
 * epoch: a checked world fails. Work that is passed with the number of its epoch is never taken too early. */
#include <scree/scree_sim.h>

#include "base/options.h"
#include "harness.h"

enum { EPOCHS = 4, WORKERS = 3, LISTED = 2000 };

SCREE_MESSAGE(share, uint64_t);

/* What workers of one rank pass on; each takes all, or only that of its epoch. */
typedef struct {
  share_type type;
  bool by_epoch;
  uint64_t sent, handled, begun[WORKERS];
  uint64_t listed[LISTED], epoch[LISTED];
  uint32_t count;
} relay;

static void hand_over(scree_worker *w, relay *s, uint64_t depth) {
  if (depth == 0 || s->count == LISTED) return;
  scree_hold(w, 1);
  s->epoch[s->count] = s->begun[w->index];
  s->listed[s->count++] = depth;
}

static void on_relay(scree_worker *w, const scree_batch *batch, const void *items, void *arg) {
  relay *s = arg;
  s->handled += batch->count;
  for (uint32_t i = 0; i < batch->count; i++) hand_over(w, s, ((const uint64_t *)items)[i]);
}

static bool take_relay(scree_worker *w, void *arg) {
  relay *s = arg;
  for (uint32_t i = 0; i < s->count; i++) {
    if (s->by_epoch && s->epoch[i] != s->begun[w->index]) continue;
    const uint64_t depth = s->listed[i];
    s->listed[i] = s->listed[--s->count];
    s->epoch[i] = s->epoch[s->count];
    scree_release(w, 1);
    share_send(w, s->type, 0, depth - 1);
    s->sent++;
    return true;
  }
  return false;
}

static void relay_epochs(scree_worker *w, void *arg) {
  relay *s = arg;
  for (int e = 0; e < EPOCHS; e++) {
    s->begun[w->index]++;
    if (scree_begin(w)) return;
    hand_over(w, s, 4);
    if (scree_end(w, NULL)) return;
  }
}

static void play_relay(scree_world *world, void *arg) {
  relay *s = arg;
  scree_type_desc desc = {.size = sizeof desc, .name = "share", .item = 8, .fn = on_relay, .arg = s};
  check_equal(scree_register(world, &desc, &s->type.id), SCREE_OK);
  check_equal(scree_on_idle(world, take_relay, s), SCREE_OK);
  const scree_status status = scree_run_workers(world, WORKERS, relay_epochs, s);
  if (status == SCREE_OK) check_equal(s->handled, s->sent);
  if (status != SCREE_OK) check_contains(scree_error_text(world), "scree_release: epoch ");
}

HARNESS_TEST(an_epoch_ahead) {
  static relay s;
  uint32_t caught = 0;
  for (uint64_t seed = 1; seed <= 100; seed++)
    for (int by_epoch = 0; by_epoch < 2; by_epoch++) {
      const scree_sim_config config = {.seed = seed, .ranks = 1, .nodes = 1, .threads = WORKERS, .quiet = true};
      scree__options options = SCREE__OPTIONS_INIT;
      options.checked = SCREE_CHECKED_ON;
      s = (relay){.by_epoch = by_epoch};
      const scree_status status = scree_sim_run(&config, &options.user, play_relay, &s, NULL);
      check(status == SCREE_OK || (!by_epoch && status == SCREE_ESTATE));
      caught += status == SCREE_ESTATE;
    }
  printf("%u of 100 caught\n", caught);
  check(caught > 5);
}

HARNESS_MAIN
