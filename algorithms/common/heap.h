/* heap.h - a rank's priority queue: local vertices by key, least first.
 *
 * Room: a heap of four children that knows where each vertex stands, so a vertex is in it once and its key can fall.
 * Its memory is taken at the start: a handler that pushes cannot run out of it. Local; owner's thread. */
#ifndef SCREE__HEAP_H
#define SCREE__HEAP_H
#include <stdbool.h>
#include <stdint.h>

typedef struct {
  double key;
  uint32_t vertex;
} scree__heap_entry;

typedef struct {
  scree__heap_entry *entries;
  uint32_t *place; /* index of a vertex in entries, plus one; 0: not there */
  uint32_t count;
} scree__heap;

/* For vertices 0 .. vertices-1, at most 2^32 - 1. False: no memory. Freed by scree__heap_free in either case. */
bool scree__heap_init(scree__heap *heap, uint64_t vertices);
void scree__heap_free(scree__heap *heap);

/* Puts a vertex in, or lowers its key; a key that is not lower changes nothing. */
void scree__heap_push(scree__heap *heap, uint32_t vertex, double key);
/* Takes out the vertex of the least key. Undefined: empty heap. */
uint32_t scree__heap_pop(scree__heap *heap);

#endif
