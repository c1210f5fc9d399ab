/* heap_dary.c - the d-ary heap, which knows the index of each vertex: with four children, half the depth of a binary
 * heap; siblings share one or two cache lines. Entries carry their keys, so that a comparison touches no other
 * memory. */
#include <stdlib.h>

#include "queue/queue.h"

enum { ARITY = 4 };

typedef struct {
  double key;
  uint32_t vertex;
} entry;

typedef struct {
  scree__queue head;
  entry *entries;
  uint32_t *index; /* index of a vertex in entries, plus one; 0: not there */
} heap;

static void free_heap(scree__queue *queue) {
  heap *h = (heap *)queue;
  if (!h) return;
  free(h->entries);
  free(h->index);
  free(h);
}

static scree__queue *make(const scree_graph *graph, const double *key) {
  (void)key;
  heap *h = calloc(1, sizeof *h);
  if (!h) return NULL;
  h->head.kind = &scree__queue_dary;
  h->entries = malloc((size_t)(graph->locals + 1) * sizeof *h->entries);
  h->index = calloc((size_t)graph->locals + 1, sizeof *h->index);
  if (h->entries && h->index) return &h->head;
  free_heap(&h->head);
  return NULL;
}

static void put(heap *h, uint32_t i, entry one) {
  h->entries[i] = one;
  h->index[one.vertex] = i + 1;
}

static void rise(heap *h, uint32_t i, entry one) {
  while (i) {
    uint32_t up = (i - 1) / ARITY;
    if (h->entries[up].key <= one.key) break;
    put(h, i, h->entries[up]);
    i = up;
  }
  put(h, i, one);
}

static void sink(heap *h, uint32_t i, entry one) {
  const uint64_t count = h->head.count;
  for (uint64_t first; (first = ARITY * (uint64_t)i + 1) < count;) {
    uint64_t last = first + ARITY < count ? first + ARITY : count, min = first;
    for (uint64_t c = first + 1; c < last; c++)
      if (h->entries[c].key < h->entries[min].key) min = c;
    if (one.key <= h->entries[min].key) break;
    put(h, i, h->entries[min]);
    i = (uint32_t)min;
  }
  put(h, i, one);
}

static void push(scree__queue *queue, uint32_t vertex, double key) {
  heap *h = (heap *)queue;
  entry one = {key, vertex};
  uint32_t index = h->index[vertex];
  if (!index)
    rise(h, h->head.count++, one);
  else if (key < h->entries[index - 1].key)
    rise(h, index - 1, one);
}

static uint32_t pop(scree__queue *queue) {
  heap *h = (heap *)queue;
  uint32_t vertex = h->entries[0].vertex;
  h->index[vertex] = 0;
  if (--h->head.count) sink(h, 0, h->entries[h->head.count]);
  return vertex;
}

const scree__queue_kind scree__queue_dary = {
    .make = make,
    .free = free_heap,
    .push = push,
    .pop = pop,
};
