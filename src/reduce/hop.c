/* hop.c - the forward pass of a reduced type: what goes on from here passes through the cache of this worker. */
#include "core/world.h"

/* Is the entry's lane one that blocks of that class may wait for? Else a class would wait for one that is not above it:
 * src/core/pass.c says why that must not be. */
static bool may_wait_for(const scree__worker *me, uint32_t type, const void *entry, uint32_t hop_class) {
  const uint32_t dest = *(const uint64_t *)entry & UINT16_MAX;
  return scree__lane_hop(me, type, me->world->types[type].next[0][dest]).hop_class > hop_class;
}

/* Of a type that asks for its source, items of one origin alone are combined. Whether an item is needless does not depend on
 * who sent it. */
static uint64_t to_of(const scree__worker *me, const scree__type *of, uint32_t tag) {
  if (!of->reduction->holds) return tag & UINT16_MAX;
  return SCREE__TO | (of->flags & SCREE_ANY_SOURCE ? me->head.tag | (tag & UINT16_MAX) : tag);
}

static void put(scree__worker *me, uint32_t type, const char *item, uint64_t to) {
  scree__cache *c = &me->caches[type];
  me->world->types[type].reduction->put(c, item, to);
  if (c->missed >= c->review) scree__cache_review(&me->head, type);
}

/* An item on its way to `tag`. */
scree__cached scree__cache_pass(scree__worker *me, uint32_t type, uint32_t hop_class, const char *item, uint32_t tag) {
  const scree__type *of = &me->world->types[type];
  scree__cache *c = &me->caches[type];
  const uint64_t to = to_of(me, of, tag);
  void *victim = NULL;
  if (!c->entries) return SCREE__CACHED_NOT;
  if (of->reduction->covers(c, item, to, &victim)) return SCREE__CACHED_COMBINED;
  if (!of->reduction->holds) return SCREE__CACHED_SENT;
  if (victim && !may_wait_for(me, type, victim, hop_class)) return SCREE__CACHED_NOT;
  if (victim && !scree__cache_leave(me, type, victim)) return SCREE__CACHED_STUCK;
  put(me, type, item, to);
  return SCREE__CACHED_KEPT;
}

/* An item of a type whose caches only remember has been sent on. */
void scree__cache_remember(scree__worker *me, uint32_t type, const char *item, uint32_t tag) {
  if (me->caches[type].entries) put(me, type, item, to_of(me, &me->world->types[type], tag));
}
