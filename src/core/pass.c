/* pass.c - the forward pass: what has arrived in a block of a routed type is sent on through the lanes of its next
 * hops, or is handled here, at its destination.
 *
 * It is not a send: it takes no private memory and never waits. If a lane has no space, the block stays the current one
 * of its class, and all blocks after it wait: so their senders run out of space, and in the end the rank that sends too
 * much. A lane's blocks come from the pool of its class, which no lower class can take, and a class waits only for
 * higher ones (src/route/route.h), so every block that waits is passed on in the end. Such a block has arrived, so the
 * worker is not idle and the block not counted as handled: the end of an epoch needs no other rule.
 *
 * An item is followed by its tag: the rank of its destination and, above it, the endpoint that sent it. */
#include "core/pass.h"

#include <string.h>

#include "core/holder.h"
#include "core/lane.h"
#include "core/progress.h"

/* A slot of a lane, in a block of its class; NULL: there is none. */
char *scree__pass_slot(scree__worker *me, uint32_t type, uint32_t lane, uint32_t bytes) {
  char *slot = scree__lane_slot(me, type, lane, bytes);
  if (slot) return slot;
  scree__lane_close(me, type, lane, SCREE__FLUSH_FULL);
  if (me->failed || !scree__lane_open(me, type, lane, false)) return NULL;
  return scree__lane_slot(me, type, lane, bytes);
}

enum { CHUNK = 64 }; /* bits of a mask of items */

/* What one pass over a block needs: its type, the next hops of items, the destination of those that are for this
 * worker, and whether handlers use the source. */
typedef struct {
  uint32_t type, dest, hop_class;
  const uint16_t *next;
  scree__lane *lanes;
  bool any_source;
  const scree__en_route_ops *en_route; /* NULL: items are sent on */
  scree__holder *holder;               /* its state */
  bool arrived;                        /* all items are for this worker */
} slice;

/* Inlined into copies of `pass` for common sizes, where it is a few moves. */
static inline __attribute__((always_inline)) bool forward(scree__worker *me, const slice *s, uint32_t lane,
                                                          const char *at, uint32_t bytes) {
  scree__lane *l = s->lanes + lane;
  char *p = l->next;
  if (__builtin_expect(scree__lane_fits(l, bytes), 1))
    l->next = p + bytes;
  else if (!(p = scree__pass_slot(me, s->type, lane, bytes)))
    return false;
  memcpy(p, at, bytes);
  return true;
}

/* Through a feature, in which the item may wait or end. */
static bool forward_by(scree__worker *me, const slice *s, uint32_t lane, const char *at, uint32_t item) {
  uint32_t tag;
  memcpy(&tag, at + item, sizeof tag);
  switch (s->en_route->pass(me, s->holder, s->type, s->hop_class, at, tag)) {
  case SCREE__EN_ROUTE_SEND:
    return forward(me, s, lane, at, item + SCREE__TAG);
  case SCREE__EN_ROUTE_REPORT:
    if (!forward(me, s, lane, at, item + SCREE__TAG)) return false;
    s->en_route->sent(me, s->holder, s->type, at, tag);
    return true;
  case SCREE__EN_ROUTE_ENDED:
    me->passing.ended++;
    return true;
  case SCREE__EN_ROUTE_HELD:
    return true;
  case SCREE__EN_ROUTE_STUCK:
    return false;
  }
  return false;
}

/* Items for this worker at the front of their block, without tags, all from one origin, or of any, SCREE_NO_SOURCE. */
typedef struct {
  char *front, *to;
  uint32_t count, origin;
} gathered;

static void handle(scree__worker *me, const scree__current *current, gathered *g) {
  scree__segment segment = current->block->wire.segment;
  segment.origin = g->origin;
  if (g->count && !me->failed) scree__call_handler(me, &segment, g->front, g->count);
  g->count = 0;
  g->to = g->front;
}

/* False: the world has failed. */
static inline __attribute__((always_inline)) bool gather(scree__worker *me, const scree__current *current,
                                                         const slice *s, gathered *g, const char *at, uint32_t item) {
  uint32_t tag;
  memcpy(&tag, at + item, sizeof tag);
  if (!s->any_source && tag >> 16 != g->origin) {
    handle(me, current, g);
    if (me->failed) return false;
    g->origin = tag >> 16;
  }
  memmove(g->to, at, item);
  g->to += item;
  g->count++;
  return true;
}

static inline uint32_t dest_of(const char *at, uint32_t item) {
  uint32_t tag;
  memcpy(&tag, at + item, sizeof tag);
  return tag & UINT16_MAX;
}

/* A bit for each of the next n items, at most CHUNK: is it for this worker? There is no branch to mispredict where such
 * items and others are mixed. */
static inline __attribute__((always_inline)) uint64_t find_mine(const slice *s, const char *at, uint32_t n,
                                                                uint32_t item) {
  uint64_t mine = 0;
  for (uint32_t i = 0; i < n; i++, at += item + SCREE__TAG) mine |= (uint64_t)(dest_of(at, item) == s->dest) << i;
  return mine;
}

static inline __attribute__((always_inline)) bool forward_item(scree__worker *me, const slice *s, const char *at,
                                                               uint32_t item, bool by_feature) {
  const uint32_t lane = s->next[dest_of(at, item)];
  return by_feature ? forward_by(me, s, lane, at, item) : forward(me, s, lane, at, item + SCREE__TAG);
}

/* Forwards the items of those bits. Returns the index of the first one that finds no space; n: there is none. */
static inline __attribute__((always_inline)) uint32_t forward_chosen(scree__worker *me, const slice *s, uint64_t chosen,
                                                                     const char *at, uint32_t n, uint32_t item,
                                                                     bool by_feature) {
  for (; chosen; chosen &= chosen - 1) {
    const uint32_t i = (uint32_t)__builtin_ctzll(chosen);
    if (!forward_item(me, s, at + i * (item + SCREE__TAG), item, by_feature)) return i;
  }
  return n;
}

