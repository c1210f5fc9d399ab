/* sim_sorted.c - the memory that sorted types take, and what is refused. Random programs show that batches are
 * sorted. */
#include <scree/scree_sim.h>

#include "core/world.h"
#include "harness.h"
#include "observe/memory_stats.h"

static void nothing(scree_worker *w, const scree_batch *batch, const void *items, void *arg) {}
static uint64_t no_key(const void *anything) {
  return 0;
}

static uint64_t tables_of(const scree_world *world) {
  scree__memory m;
  scree__memory_read(world, &m);
  return m.tables;
}

/* Memory to sort is taken for the largest batch that there can be, once for all types; none for types that are not
 * sorted. */
static void register_some(scree_world *world, void *unused) {
  scree_type_desc desc = {.size = sizeof desc, .name = "records", .fn = nothing, .sort = no_key};
  uint32_t id;
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

HARNESS_TEST(memory_to_sort) {
  const scree_sim_config config = {.seed = 1, .ranks = 2, .nodes = 1};
  scree_options o = SCREE_OPTIONS_INIT;
  o.batch_max = 1000;
  check_equal(scree_sim_run(&config, &o, register_some, NULL, NULL), SCREE_OK);
}

HARNESS_MAIN
