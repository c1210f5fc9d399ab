/* buckets.h - the buckets of Delta-stepping: sets of local vertices, numbered cyclically.
 *
 * They are doubly linked lists through the vertices, so that each vertex is in one set at most, moves in constant time,
 * and no handler needs memory. Beside the buckets there is one more set, of the settled. Local; owner's thread. */
#ifndef SCREE__BUCKETS_H
#define SCREE__BUCKETS_H
#include <stdbool.h>
#include <stdint.h>

#define SCREE__BUCKETS_MAX (UINT64_C(1) << 24) /* most buckets in use at a time: 64 MiB of heads */
#define SCREE__NO_VERTEX32 UINT32_MAX

typedef struct {
  uint32_t *next, *previous; /* of each vertex, in its set */
  uint32_t *set;             /* of each vertex: slot of its bucket, `span` for the settled, or SCREE__NO_VERTEX32 */
  uint32_t *head;            /* first vertex of each set */
  uint32_t span;             /* number of slots: bucket b is in slot b % span */
  uint64_t waiting;          /* vertices in buckets */
} scree__buckets;

/* False: no memory. Freed by scree__buckets_free in either case. span <= SCREE__BUCKETS_MAX. */
bool scree__buckets_init(scree__buckets *buckets, uint64_t vertices, uint64_t span);
void scree__buckets_free(scree__buckets *buckets);

/* Moves vertex v, from wherever it is, into bucket b, or among the settled. */
void scree__buckets_put(scree__buckets *buckets, uint32_t v, uint64_t b);
void scree__buckets_settle(scree__buckets *buckets, uint32_t v);
/* Takes any vertex out of the settled; SCREE__NO_VERTEX32: none. */
uint32_t scree__buckets_settled(scree__buckets *buckets);

/* Any vertex of bucket b, which stays there; SCREE__NO_VERTEX32: none. */
static inline uint32_t scree__buckets_head(const scree__buckets *buckets, uint64_t b) {
  return buckets->head[b % buckets->span];
}
/* The first bucket from b on that holds a vertex; UINT64_MAX: none. */
uint64_t scree__buckets_first(const scree__buckets *buckets, uint64_t b);

#endif
