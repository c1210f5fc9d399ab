/* cache.c - the caches of reduced types, one for each worker and type: showing them to sends, emptying, ageing,
 * dropping.
 *
 * A held item is a message that no counter shows, as one in a lane is: a worker that has one is not idle
 * (scree__locally_idle). Emptying takes blocks as the forward pass does, so no private memory: an item whose lane has
 * no space stays. Nothing waits for it, because a cache holds no block; a send that waits for space does not empty the
 * cache either, because combining pays most while receivers do not keep up. Sends use a cache only while `entries` is
 * set: outside epochs, in failed and in checked worlds, and where it does not pay, they are those of a type that is not
 * reduced.
 *
 * A cache that does not hold only remembers what was sent in the open epoch. */
#include "reduce/caches.h"

#include <stdlib.h>
#include <string.h>

#include "core/lane.h"
#include "core/pass.h"

enum {
  PAUSE = 1 << 20,      /* items sent between switching a cache off and its next trial */
  PAUSE_MAX = 16 << 20, /* the maximum of them: a trial that did not pay doubles the pause */
  AGES = 64             /* of a block, that an item waits: emptying a cache more often would cost more than it saves */
};

static char *entry_at(const scree__cache_kept *kept, uint32_t i) {
  return kept->entries + (size_t)i * kept->of->entry;
}

static bool holds(const scree__caches *c, uint32_t type) {
  return c->shown[type].count && c->kept[type].of->holds;
}

/* Items of the type that wait, and that no counter shows. */
uint64_t scree__caches_held(const scree__worker *me, uint32_t type) {
  const scree__caches *c = scree__caches_of(me);
  return c && type < c->types && holds(c, type) ? c->shown[type].count : 0;
}

static bool held(const scree__worker *me, const scree__holder *holder) {
  const scree__caches *c = (const scree__caches *)holder;
  (void)me;
  for (uint32_t t = 0; t < c->types; t++)
    if (holds(c, t)) return true;
  return false;
}

/* ---- whether sends use it ---- */

static void show(const scree__worker *me, scree__caches *c, uint32_t type) {
  const bool used = c->open && !c->kept[type].off && !me->failed && !me->world->checked;
  c->shown[type].entries = used ? c->kept[type].entries : NULL;
}

static void set_open(const scree__worker *me, scree__caches *c, bool open) {
  c->open = open;
  for (uint32_t t = 0; t < c->types; t++) show(me, c, t);
}

static void begin(scree__worker *me, scree__holder *holder) {
  set_open(me, (scree__caches *)holder, true);
}

/* Entries of other epochs count as empty; after many epochs their numbers start again. */
static void forget_sent(scree__cache *c, const scree__cache_kept *kept) {
  c->to += kept->epoch;
  if (c->to) return;
  memset(kept->entries, 0, (size_t)kept->room * sizeof(scree__sent));
  c->to = kept->epoch;
}

static void forget(scree__cache *c, scree__cache_kept *kept) {
  const uint64_t empty = 0;
  for (uint32_t i = 0; i < c->count; i++) memcpy(entry_at(kept, c->used[i]), &empty, sizeof empty);
  c->count = 0;
  kept->since = 0;
}

/* The worker leaves the epoch: no item waits, and what was remembered was valid only in that epoch. Or the world has
 * failed: items that wait are dropped, as those in lanes. */
static void leave(scree__worker *me, scree__holder *holder) {
  scree__caches *c = (scree__caches *)holder;
  set_open(me, c, false);
  for (uint32_t t = 0; t < c->types; t++) {
    if (c->kept[t].entries)
      (c->kept[t].of->holds ? forget(&c->shown[t], &c->kept[t]) : forget_sent(&c->shown[t], &c->kept[t]));
  }
}

/* ---- emptying ---- */

