/* reduced_stats.c - the statistics of reduced types, printed. */
#include <scree/reduced.h>

#include "base/counters.h"
#include "observe/json.h"
#include "observe/observe.h"

#define COUNTER(FIELD, OF, TEXT) SCREE__COUNTER(scree_reduced_stats, FIELD, OF, TEXT)
const scree__counter scree__reduced_counters[] = {
    COUNTER(looked_up, SUM, "looked up"),
    COUNTER(combined, SUM, "combined"),
    COUNTER(evicted, SUM, "evicted"),
    COUNTER(emptied, SUM, "emptied"),
    COUNTER(switched_off, SUM, "times switched off"),
    COUNTER(entries, MAX, "entries"),
    {0},
};
#undef COUNTER

static void print_one(const scree_world *world, uint32_t type, const scree_reduced_stats *s, FILE *to, bool json) {
  if (json) {
    fputs("{\"type\":", to);
    scree__json_string(world->types[type].name, to);
  } else {
    fprintf(to, "  reduced type '%s': ", world->types[type].name);
  }
  scree__counters_print(scree__reduced_counters, s, to, json);
  fputs(json ? "}" : "\n", to);
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
