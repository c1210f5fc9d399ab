/* coalesce.c - how many bytes a lane collects before its block is flushed: the coalescing size, fixed by an option or
 * adapted by each lane.
 *
 * Each block costs its sender and its receiver some time, independent of its size, so blocks are large. But a program
 * that polls for messages often while it sends, such as one that always works on the best value it knows, does so
 * because they decide what it sends next; then small blocks save work. So a lane of such a program shrinks while this
 * rank's blocks are far apart, and grows while they follow each other so closely that their cost shows; and any lane
 * shrinks while its blocks are flushed nearly empty. Waiting for receivers does not shrink it: they would have more
 * blocks to handle. */
#include "core/lane.h"

enum { MIN_BYTES = 1024 }; /* below, the cost of a block shows everywhere */

/* Nanoseconds between blocks below which their cost shows, on a node and between nodes; SLACK times as much is far. */
enum { CLOSE_NEAR = 2048, CLOSE_FAR = 16384, SLACK = 4 };
enum { POLLS = 4 };   /* a program that polls more often for each block polls for messages to act on */
enum { LANE = 1024 }; /* `lanes` counts in this fraction of a lane */

/* Capacity of a new block. It follows the memory and the number of lanes recently in use: all open blocks together take
 * at most a quarter of the worker's memory, the rest is for blocks in flight. */
size_t scree__coalesce_block(const scree__worker *me) {
  size_t want = scree__lane_block(&me->world->options);
  size_t share = me->world->memory / (4 * ((size_t)me->pace.lanes / LANE + 1));
  while (want > share && want > me->world->min_block) want /= 2;
  return want;
}

static uint32_t adapted(const scree__lane_state *state) {
  return (uint32_t)SCREE__LARGE_BLOCK >> state->halved;
}

/* Bytes of records at which a block is full, any number up to its capacity. */
size_t scree__coalesce_bytes(const scree__worker *me, const scree__lane_state *state) {
  uint64_t fixed = me->world->options.coalesce_bytes;
  return fixed ? fixed : adapted(state);
}

/* A lane has opened a block: updates the mean time between such events, in which outliers are clipped, because the rank
 * was descheduled then, and the number of lanes in use, which falls slowly: when age or an idle turn empties all lanes
 * at once, as many will be used again, and blocks sized for the first few would take the memory of the others. */
void scree__coalesce_pace(scree__worker *me, uint64_t now) {
  const uint64_t max = 2 * SLACK * CLOSE_FAR;
  uint64_t distance = now - me->pace.last_open < max ? now - me->pace.last_open : max;
  me->pace.last_open = now;
  me->pace.mean = (7 * me->pace.mean + distance) / 8;
  uint64_t open_blocks = (uint64_t)LANE * me->lanes.open;
  me->pace.lanes = open_blocks > me->pace.lanes ? open_blocks : me->pace.lanes - (me->pace.lanes - open_blocks) / LANE;
}

static uint64_t close_to(const scree__worker *me, uint32_t dest) {
  return dest == me->endpoint || me->transport->topology->nodes == 1 ? CLOSE_NEAR : CLOSE_FAR;
}

/* A block to that endpoint with this many bytes has been closed: adapts the size of its lane. */
void scree__coalesce_adapt(scree__worker *me, scree__lane_state *state, uint32_t dest, size_t bytes,
                           scree__flush_reason reason) {
  bool full = reason == SCREE__FLUSH_FULL;
  bool urgent = me->pace.polls > POLLS && !me->pace.waited; /* early messages help, and receivers keep up */
  me->pace.polls = 0;
  me->pace.waited = false;
  if (full && (!urgent || me->pace.mean < close_to(me, dest))) {
    if (state->halved > 0) state->halved--;
  } else if (full ? me->pace.mean > SLACK * close_to(me, dest) : 4 * bytes <= adapted(state)) {
    if (adapted(state) > MIN_BYTES) state->halved++;
  }
  SCREE__INVARIANT(adapted(state) >= MIN_BYTES);
}
