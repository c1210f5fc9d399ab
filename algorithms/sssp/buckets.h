/* buckets.h - the buckets of Delta-stepping: sets of local vertices, numbered cyclically.
 *
 * Beside the buckets there is one more set, of the settled. A vertex is in one set at most. Local; owner's thread. */
#ifndef SCREE__BUCKETS_H
#define SCREE__BUCKETS_H
#include "queue/lists.h"

#define SCREE__BUCKETS_MAX (UINT64_C(1) << 24) /* maximum of buckets in use at a time: 64 MiB of heads */
#define SCREE__NO_VERTEX32 UINT32_MAX

typedef struct {
  scree__lists sets; /* bucket b is in the slot b % span; the settled are the last one */
  uint32_t span;     /* slots of buckets */
  uint64_t waiting;  /* vertices in buckets */
} scree__buckets;

/* `buckets` is zeroed before. False: no memory. Free them in either case. span <= SCREE__BUCKETS_MAX. */
bool scree__buckets_init(scree__buckets *buckets, const scree_graph *g, uint64_t span);
static inline void scree__buckets_free(scree__buckets *buckets) {
  scree__lists_free(&buckets->sets);
}

/* Moves vertex v, from wherever it is, into bucket b, or among the settled. */
void scree__buckets_put(scree__buckets *buckets, uint32_t v, uint64_t b);
void scree__buckets_settle(scree__buckets *buckets, uint32_t v);
/* Takes any vertex out of the settled; SCREE__NO_VERTEX32: none. */
uint32_t scree__buckets_settled(scree__buckets *buckets);

/* Any vertex of bucket b, which stays there; SCREE__NO_VERTEX32: none. */
static inline uint32_t scree__buckets_head(const scree__buckets *buckets, uint64_t b) {
  return buckets->sets.head[b % buckets->span] - 1;
}
/* The first bucket from b on that holds a vertex; UINT64_MAX: none. */
uint64_t scree__buckets_first(const scree__buckets *buckets, uint64_t b);

#endif
