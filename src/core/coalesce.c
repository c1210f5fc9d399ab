/* coalesce.c - how many bytes a lane collects before its block leaves.
 *
 * Room: the sizes, fixed by an option or found by each lane itself. Small blocks let messages arrive early, which saves
 * work where the order matters; but each block costs its sender and its receiver some time, whatever is in it. So a
 * lane grows while this rank's blocks follow each other so closely that their cost shows, and shrinks while they are
 * far apart, or leave nearly empty. Waiting for receivers is no reason to shrink: they would have more blocks to take.
 */
#include "core/world.h"

enum { LEAST = 1024 }; /* bytes; below, the cost of a block shows everywhere */

/* Most bytes: on a node the block is still in the second-level cache when it is read, and between nodes MPI's cost per
 * message is small by then. Blocks are close to each other, nanoseconds, at about twenty times what one costs. */
typedef struct {
  uint32_t most, close;
} bounds;
static const bounds near = {16384, 4096}, far = {65536, 32768};
enum { SLACK = 4 };   /* times as much is far apart */
enum { LANE = 1024 }; /* one lane in `lanes` */

static const bounds *bounds_of(const scree__worker *me, uint32_t dest) {
  return dest == me->head.rank || me->world->transport->nodes == 1 ? &near : &far;
}

/* What a block for dest has room for. Size follows the memory and the lanes in use, of late: all open blocks together
 * take at most a quarter of the memory, the rest is for blocks on their way. */
size_t scree__coalesce_block(const scree__worker *me, uint32_t dest) {
  const scree_options *o = &me->world->options;
  size_t want = o->coalesce_bytes ? (size_t)1 << scree__log2_up(o->coalesce_bytes) : bounds_of(me, dest)->most;
  size_t share = o->memory / (4 * ((size_t)me->lanes / LANE + 1));
  while (want > share && want > me->world->least_block) want /= 2;
  return want;
}

/* Bytes of records after which a block leaves, any number up to its capacity. */
size_t scree__coalesce_bytes(const scree__worker *me, const scree__lane_state *state) {
  return me->world->options.coalesce_bytes ? me->world->options.coalesce_bytes : state->coalesce;
}

void scree__coalesce_start(const scree__worker *me, scree__lane_state *state, uint32_t dest) {
  if (state->coalesce == 0) state->coalesce = bounds_of(me, dest)->most;
}

/* A lane has opened a block. The mean distance of such events; of an outlier little counts, for the rank did not run.
 * The lanes in use, falling slowly: when age or an idle turn empties all lanes at once, as many will be wanted again,
 * and blocks sized for the first few would take the memory of the others. */
void scree__coalesce_pace(scree__worker *me, uint64_t now) {
  const uint64_t most = 2 * SLACK * far.close;
  uint64_t distance = now - me->last_open < most ? now - me->last_open : most;
  me->last_open = now;
  me->pace = (7 * me->pace + distance) / 8;
  uint64_t live = (uint64_t)LANE * me->live;
  me->lanes = live > me->lanes ? live : me->lanes - (me->lanes - live) / LANE;
}

/* A block leaves with this many bytes. */
void scree__coalesce_learn(scree__worker *me, scree__lane_state *state, uint32_t dest, size_t bytes, scree__why why) {
  const bounds *b = bounds_of(me, dest);
  bool full = why == SCREE__LEAVES_FULL, waited = me->waits != me->waits_seen;
  me->waits_seen = me->waits;
  if (full && (waited || me->pace < b->close))
    state->coalesce = 2 * state->coalesce < b->most ? 2 * state->coalesce : b->most;
  else if ((full ? me->pace > SLACK * b->close : 4 * bytes <= state->coalesce) && state->coalesce > LEAST)
    state->coalesce /= 2;
}
