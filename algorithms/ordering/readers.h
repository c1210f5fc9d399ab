/* readers.h - which ranks read values of which of this rank's vertices: those that have a neighbour. */
#ifndef SCREE__READERS_H
#define SCREE__READERS_H
#include "ordering/ordering.h"

enum { SCREE__READERS_BLOCK = 16 }; /* vertices to a bit */

typedef struct scree__readers {
  uint64_t *bits; /* for each rank `words` words: a bit for each block of vertices */
  uint64_t words;
} scree__readers;
/* Of an undirected graph. */
scree_status scree__readers_of(const scree_graph *g, const scree__readers **readers);

#endif