/* Sends the item of an entry on. False: there is no space. */
bool scree__cache_leave(scree__worker *me, uint32_t type, const scree__reduction *reduction, const char *entry) {
  const scree__type *of = &me->world->types[type];
  const bool routed = scree__is_routed(of);
  uint64_t to;
  memcpy(&to, entry, sizeof to);
  const uint32_t tag = (uint32_t)to, lane = routed ? of->next[0][tag & UINT16_MAX] : tag;
  char *slot = scree__pass_slot(me, type, lane, of->record);
  if (!slot) return false;
  memcpy(slot, entry + reduction->at, of->item);
  if (routed) memcpy(slot + of->item, &tag, sizeof tag);
  return true;
}

/* Sends what waits, as far as there is space; the cost is proportional to the entries in use. True: any was sent. */
static bool empty_one(scree__worker *me, scree__caches *caches, uint32_t type) {
  scree__cache *c = &caches->shown[type];
  scree__cache_kept *kept = &caches->kept[type];
  const uint64_t empty = 0;
  uint32_t left = 0, i = 0;
  if (!holds(caches, type)) return false;
  for (; i < c->count && !me->failed; i++) {
    char *entry = entry_at(kept, c->used[i]);
    if (scree__cache_leave(me, type, kept->of, entry))
      memcpy(entry, &empty, sizeof empty);
    else
      c->used[left++] = c->used[i];
  }
  if (me->failed) return true; /* all were dropped */
  kept->emptied += i - left;
  c->count = left;
  kept->since = 0;
  return left < i;
}

static void empty(scree__worker *me, scree__holder *holder, uint32_t type) {
  scree__caches *c = (scree__caches *)holder;
  for (uint32_t t = 0; t < c->types; t++)
    if (type == SCREE_ALL || type == t) empty_one(me, c, t);
}

/* ---- option combine=auto ---- */

/* Called each time that REDUCE_WINDOW further items have found no entry of their key. */
void scree__cache_review(scree_worker *worker, uint32_t type) {
  scree__worker *me = scree__worker_of(worker);
  scree__caches *caches = scree__caches_of(me);
  scree__cache *c = &caches->shown[type];
  scree__cache_kept *kept = &caches->kept[type];
  const uint64_t combined = c->combined - kept->seen;
  kept->seen = c->combined;
  c->review = c->missed + SCREE__REDUCE_WINDOW;
  if (combined >= kept->min) {
    kept->pause = 0;
    return;
  }
  kept->off = true;
  kept->sent_at_off = me->in.arrivals[type].sent;
  kept->pause = kept->pause == 0 ? PAUSE : kept->pause < PAUSE_MAX ? 2 * kept->pause : PAUSE_MAX;
  kept->switched_off++;
  show(me, caches, type); /* what waits is sent when the cache is emptied next */
}

/* Tries again after the pause. */
static void switch_on(const scree__worker *me, scree__caches *c, uint32_t type) {
  scree__cache_kept *kept = &c->kept[type];
  if (me->in.arrivals[type].sent - kept->sent_at_off < kept->pause) return;
  kept->off = false;
  kept->seen = c->shown[type].combined;
  c->shown[type].review = c->shown[type].missed + SCREE__REDUCE_WINDOW;
  show(me, c, type);
}

/* Sends what has waited for AGES times flush_age since a progress step first saw that the cache holds items, and
 * publishes it. */
static bool age(scree__worker *me, scree__holder *holder) {
  scree__caches *c = (scree__caches *)holder;
  bool any = false;
  for (uint32_t t = 0; t < c->types; t++) {
    if (!c->shown[t].entries && c->kept[t].off) switch_on(me, c, t);
    if (!holds(c, t)) continue;
    uint64_t now = scree__now(me), *since = &c->kept[t].since;
    if (*since == 0)
      *since = now + 1;
    else if (now + 1 - *since > AGES * me->world->options.flush_age)
      any |= empty_one(me, c, t);
  }
  if (any) scree__flush_all(me, SCREE__FLUSH_EARLY);
  return any;
}

static void free_all(scree__holder *holder) {
  scree__caches *c = (scree__caches *)holder;
  free(c->shown);
  free(c->kept);
  free(c);
}

const scree__holder_ops scree__caches_ops = {
    .begin = begin, .leave = leave, .held = held, .empty = empty, .age = age, .drop = leave, .free = free_all};
