/* sim_coalesce.c - how full blocks get: sizes that lanes find, sizes that are fixed.
 *
 * The statistics of lanes show what the rule decided. */
#include <scree/scree_sim.h>

#include "harness.h"

enum { RANKS = 3, MOST = 65536, LEAST = 1024 };

/* Bytes: blocks of LEAST, twice that and so on up to half of MOST, then half a block of that. */
enum { GROWING = MOST - LEAST + MOST / 2 };

SCREE_MESSAGE(tick, uint64_t);
static void on_tick(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  *(uint64_t *)arg += batch->count;
}
SCREE_HANDLER(tick, uint64_t, on_tick);

/* No block is flushed by age here. */
static void run(scree_sim_fn *fn, uint32_t ranks, uint32_t nodes) {
  scree_options options = SCREE_OPTIONS_INIT;
  options.flush_age = UINT64_C(3600000000000);
  scree_sim_config config = {.seed = 1, .ranks = ranks, .nodes = nodes, .unperturbed = true};
  check_equal(scree_sim_run(&config, &options, fn, NULL, NULL), SCREE_OK);
}

/* Sends `blocks` times `items` ticks to each rank, flushed each time. */
static void send(scree_worker *w, tick_type t, int blocks, uint64_t items) {
  for (int i = 0; i < blocks; i++) {
    for (uint32_t d = 0; d < RANKS; d++)
      for (uint64_t k = 0; k < items; k++) tick_send(w, t, d, k);
    scree_flush(w, t.id);
  }
}

static scree_lane_stats lane(const scree_world *world, tick_type t, uint32_t dest) {
  scree_lane_stats s = {.size = sizeof s};
  check_equal(scree_stats_lane(world, t.id, dest, &s), SCREE_OK);
  return s;
}

static void check_sizes(const scree_world *world, tick_type t, uint64_t expected) {
  for (uint32_t d = 0; d < RANKS; d++) check_equal(lane(world, t, d).coalesce_bytes, expected);
}

/* Begins at the maximum, shrinks while blocks are flushed nearly empty, but not below the minimum; grows back when they
 * are flushed full; blocks that are more than a quarter full change nothing. */
static void finds_a_size(scree_world *world, void *unused) {
  scree_worker *w = scree_worker_of(world, 0);
  uint64_t handled = 0;
  tick_type t;
  check_equal(tick_register(world, &handled, &t), SCREE_OK);
  check_sizes(world, t, MOST);
  check_equal(scree_begin(w), SCREE_OK);
  send(w, t, 1, MOST / 8 / 2);
  check_sizes(world, t, MOST);
  send(w, t, 1, 1);
  check_sizes(world, t, MOST / 2);
  send(w, t, 10, 1);
  check_sizes(world, t, LEAST);
  send(w, t, 10, LEAST / 8 / 2);
  check_sizes(world, t, LEAST);
  send(w, t, 1, GROWING / 8);
  check_sizes(world, t, MOST);
  check_equal(scree_end(w, NULL), SCREE_OK);
  check_equal(handled, RANKS * (MOST / 8 / 2 + 1 + 10 + 10 * LEAST / 8 / 2 + GROWING / 8));
}

HARNESS_TEST(sizes_are_found) {
  run(finds_a_size, RANKS, 1);
  run(finds_a_size, RANKS, RANKS);
}

/* A lane at the minimum size sends blocks of that size, not larger ones. */
static void sends_at_its_size(scree_world *world, void *unused) {
  scree_worker *w = scree_worker_of(world, 0);
  uint64_t handled = 0;
  tick_type t;
  check_equal(tick_register(world, &handled, &t), SCREE_OK);
  check_equal(scree_begin(w), SCREE_OK);
  send(w, t, 10, 1);
  for (uint32_t d = 0; d < RANKS; d++) {
    uint64_t before = lane(world, t, d).blocks_full;
    for (uint64_t k = 0; k <= LEAST / 8; k++) tick_send(w, t, d, k);
    check_equal(lane(world, t, d).blocks_full - before, 1);
  }
  check_equal(scree_end(w, NULL), SCREE_OK);
}

HARNESS_TEST(blocks_are_of_the_size_found) {
  run(sends_at_its_size, RANKS, 1);
}

/* Full blocks that follow each other slowly get smaller if the program polls for messages meanwhile, until they are
 * close to each other; they grow again when it only sends. A progress step is a microsecond here. */
static void adapts_to_the_pace(scree_world *world, void *unused) {
  scree_worker *w = scree_worker_of(world, 0);
  uint64_t handled = 0;
  tick_type t;
  check_equal(tick_register(world, &handled, &t), SCREE_OK);
  check_equal(scree_begin(w), SCREE_OK);
  for (uint64_t k = 0; k < 100 * MOST / 8; k++) {
    tick_send(w, t, 0, k);
    if (k % 16 == 0) scree_progress(w);
  }
  uint64_t slow = lane(world, t, 0).coalesce_bytes;
  check_text(slow >= LEAST && slow <= MOST / 4, "a size of %" PRIu64 " bytes", slow);
  for (uint64_t k = 0; k < 100 * MOST / 8; k++) tick_send(w, t, 0, k);
  check_equal(lane(world, t, 0).coalesce_bytes, MOST);
  check_equal(scree_end(w, NULL), SCREE_OK);
  check_equal(handled, 200 * MOST / 8);
}

HARNESS_TEST(the_pace_counts) {
  run(adapts_to_the_pace, 1, 1);
}

static void keeps_its_size(scree_world *world, void *size) {
  scree_worker *w = scree_worker_of(world, 0);
  const uint64_t fixed = *(uint64_t *)size;
  uint64_t handled = 0;
  tick_type t;
  check_equal(tick_register(world, &handled, &t), SCREE_OK);
  check_equal(scree_begin(w), SCREE_OK);
  send(w, t, 10, 1);
  check_sizes(world, t, fixed);
  send(w, t, 1, 10 * (fixed / 8));
  check_sizes(world, t, fixed);
  check_equal(lane(world, t, 0).blocks_full, 9); /* the tenth is flushed */
  check_equal(scree_end(w, NULL), SCREE_OK);
}

static void fix(uint64_t size) {
  scree_options options = SCREE_OPTIONS_INIT;
  options.flush_age = UINT64_C(3600000000000);
  options.in_flight = 64;
  options.coalesce_bytes = size;
  for (uint32_t nodes = 1; nodes <= RANKS; nodes += RANKS - 1) {
    scree_sim_config config = {.seed = 1, .ranks = RANKS, .nodes = nodes, .unperturbed = true};
    check_equal(scree_sim_run(&config, &options, keeps_its_size, &size, NULL), SCREE_OK);
  }
}

/* Any number of bytes is a size; that of the smallest blocks fills them. */
HARNESS_TEST(a_number_fixes_the_size) {
  for (uint64_t size = 136; size < 20000; size = 5 * size) fix(size);
  fix(LEAST);
}

HARNESS_MAIN
