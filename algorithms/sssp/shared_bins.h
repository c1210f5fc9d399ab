/* shared_bins.h - a rank's vertices by bucket, in SSSP in arrays of the node. A vertex is in the bins of the rank that
 * improved it. An entry whose tag is not the vertex's distance is old: whoever lowered that has put in a newer one. So
 * of all ranks' entries of a vertex one is not old, and bins of as many entries as there are vertices never lack one
 * once old ones are dropped. Owner's thread. */
#ifndef SCREE__SHARED_BINS_H
#define SCREE__SHARED_BINS_H
#include <atomic_ops.h>

#include "kernel/kernel.h"

enum { SCREE__BINS = 1024 }; /* in use at a time at most; numbered cyclically */
#define SCREE__NO_ENTRY UINT32_MAX

typedef struct {
  uint32_t vertex, tag, next; /* packed location; distance when it was put in; entry */
} scree__bin_entry;

typedef struct {
  const AO_t *word; /* by packed location: distance << 32 | parent */
  scree__bin_entry *entry;
  uint32_t capacity, unused, free; /* entries; those from `unused` on were never used; a list */
  uint32_t taken;                  /* a list of entries of a bin that is emptied now */
  uint32_t head[SCREE__BINS];
} scree__bins;

uint64_t scree__bins_capacity(uint64_t vertices);
/* NULL: no memory, which scree__run_ready reports. */
scree__bins *scree__bins_make(const scree__run *run, const AO_t *word);
/* Drops old entries. */
void scree__bins_compact(scree__bins *bins);
/* Takes up to `most` vertices out of the bin, without old entries. */
uint32_t scree__bins_take(scree__bins *bins, uint32_t bucket, uint32_t *vertices, uint32_t most);

static inline void scree__bins_put(scree__bins *b, uint32_t bucket, uint32_t vertex, uint32_t distance) {
  uint32_t *const head = &b->head[bucket % SCREE__BINS];
  if (b->free == SCREE__NO_ENTRY && b->unused == b->capacity) scree__bins_compact(b);
  uint32_t i = b->free;
  if (i == SCREE__NO_ENTRY)
    i = b->unused++;
  else
    b->free = b->entry[i].next;
  b->entry[i] = (scree__bin_entry){vertex, distance, *head};
  *head = i;
}
static inline bool scree__bins_any(const scree__bins *b, uint32_t bucket) {
  return b->head[bucket % SCREE__BINS] != SCREE__NO_ENTRY;
}

#endif