/* Forwards the items in front of the first one that is for this worker, at most n, as far as there is space: in many
 * blocks these are all items. */
static inline __attribute__((always_inline)) uint32_t forward_run(scree__worker *me, const slice *s, const char *at,
                                                                  uint32_t n, uint32_t item, bool by_feature) {
  uint32_t i = 0;
  while (i < n && dest_of(at, item) != s->dest && forward_item(me, s, at, item, by_feature)) {
    i++;
    at += item + SCREE__TAG;
  }
  return i;
}

/* Forwards and gathers items in chunks; within one, items are forwarded first. Returns how many: fewer than n if the
 * next one finds no space. */
static inline __attribute__((always_inline)) uint32_t split(scree__worker *me, const scree__current *current,
                                                            const slice *s, gathered *g, uint32_t n, uint32_t item,
                                                            bool by_feature) {
  const uint32_t bytes = item + SCREE__TAG;
  uint32_t done = 0;
  while (!me->failed) {
    done += forward_run(me, s, current->at + done * bytes, n - done, item, by_feature);
    const char *at = current->at + done * bytes;
    const uint32_t k = n - done < CHUNK ? n - done : CHUNK;
    if (k == 0 || dest_of(at, item) != s->dest) break;
    uint64_t mine = find_mine(s, at, k, item);
    const uint32_t moved = forward_chosen(me, s, ~mine & UINT64_MAX >> (CHUNK - k), at, k, item, by_feature);
    if (moved < k) mine &= (UINT64_C(1) << moved) - 1;
    for (; mine; mine &= mine - 1)
      if (!gather(me, current, s, g, at + (uint32_t)__builtin_ctzll(mine) * bytes, item)) break;
    done += moved;
    if (moved < k) break;
  }
  return done;
}

static inline __attribute__((always_inline)) uint32_t
gather_all(scree__worker *me, const scree__current *current, const slice *s, gathered *g, uint32_t n, uint32_t item) {
  const char *at = current->at;
  for (uint32_t i = 0; i < n && gather(me, current, s, g, at, item); i++) at += item + SCREE__TAG;
  return n;
}

/* Returns how many items were passed on or handled. */
static inline __attribute__((always_inline)) uint32_t
pass(scree__worker *me, scree__current *current, const slice *given, uint32_t n, uint32_t item, bool by_feature) {
  const slice s = *given; /* a copy, which no store can change */
  const uint64_t handled = me->in.items, combined = me->passing.ended;
  char *const front = scree__block_data(current->block);
  gathered g = {front, front, 0, SCREE_NO_SOURCE};
  const uint32_t done =
      s.arrived ? gather_all(me, current, &s, &g, n, item) : split(me, current, &s, &g, n, item, by_feature);
  handle(me, current, &g);
  if (me->failed) return n;
  me->passing.passed += done - (me->in.items - handled) - (me->passing.ended - combined);
  current->at += done * (item + SCREE__TAG);
  return done;
}

static uint32_t pass_sized(scree__worker *me, scree__current *current, const slice *s, uint32_t n, uint32_t item) {
  if (s->en_route) return pass(me, current, s, n, item, true);
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

/* Of messages to workers, none is to a progress thread, which passes them on. */
static uint32_t own_dest(const scree__worker *me, const scree__type *of) {
  if (!(of->flags & SCREE_TO_WORKER)) return me->head.rank;
  return scree__is_progress(me) ? UINT32_MAX : me->head.rank * me->head.threads + me->head.index;
}

static slice slice_of(const scree__worker *me, uint32_t type, uint32_t hop_class) {
  const scree__type *of = &me->world->types[type];
  const bool one_table = me->world->hops.tables == 1; /* else a lane follows from where an item came from */
  scree__holder *holder = of->en_route && one_table ? scree__holder_of(me, of->en_route->holder) : NULL;
  return (slice){.type = type,
                 .dest = own_dest(me, of),
                 .hop_class = hop_class,
                 .next = of->next[hop_class],
                 .lanes = me->lanes.row[type].lane,
                 .any_source = (of->flags & SCREE_ANY_SOURCE) != 0,
                 .en_route = holder ? of->en_route : NULL,
                 .holder = holder,
                 .arrived = hop_class == scree__direct_class(me)};
}

/* Nothing moved: the next item waits for a block, and those that could come free may lie half full in other lanes. */
static void wait_for_room(scree__worker *me) {
  me->passing.stalls++;
  scree__flush_all(me, SCREE__FLUSH_EARLY);
}

/* One batch of the current block of that class: at most batch_max items. False: it waits, and nothing has moved. */
bool scree__pass(scree__worker *me, uint32_t hop_class) {
  scree__current *current = &me->in.current[hop_class];
  const uint32_t max = (uint32_t)me->world->options.batch_max, n = current->left < max ? current->left : max;
  const slice s = slice_of(me, current->block->wire.segment.type, hop_class);
  const uint32_t done = pass_sized(me, current, &s, n, me->world->types[s.type].item);
  SCREE__INVARIANT(done <= n && n > 0);
  current->left -= done;
  if (done == 0) wait_for_room(me);
  return done > 0;
}

/* The next rank of the next item in the current block of that class. */
uint32_t scree__next_rank(const scree__worker *me, uint32_t hop_class) {
  const scree__current *current = &me->in.current[hop_class];
  const slice s = slice_of(me, current->block->wire.segment.type, hop_class);
  return scree__lane_hop(me, s.type, s.next[dest_of(current->at, me->world->types[s.type].item)]).rank;
}
