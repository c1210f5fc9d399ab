/* freelist.h - small things of one size, made in slabs, used again and freed all at once. */
#ifndef SCREE__FREELIST_H
#define SCREE__FREELIST_H
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/invariant.h"

typedef struct {
  void *free, *slabs; /* lists by the first word */
} scree__freelist;

enum { SCREE__SLAB_ITEMS = 64 };

static inline void scree__freelist_put(scree__freelist *list, void *item) {
  SCREE__INVARIANT(item && item != list->free);
  *(void **)item = list->free;
  list->free = item;
}

/* Zeroed, of that size, which is the same in all calls. NULL: no memory. */
static inline void *scree__freelist_get(scree__freelist *list, size_t bytes) {
  const size_t size = (bytes + 15) / 16 * 16;
  if (!list->free) {
    char *slab = aligned_alloc(16, 16 + SCREE__SLAB_ITEMS * size);
    if (!slab) return NULL;
    *(void **)(void *)slab = list->slabs;
    list->slabs = slab;
    for (size_t i = SCREE__SLAB_ITEMS; i-- > 0;) scree__freelist_put(list, slab + 16 + i * size);
  }
  void *item = list->free;
  list->free = *(void **)item;
  return memset(item, 0, size);
}

static inline void scree__freelist_close(scree__freelist *list) {
  for (void *next; list->slabs; list->slabs = next) {
    next = *(void **)list->slabs;
    free(list->slabs);
  }
}
#endif
