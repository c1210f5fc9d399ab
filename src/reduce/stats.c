/* stats.c - what the caches of reduced types have done, and the memory that they hold. */
#include "reduce/caches.h"

void scree__cache_add(const scree__worker *me, uint32_t type, scree_reduced_stats *to) {
  const scree__cache_kept *kept = scree__cache_of(me, type);
  if (!kept) return;
  const scree__cache *c = &scree__caches_of(me)->shown[type];
  to->looked_up += c->combined + c->missed;
  to->combined += c->combined;
  to->evicted += kept->of->holds ? c->missed - kept->emptied - c->count : 0;
  to->emptied += kept->emptied;
  to->switched_off += kept->switched_off;
  to->entries = kept->room;
}

uint64_t scree__caches_bytes(const scree__worker *me) {
  const scree__caches *c = scree__caches_of(me);
  if (!c) return 0;
  uint64_t bytes = sizeof *c + c->types * (sizeof *c->shown + sizeof *c->kept);
  for (uint32_t t = 0; t < c->types; t++) {
    const scree__cache_kept *kept = &c->kept[t];
    if (kept->entries)
      bytes += (uint64_t)kept->room * (kept->of->entry + (kept->of->holds ? sizeof *c->shown[t].used : 0));
  }
  return bytes;
}
