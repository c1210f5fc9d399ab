/* hop.c - the forward pass of a reduced type: what is sent on from here passes through the cache of this worker. */
#include "core/lane.h"
#include "reduce/caches.h"

/* True if the entry's lane is one that blocks of that class may wait for. Else a class would wait for one that is not
 * above it: src/core/pass.c explains why that is forbidden. */
static bool may_wait_for(const scree__worker *me, uint32_t type, const void *entry, uint32_t hop_class) {
  const uint32_t dest = *(const uint64_t *)entry & UINT16_MAX;
  return scree__lane_hop(me, type, me->world->types[type].next[0][dest]).hop_class > hop_class;
}

/* Of a type whose handlers use the source, only items of one origin are combined. Whether an item is needless does not
 * depend on its sender. */
static uint64_t to_of(const scree__worker *me, uint32_t type, const scree__reduction *of, uint32_t tag) {
  if (!of->holds) return tag & UINT16_MAX;
  return SCREE__TO | (me->world->types[type].flags & SCREE_ANY_SOURCE ? me->head.tag | (tag & UINT16_MAX) : tag);
}

static void put(scree__worker *me, scree__caches *caches, uint32_t type, const char *item, uint64_t to) {
  scree__cache *c = &caches->shown[type];
  caches->kept[type].of->put(c, item, to);
  if (c->missed >= c->review) scree__cache_review(&me->head, type);
}

/* An item that is in flight to `tag`. */
static scree__en_route pass(scree__worker *me, scree__holder *holder, uint32_t type, uint32_t hop_class,
                            const char *item, uint32_t tag) {
  scree__caches *caches = (scree__caches *)holder;
  const scree__reduction *of = caches->kept[type].of;
  scree__cache *c = &caches->shown[type];
  const uint64_t to = to_of(me, type, of, tag);
  void *victim = NULL;
  if (!c->entries) return SCREE__EN_ROUTE_SEND;
  if (of->covers(c, item, to, &victim)) return SCREE__EN_ROUTE_ENDED;
  if (!of->holds) return SCREE__EN_ROUTE_REPORT;
  if (victim && !may_wait_for(me, type, victim, hop_class)) return SCREE__EN_ROUTE_SEND;
  if (victim && !scree__cache_leave(me, type, of, victim)) return SCREE__EN_ROUTE_STUCK;
  put(me, caches, type, item, to);
  return SCREE__EN_ROUTE_HELD;
}

/* An item of a type whose caches only remember has been sent on. */
static void sent(scree__worker *me, scree__holder *holder, uint32_t type, const char *item, uint32_t tag) {
  scree__caches *caches = (scree__caches *)holder;
  if (caches->shown[type].entries) put(me, caches, type, item, to_of(me, type, caches->kept[type].of, tag));
}

const scree__en_route_ops scree__caches_en_route = {.holder = &scree__caches_ops, .pass = pass, .sent = sent};
