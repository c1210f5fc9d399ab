/* levels.h - a rank's queue of local vertices by level, lowest first.
 *
 * A vertex is in it once. Local; owner's thread. */
#ifndef SCREE__LEVELS_H
#define SCREE__LEVELS_H
#include "queue/lists.h"

typedef struct {
  scree__lists lists; /* one for each level */
  uint32_t min;       /* no list below it */
  uint64_t count;     /* vertices in */
} scree__levels;

/* For the vertices of this rank, and levels below the number of vertices of the whole graph. False: no memory. Freed in
 * either case. */
bool scree__levels_init(scree__levels *queue, const scree_graph *graph);
static inline void scree__levels_free(scree__levels *queue) {
  scree__lists_free(&queue->lists);
}

/* Inserts v at a level; if it is at another one, moves it. */
void scree__levels_put(scree__levels *queue, uint32_t v, uint32_t level);
/* The lowest level, and a vertex of it, which is taken out. Undefined: none is in. */
static inline uint32_t scree__levels_min(scree__levels *queue) {
  while (!queue->lists.head[queue->min]) queue->min++;
  return queue->min;
}
uint32_t scree__levels_take(scree__levels *queue);
/* The next vertex, if it is of the same level as the last; UINT32_MAX: not known. */
static inline uint32_t scree__levels_peek(const scree__levels *queue) {
  return queue->lists.head[queue->min] - 1;
}

#endif
