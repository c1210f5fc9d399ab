/* reduced_stats.c - the statistics of reduced types, printed. */
#include <scree/reduced.h>

#include "observe/json.h"
#include "observe/observe.h"

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

/* Of the types that have used a cache: lines, or the elements of a JSON array. */
void scree__caches_print(const scree_world *world, FILE *to, bool json) {
  bool first = true;
  for (uint32_t t = 1; t <= world->type_count; t++) {
    scree_reduced_stats s = {.size = sizeof s};
    if (scree_stats_reduced(world, t, &s) || !s.looked_up) continue;
    if (json && !first) fputc(',', to);
    print_one(world, t, &s, to, json);
    first = false;
  }
}
