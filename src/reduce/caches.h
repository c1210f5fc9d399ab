/* caches.h - the caches of reduced types, one for each worker and type: a feature that joins worlds, and a holder of
 * each worker that has one. Each function is described where it is defined. */
#ifndef SCREE__CACHES_H
#define SCREE__CACHES_H
#include <scree/reduced.h>

#include "core/holder.h"

enum {
  SCREE__CACHE_MIN = 16,      /* entries */
  SCREE__REDUCE_WINDOW = 4096 /* items that find no entry of their key until the next review */
};

/* The private half of a cache. */
typedef struct {
  const scree__reduction *of; /* NULL: the type is not reduced */
  char *entries;              /* NULL: there is none */
  uint32_t room;              /* of them, at most */
  uint64_t epoch;       /* of a type that is filtered: what an epoch adds to `to`, above the bits of destinations */
  bool off;             /* it does not pay at present */
  uint64_t since;       /* ns and 1: when it was first seen to hold an item; 0: not since it was emptied */
  uint64_t min, seen;   /* items to combine until the next review, else it is off; combined at the last one */
  uint64_t sent_at_off; /* items of the type that had been sent when it was switched off */
  uint32_t pause;       /* items sent until the next try; 0: it paid, or is new */
  uint64_t emptied, switched_off;
} scree__cache_kept;

/* Of one worker. */
typedef struct {
  scree__holder holder; /* must be first */
  scree__cache *shown;  /* by type; what head.cache points to */
  scree__cache_kept *kept;
  uint32_t types; /* that both have; 0: no type is reduced */
  bool open;      /* sends may use them */
} scree__caches;

/* cache.c */
extern const scree__holder_ops scree__caches_ops;
/* register.c */
extern const scree__feature scree__reduce_feature;
/* hop.c */
extern const scree__en_route_ops scree__caches_en_route;

/* NULL: no type of the world is reduced. */
static inline scree__caches *scree__caches_of(const scree__worker *me) {
  return (scree__caches *)scree__holder_of(me, &scree__caches_ops);
}
/* That type's; NULL: it is not reduced. */
static inline const scree__cache_kept *scree__cache_of(const scree__worker *me, uint32_t type) {
  const scree__caches *c = scree__caches_of(me);
  return c && type < c->types && c->kept[type].of ? &c->kept[type] : NULL;
}

/* cache.c */
uint64_t scree__caches_held(const scree__worker *me, uint32_t type);
bool scree__cache_leave(scree__worker *me, uint32_t type, const scree__reduction *of, const char *entry);
/* cost.c */
uint64_t scree__reduce_needed(const scree_world *world, uint32_t item, uint32_t entry, uint32_t entries);
/* stats.c */
void scree__cache_add(const scree__worker *me, uint32_t type, scree_reduced_stats *to);
uint64_t scree__caches_bytes(const scree__worker *me);
#endif
