/* cache.c - the caches of reduced types, one for each worker and type: showing them to sends, emptying, ageing, dropping.
 *
 * A held item is a message that no counter shows, as one in a lane is: a worker that has one is not idle
 * (scree__locally_idle). Emptying takes blocks as the forward pass does, so no private memory: an item whose lane has no room
 * stays. Nothing waits for it, since a cache holds no block; a send that waits for room leaves it alone too, since to combine
 * pays most while receivers do not keep up. Sends look at a cache only while `entries` is set: outside epochs, in failed and
 * in checked worlds, and where it does not pay, they are those of a type that is not reduced.
 *
 * A cache that does not hold only remembers what was sent in the open epoch. */
#include <string.h>

#include "core/world.h"

enum {
  PAUSE = 1 << 20,      /* items sent between switching a cache off and its next try */
  PAUSE_MAX = 16 << 20, /* the most of them: a try that did not pay doubles the pause */
  AGES = 64             /* of a block, that an item waits: to empty a cache more often would cost more than it gains */
};

static char *entry_at(const scree__worker *me, uint32_t type, uint32_t i) {
  return me->kept[type].entries + (size_t)i * me->world->types[type].reduction->entry;
}

static bool holds(const scree__worker *me, uint32_t type) {
  return me->caches[type].count && me->world->types[type].reduction->holds;
}

/* Items that wait, and that no counter shows. */
uint64_t scree__caches_held(const scree__worker *me) {
  uint64_t sum = 0;
  for (uint32_t t = 0; t < me->cache_types; t++)
    if (holds(me, t)) sum += me->caches[t].count;
  return sum;
}

/* ---- whether sends look at it ---- */

static void show(scree__worker *me, uint32_t type) {
  const bool used = me->caches_open && !me->kept[type].off && !me->failed && !me->world->checked;
  me->caches[type].entries = used ? me->kept[type].entries : NULL;
}

/* The worker has begun an epoch. */
void scree__caches_open(scree__worker *me) {
  me->caches_open = true;
  for (uint32_t t = 0; t < me->cache_types; t++) show(me, t);
}

/* Entries of other epochs are as good as empty; once in a while the numbers of epochs begin again. */
static void forget_sent(scree__worker *me, uint32_t type) {
  scree__cache *c = &me->caches[type];
  const scree__cache_kept *kept = &me->kept[type];
  c->to += kept->epoch;
  if (c->to) return;
  memset(kept->entries, 0, (size_t)kept->room * sizeof(scree__sent));
  c->to = kept->epoch;
}

static void forget(scree__worker *me, uint32_t type) {
  scree__cache *c = &me->caches[type];
  const uint64_t empty = 0;
  for (uint32_t i = 0; i < c->count; i++) memcpy(entry_at(me, type, c->used[i]), &empty, sizeof empty);
  c->count = 0;
  me->kept[type].since = 0;
}

/* The worker leaves the epoch: no item waits, and what was remembered holds for that epoch. Or the world has failed: items that
 * wait are dropped, as those in lanes. */
void scree__caches_close(scree__worker *me) {
  me->caches_open = false;
  for (uint32_t t = 0; t < me->cache_types; t++) {
    show(me, t);
    if (!me->kept[t].entries) continue;
    if (me->world->types[t].reduction->holds)
      forget(me, t);
    else
      forget_sent(me, t);
  }
}

/* ---- emptying ---- */

/* Sends the item of an entry on. False: there is no room. */
bool scree__cache_leave(scree__worker *me, uint32_t type, const char *entry) {
  const scree__type *of = &me->world->types[type];
  const bool routed = scree__is_routed(of);
  uint64_t to;
  memcpy(&to, entry, sizeof to);
  const uint32_t tag = (uint32_t)to, lane = routed ? of->next[0][tag & UINT16_MAX] : tag;
  char *slot = scree__pass_slot(me, type, lane, of->record);
  if (!slot) return false;
  memcpy(slot, entry + of->reduction->at, of->item);
  if (routed) memcpy(slot + of->item, &tag, sizeof tag);
  return true;
}

/* Sends what waits, as far as there is room; the cost follows the entries in use. True: any was sent. */
bool scree__cache_empty(scree__worker *me, uint32_t type) {
  if (type >= me->cache_types || !holds(me, type)) return false;
  scree__cache *c = &me->caches[type];
  const uint64_t empty = 0;
  uint32_t left = 0, i = 0;
  for (; i < c->count && !me->failed; i++) {
    char *entry = entry_at(me, type, c->used[i]);
    if (scree__cache_leave(me, type, entry))
      memcpy(entry, &empty, sizeof empty);
    else
      c->used[left++] = c->used[i];
  }
  if (me->failed) return true; /* all were dropped */
  me->kept[type].emptied += i - left;
  c->count = left;
  me->kept[type].since = 0;
  return left < i;
}

bool scree__caches_empty(scree__worker *me) {
  bool any = false;
  for (uint32_t t = 0; t < me->cache_types; t++) any |= scree__cache_empty(me, t);
  return any;
}

/* Sends what has waited for AGES times flush_age since a turn of progress first saw that the cache holds items, and publishes it. */
bool scree__caches_age(scree__worker *me) {
  bool any = false;
  for (uint32_t t = 0; t < me->cache_types; t++) {
    if (!holds(me, t)) continue;
    uint64_t now = scree__now(me), *since = &me->kept[t].since;
    if (*since == 0)
      *since = now + 1;
    else if (now + 1 - *since > AGES * me->world->options.flush_age)
      any |= scree__cache_empty(me, t);
  }
  if (any) scree__flush_all(me, SCREE__FLUSH_EARLY);
  return any;
}

/* ---- option reduce=auto ---- */

/* Called each time that REDUCE_WINDOW more items have found nothing of their key. */
void scree__cache_review(scree_worker *worker, uint32_t type) {
  scree__worker *me = scree__worker_of(worker);
  scree__cache *c = &me->caches[type];
  scree__cache_kept *kept = &me->kept[type];
  const uint64_t combined = c->combined - kept->seen;
  kept->seen = c->combined;
  c->review = c->missed + SCREE__REDUCE_WINDOW;
  if (combined >= kept->least) {
    kept->pause = 0;
    return;
  }
  kept->off = true;
  kept->plain = 0;
  kept->pause = kept->pause == 0 ? PAUSE : kept->pause < PAUSE_MAX ? 2 * kept->pause : PAUSE_MAX;
  kept->switched_off++;
  show(me, type); /* what waits is sent when the cache is emptied next */
}

/* So many items of the type left in a block. */
void scree__cache_count(scree__worker *me, uint32_t type, uint32_t items) {
  if (type >= me->cache_types || !me->kept[type].off) return;
  scree__cache_kept *kept = &me->kept[type];
  kept->plain += items;
  if (kept->plain < kept->pause) return;
  kept->off = false;
  kept->seen = me->caches[type].combined;
  me->caches[type].review = me->caches[type].missed + SCREE__REDUCE_WINDOW;
  show(me, type);
}
