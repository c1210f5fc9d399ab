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

/* A slot of a lane, in a block of its class; NULL: there is none. */
char *scree__pass_slot(scree__worker *me, uint32_t type, uint32_t lane, uint32_t bytes) {
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
  else if (!(p = scree__pass_slot(me, type, lane, bytes)))
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

/* What a slice of a block needs: its type, where items go from here, the lane of those that are for this worker, and whether
 * handlers ask for the source. */
typedef struct {
  uint32_t type, own, hop_class;
  const uint16_t *next;
  bool any_source, reduced;
} slice;

/* By way of the cache, where the item may wait or come to its end. */
static bool forward_reduced(scree__worker *me, const slice *s, uint32_t lane, const char *at, uint32_t item) {
  uint32_t tag;
  memcpy(&tag, at + item, sizeof tag);
  switch (scree__cache_pass(me, s->type, s->hop_class, at, tag)) {
  case SCREE__CACHED_NOT:
    return forward(me, s->type, lane, at, item + SCREE__TAG);
  case SCREE__CACHED_SENT:
    if (!forward(me, s->type, lane, at, item + SCREE__TAG)) return false;
    scree__cache_remember(me, s->type, at, tag);
    return true;
  case SCREE__CACHED_COMBINED:
    me->combined_here++;
    return true;
  case SCREE__CACHED_KEPT:
    return true;
  case SCREE__CACHED_STUCK:
    return false;
  }
  return false;
}

/* Items for this worker are gathered, without their tags, in front of those that are still to be looked at. Returns how many
 * items were passed on or handled. */
static inline __attribute__((always_inline)) uint32_t pass(scree__worker *me, scree__current *current, const slice *s,
                                                           uint32_t n, uint32_t item, bool reduced) {
  const uint32_t bytes = item + SCREE__TAG;
  char *const front = scree__block_data(current->block), *to = front;
  const char *at = current->at;
  const uint64_t handled = me->items_handled, combined = me->combined_here;
  uint32_t i = 0, mine = 0, origin = SCREE_NO_SOURCE, tag;
  for (; i < n; i++, at += bytes) {
    memcpy(&tag, at + item, sizeof tag);
    const uint32_t lane = s->next[tag & UINT16_MAX];
    if (lane != s->own) {
      if (reduced ? !forward_reduced(me, s, lane, at, item) : !forward(me, s->type, lane, at, bytes)) break;
      continue;
    }
    if (!s->any_source && tag >> 16 != origin) {
      if (mine) handle(me, current, origin, mine);
      if (me->failed) return n;
      mine = 0;
      to = front;
      origin = tag >> 16;
    }
    memmove(to, at, item);
    to += item;
    mine++;
  }
  if (mine && !me->failed) handle(me, current, origin, mine);
  me->passed += i - (me->items_handled - handled) - (me->combined_here - combined);
  current->at = at;
  return me->failed ? n : i;
}

static uint32_t pass_sized(scree__worker *me, scree__current *current, const slice *s, uint32_t n, uint32_t item) {
  if (s->reduced) return pass(me, current, s, n, item, true);
  switch (item) {
  case 4:
    return pass(me, current, s, n, 4, false);
  case 8:
    return pass(me, current, s, n, 8, false);
  case 12:
    return pass(me, current, s, n, 12, false);
  case 16:
    return pass(me, current, s, n, 16, false);
  default:
    return pass(me, current, s, n, item, false);
  }
}

static slice slice_of(const scree__worker *me, uint32_t type, uint32_t hop_class) {
  const scree__type *of = &me->world->types[type];
  const uint32_t own = of->flags & SCREE_TO_WORKER ? me->world->hops.count + me->head.index : 0;
  const bool reduced =
      of->reduction && me->world->hops.tables == 1; /* else a lane follows from where an item came from */
  return (slice){type, own, hop_class, of->next[hop_class], (of->flags & SCREE_ANY_SOURCE) != 0, reduced};
}

/* Nothing moved: the next item waits for a block, and those that could come free may lie half full in other lanes. */
static void wait_for_room(scree__worker *me) {
  me->stalls++;
  scree__flush_all(me, SCREE__FLUSH_EARLY);
}

/* One slice of the current block of that class: at most batch_max items. False: it waits, and nothing has moved. */
bool scree__pass(scree__worker *me, uint32_t hop_class) {
  scree__current *current = &me->current[hop_class];
  const uint32_t max = (uint32_t)me->world->options.batch_max, n = current->left < max ? current->left : max;
  const slice s = slice_of(me, current->block->wire.segment.type, hop_class);
  const uint32_t done = pass_sized(me, current, &s, n, me->world->types[s.type].item);
  current->left -= done;
  if (done == 0) wait_for_room(me);
  return done > 0;
}

/* The next rank of the item that the current block of that class goes on with. */
uint32_t scree__next_rank(const scree__worker *me, uint32_t hop_class) {
  const scree__current *current = &me->current[hop_class];
  const slice s = slice_of(me, current->block->wire.segment.type, hop_class);
  uint32_t tag;
  memcpy(&tag, current->at + me->world->types[s.type].item, sizeof tag);
  return scree__lane_hop(me, s.type, s.next[tag & UINT16_MAX]).rank;
}
