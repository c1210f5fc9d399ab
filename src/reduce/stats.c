/* stats.c - what the caches of reduced types have done, and the memory that they hold. */
#include "core/world.h"
#include "trace/json.h"

void scree__cache_add(const scree__worker *me, uint32_t type, scree_reduced_stats *to) {
  if (type >= me->cache_types || !me->world->types[type].reduction) return;
  const scree__cache *c = &me->caches[type];
  const scree__cache_kept *kept = &me->kept[type];
  const bool held = me->world->types[type].reduction->holds;
  to->looked_up += c->combined + c->missed;
  to->combined += c->combined;
  to->evicted += held ? c->missed - kept->emptied - c->count : 0;
  to->emptied += kept->emptied;
  to->switched_off += kept->switched_off;
  to->entries = kept->room;
}

uint64_t scree__caches_bytes(const scree__worker *me) {
  uint64_t bytes = me->cache_types * (sizeof *me->caches + sizeof *me->kept);
  for (uint32_t t = 0; t < me->cache_types; t++) {
    if (!me->kept[t].entries) continue;
    const scree__reduction *of = me->world->types[t].reduction;
    bytes += (uint64_t)me->kept[t].room * (of->entry + (of->holds ? sizeof *me->caches[t].used : 0));
  }
  return bytes;
}

static void print_one(const scree_world *world, uint32_t type, const scree_reduced_stats *s, FILE *to, bool json) {
  if (json) {
    fputs("{\"type\":", to);
    scree__json_string(world->types[type].name, to);
  } else {
    fprintf(to, "  reduced type '%s'", world->types[type].name);
  }
  fprintf(to,
          json ? ",\"looked_up\":%llu,\"combined\":%llu,\"evicted\":%llu,\"emptied\":%llu,\"switched_off\":%llu,"
                 "\"entries\":%llu}"
               : ": looked up %llu, combined %llu, evicted %llu, emptied %llu, switched off %llu times, entries %llu\n",
          (unsigned long long)s->looked_up, (unsigned long long)s->combined, (unsigned long long)s->evicted,
          (unsigned long long)s->emptied, (unsigned long long)s->switched_off, (unsigned long long)s->entries);
}

/* Of the types that have looked at a cache: lines, or the elements of a JSON array. */
void scree__caches_print(const scree_world *world, FILE *to, bool json) {
  bool first = true;
  for (uint32_t t = 0; t < world->type_count; t++) {
    scree_reduced_stats s;
    if (scree_stats_reduced(world, t, &s) || !s.looked_up) continue;
    if (json && !first) fputc(',', to);
    print_one(world, t, &s, to, json);
    first = false;
  }
}
