/* heap.c - the priority queue of heap.h.
 *
 * Room: see heap.h. Four children: half the depth of a binary heap, and siblings share a cache line. */
#include "heap.h"

#include <stdlib.h>

bool scree__heap_init(scree__heap *heap, uint64_t vertices) {
  heap->count = 0;
  heap->entries = malloc((size_t)(vertices + 1) * sizeof *heap->entries);
  heap->place = calloc((size_t)vertices + 1, sizeof *heap->place);
  return heap->entries && heap->place;
}

void scree__heap_free(scree__heap *heap) {
  free(heap->entries);
  free(heap->place);
}

static void put(scree__heap *heap, uint32_t i, scree__heap_entry entry) {
  heap->entries[i] = entry;
  heap->place[entry.vertex] = i + 1;
}

static void rise(scree__heap *heap, uint32_t i, scree__heap_entry entry) {
  while (i) {
    uint32_t up = (i - 1) / 4;
    if (heap->entries[up].key <= entry.key) break;
    put(heap, i, heap->entries[up]);
    i = up;
  }
  put(heap, i, entry);
}

static void sink(scree__heap *heap, uint32_t i, scree__heap_entry entry) {
  for (uint64_t first; (first = 4 * (uint64_t)i + 1) < heap->count;) {
    uint64_t last = first + 4 < heap->count ? first + 4 : heap->count, least = first;
    for (uint64_t c = first + 1; c < last; c++)
      if (heap->entries[c].key < heap->entries[least].key) least = c;
    if (entry.key <= heap->entries[least].key) break;
    put(heap, i, heap->entries[least]);
    i = (uint32_t)least;
  }
  put(heap, i, entry);
}

void scree__heap_push(scree__heap *heap, uint32_t vertex, double key) {
  scree__heap_entry entry = {key, vertex};
  uint32_t place = heap->place[vertex];
  if (!place)
    rise(heap, heap->count++, entry);
  else if (key < heap->entries[place - 1].key)
    rise(heap, place - 1, entry);
}

uint32_t scree__heap_pop(scree__heap *heap) {
  uint32_t vertex = heap->entries[0].vertex;
  heap->place[vertex] = 0;
  if (--heap->count) sink(heap, 0, heap->entries[heap->count]);
  return vertex;
}
