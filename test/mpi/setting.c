#include "setting.h"

#include "base/options.h"
#include "harness.h"
#include "ranks.h"
#include "virtual_nodes.h"

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
  if (ranks_are_local && (s->transport == SCREE_TRANSPORT_MPI || s->nodes || s->progress == SCREE_PROGRESS_COMM))
    harness_skip(HARNESS_NO_MPI);
  virtual_nodes = s->nodes ? s->nodes : 1;
  check_equal(scree_open(&options.user, &world), SCREE_OK);
  virtual_nodes = 1;
  return world;
}
