/* heap.h - a heap of any arity that knows the index of each vertex. The arity is a constant where it is inlined. Entries
 * carry their keys, so that a comparison touches no other memory. */
#ifndef SCREE__HEAP_H
#define SCREE__HEAP_H
#include <stdlib.h>

#include "queue/queue.h"

typedef struct {
  double key;
  uint32_t vertex;
} scree__heap_entry;

typedef struct {
  scree__queue head;
  scree__heap_entry *entries;
  uint32_t *index; /* index of a vertex in entries, plus one; 0: not there */
} scree__heap;

static inline void scree__heap_free(scree__queue *queue) {
  scree__heap *h = (scree__heap *)queue;
  if (!h) return;
  free(h->entries);
  free(h->index);
  free(h);
}

static inline scree__queue *scree__heap_make(const scree__queue_kind *kind, uint64_t vertices) {
  scree__heap *h = calloc(1, sizeof *h);
  if (!h) return NULL;
  h->head.kind = kind;
  h->entries = malloc((size_t)(vertices + 1) * sizeof *h->entries);
  h->index = calloc((size_t)vertices + 1, sizeof *h->index);
  if (h->entries && h->index) return &h->head;
  scree__heap_free(&h->head);
  return NULL;
}

static inline void scree__heap_put(scree__heap *h, uint32_t i, scree__heap_entry entry) {
  h->entries[i] = entry;
  h->index[entry.vertex] = i + 1;
}

static inline void scree__heap_rise(scree__heap *h, uint32_t i, scree__heap_entry entry, uint32_t arity) {
  while (i) {
    uint32_t up = (i - 1) / arity;
    if (h->entries[up].key <= entry.key) break;
    scree__heap_put(h, i, h->entries[up]);
    i = up;
  }
  scree__heap_put(h, i, entry);
}

static inline void scree__heap_sink(scree__heap *h, uint32_t i, scree__heap_entry entry, uint32_t arity) {
  const uint64_t count = h->head.count;
  for (uint64_t first; (first = arity * (uint64_t)i + 1) < count;) {
    uint64_t last = first + arity < count ? first + arity : count, min = first;
    for (uint64_t c = first + 1; c < last; c++)
      if (h->entries[c].key < h->entries[min].key) min = c;
    if (entry.key <= h->entries[min].key) break;
    scree__heap_put(h, i, h->entries[min]);
    i = (uint32_t)min;
  }
  scree__heap_put(h, i, entry);
}

static inline void scree__heap_push(scree__queue *queue, uint32_t vertex, double key, uint32_t arity) {
  scree__heap *h = (scree__heap *)queue;
  scree__heap_entry entry = {key, vertex};
  uint32_t index = h->index[vertex];
  if (!index)
    scree__heap_rise(h, h->head.count++, entry, arity);
  else if (key < h->entries[index - 1].key)
    scree__heap_rise(h, index - 1, entry, arity);
}

static inline uint32_t scree__heap_pop(scree__queue *queue, uint32_t arity) {
  scree__heap *h = (scree__heap *)queue;
  uint32_t vertex = h->entries[0].vertex;
  h->index[vertex] = 0;
  if (--h->head.count) scree__heap_sink(h, 0, h->entries[h->head.count], arity);
  return vertex;
}

#endif
