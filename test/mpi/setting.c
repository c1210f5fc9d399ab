#include "setting.h"

#include "base/options.h"
#include "harness.h"
#include "interpose.h"
#include "ranks.h"

static uint64_t unless_0(uint64_t value) {
  return value ? value : SCREE_UNSET;
}

scree_world *setting_open(const setting *s) {
  scree__options options = SCREE__OPTIONS_INIT;
  scree_world *world = NULL;
  options.transport = unless_0(s->transport);
  options.coalesce_bytes = unless_0(s->coalesce_bytes);
  options.test_pool_blocks = unless_0(s->pool_blocks);
  options.memory = unless_0(s->memory);
  options.in_flight = unless_0(s->in_flight);
  options.batch_max = unless_0(s->batch_max);
  options.test_counter_start = unless_0(s->counter_start);
  options.chaos = unless_0(s->chaos);
  options.threads = unless_0(s->threads);
  options.pin = unless_0(s->pin);
  options.lock = unless_0(s->lock);
  options.lock_sample = unless_0(s->lock_sample);
  options.progress = unless_0(s->progress);
  options.thread_level = unless_0(s->thread_level);
  options.detector = unless_0(s->detector);
  options.route = unless_0(s->route);
  options.aggregate = unless_0(s->aggregate);
  options.reduce_cache = unless_0(s->reduce_cache);
  options.overflow_max = unless_0(s->overflow_max);
  if (ranks_are_local && (s->transport == SCREE_TRANSPORT_MPI || s->nodes || s->progress == SCREE_PROGRESS_COMM))
    harness_skip(HARNESS_NO_MPI);
  virtual_nodes = s->nodes ? s->nodes : 1;
  check_equal(s->comm ? scree_open_mpi(*s->comm, &options.user, &world) : scree_open(&options.user, &world), SCREE_OK);
  virtual_nodes = 1;
  return world;
}

static void on_number(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  tally *t = arg;
  (void)w;
  for (uint32_t i = 0; i < batch->count; i++) t->sum += items[i];
  t->count += batch->count;
}
SCREE_HANDLER(number, uint64_t, on_number);

bool tally_in(tally *t, scree_world *world) {
  *t = (tally){.world = world};
  if (!world) return false;
  t->w = scree_worker_of(world, 0);
  return check_equal(number_register_with(world, SCREE_SERIAL, t, &t->number), SCREE_OK);
}
