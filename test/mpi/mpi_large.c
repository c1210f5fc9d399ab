/* mpi_large.c - more than 2 GiB through one lane, in items of 32 bytes, and nothing overflows an int.
 *
 * Two ranks have one long epoch. Other numbers of ranks send a hundredth of it; under SCREE_TEST_FULL=1 all send
 * all, by each transport. */
#include <scree/scree.h>

#include "harness.h"
#include "ranks.h"

typedef struct {
  uint64_t value, rest[3];
} brick;

enum { BRICKS = (1u << 26) + 12345 }; /* a little more than 2 GiB */

SCREE_MESSAGE(brick, brick);

typedef struct {
  uint64_t count, sum;
} tally;

static void on_brick(scree_worker *w, const scree_batch *batch, const brick *items, void *arg) {
  tally *t = arg;
  for (uint32_t i = 0; i < batch->count; i++) t->sum += items[i].value;
  t->count += batch->count;
}
SCREE_HANDLER(brick, brick, on_brick);

static void pile_up(uint64_t transport, uint64_t bricks) {
  scree_options options = SCREE_OPTIONS_INIT;
  scree_world *world = NULL;
  tally t = {0, 0};
  brick_type type;
  scree_lane_stats lane = {.size = sizeof lane};
  options.transport = transport;
  if (!check_equal(scree_open(&options, &world), SCREE_OK)) return;
  scree_worker *w = scree_worker_of(world, 0);
  check_equal(brick_register(world, &t, &type), SCREE_OK);
  check_equal(scree_begin(w), SCREE_OK);
  uint32_t to = w->ranks - 1;
  for (uint64_t i = 0; w->rank == 0 && i < bricks; i++) brick_send(w, type, to, (brick){i, {i, i, i}});
  check_equal(scree_end(w, NULL), SCREE_OK);
  if (w->rank == to) {
    check_equal(t.count, bricks);
    check_equal(t.sum, bricks * (bricks - 1) / 2);
  }
  check_equal(scree_stats_lane(world, type.id, to, &lane), SCREE_OK);
  check_equal(lane.items, w->rank == 0 ? bricks : 0);
  check_equal(lane.bytes, w->rank == 0 ? bricks * sizeof(brick) : 0);
  check_equal(scree_close(world), SCREE_OK);
}

HARNESS_TEST(over_2_gib) {
  bool all = harness_ranks == 2 || harness_full();

  for (uint64_t transport = 0; transport < (harness_full() && !ranks_are_local ? 3 : 1); transport++)
    pile_up(transport, all ? BRICKS : BRICKS / 100);
}

HARNESS_MPI_MAIN
