/* pass.c - the forward pass: what has arrived in a block of a routed type leaves by the lanes of its next hops, or is
 * handled here, at its destination.
 *
 * It is no send: it takes no private memory and never waits. Where a lane has no room the block stays where it is, the
 * current one of its class, and with it all blocks behind it: so their senders run out of room, and in the end whoever sends
 * too much. A lane's blocks come from the pool of its class, which no lower class can take, and a class waits for higher
 * ones alone (src/route/route.h), so every block that waits is passed on in the end. Such a block is at hand, so the worker
 * is not idle and the block not counted as handled: the end of an epoch needs no other rule.
 *
 * An item is followed by its tag: the rank of its destination and, above it, the endpoint that sent it. */
#include <string.h>

#include "core/world.h"

/* Both pointers of the lane were at the end of the window, or there is no block. */
static char *open_slot(scree__worker *me, uint32_t type, uint32_t lane, uint32_t bytes) {
  char *slot = scree__lane_slot(me, type, lane, bytes);
  if (slot) return slot;
  scree__lane_close(me, type, lane, SCREE__FLUSH_FULL);
  if (me->failed || !scree__lane_open(me, type, lane, false)) return NULL;
  return scree__lane_slot(me, type, lane, bytes);
}

/* Inlined into copies of `pass` for common sizes, where it is some moves. */
static inline __attribute__((always_inline)) bool forward(scree__worker *me, uint32_t type, uint32_t lane,
                                                          const char *at, uint32_t bytes) {
  scree__lane *l = me->lane[type] + lane;
  char *p = l->next;
  if (__builtin_expect((size_t)(l->limit - p) >= bytes, 1))
    l->next = p + bytes;
  else if (!(p = open_slot(me, type, lane, bytes)))
    return false;
  memcpy(p, at, bytes);
  return true;
}

/* Handles the items that have been gathered at the front of the block, all from one origin. */
static void handle(scree__worker *me, scree__current *current, uint32_t origin, uint32_t n) {
  scree__segment segment = current->block->wire.segment;
  segment.origin = origin;
  scree__call_handler(me, &segment, scree__block_data(current->block), n);
}

/* Items for this rank are gathered, without their tags, in front of those that are still to be looked at. Returns how many
 * items were passed on or handled. */
static inline __attribute__((always_inline)) uint32_t pass(scree__worker *me, scree__current *current,
                                                           const uint16_t *next, uint32_t n, uint32_t item) {
  const uint32_t type = current->block->wire.segment.type, bytes = item + SCREE__TAG;
  char *const front = scree__block_data(current->block), *to = front;
  const char *at = current->at;
  const uint64_t handled = me->items_handled;
  uint32_t i = 0, mine = 0, origin = 0, tag;
  for (; i < n; i++, at += bytes) {
    memcpy(&tag, at + item, sizeof tag);
    const uint32_t lane = next[tag & UINT16_MAX];
    if (lane) {
      if (!forward(me, type, lane, at, bytes)) break;
      continue;
    }
    if (mine && tag >> 16 != origin) {
      handle(me, current, origin, mine);
      if (me->failed) return n;
      mine = 0;
      to = front;
    }
    origin = tag >> 16;
    memmove(to, at, item);
    to += item;
    mine++;
  }
  if (mine && !me->failed) handle(me, current, origin, mine);
  me->passed += i - (me->items_handled - handled);
  current->at = at;
  return me->failed ? n : i;
}

static uint32_t pass_sized(scree__worker *me, scree__current *current, const uint16_t *next, uint32_t n,
                           uint32_t item) {
  switch (item) {
  case 4:
    return pass(me, current, next, n, 4);
  case 8:
    return pass(me, current, next, n, 8);
  case 12:
    return pass(me, current, next, n, 12);
  case 16:
    return pass(me, current, next, n, 16);
  default:
    return pass(me, current, next, n, item);
  }
}

/* Nothing moved: the next item waits for a block, and those that could come free may lie half full in other lanes. */
static void wait_for_room(scree__worker *me) {
  me->stalls++;
  scree__flush_all(me, SCREE__FLUSH_EARLY);
}

/* One slice of the current block of that class: at most batch_max items. False: it waits, and nothing has moved. */
bool scree__pass(scree__worker *me, uint32_t hop_class) {
  const scree_world *world = me->world;
  scree__current *current = &me->current[hop_class];
  const uint32_t max = (uint32_t)world->options.batch_max, n = current->left < max ? current->left : max;
  const uint32_t item = world->types[current->block->wire.segment.type].item;
  const uint32_t done = pass_sized(me, current, world->hops.next[hop_class], n, item);
  current->left -= done;
  if (done == 0) wait_for_room(me);
  return done > 0;
}

/* The next rank of the item that the current block of that class goes on with. */
uint32_t scree__next_rank(const scree__worker *me, uint32_t hop_class) {
  const scree_world *world = me->world;
  const scree__current *current = &me->current[hop_class];
  uint32_t tag;
  memcpy(&tag, current->at + world->types[current->block->wire.segment.type].item, sizeof tag);
  return world->hops.hop[world->hops.next[hop_class][tag & UINT16_MAX]].rank;
}
