/* levels.h - a rank's queue of local vertices by level, lowest first.
 *
 * It consists of doubly linked lists through the vertices, one for each level: a vertex is in it once and moves in
 * constant time, and no handler needs memory. Heads of levels that never occur take none. Local; owner's thread. */
#ifndef SCREE__LEVELS_H
#define SCREE__LEVELS_H
#include <scree/graph.h>

typedef struct {
  uint32_t *next, *previous; /* of a vertex in its list: vertex + 1; 0: none */
  uint32_t *level;           /* of a vertex that is in: its level + 1; 0: not in */
  uint32_t *head;            /* first of a level: vertex + 1; 0: none */
  uint32_t min;              /* no list below it */
  uint64_t count;            /* vertices in */
} scree__levels;

/* For the vertices of this rank, and levels below the number of vertices of the whole graph. False: no memory. Freed by
 * scree__levels_free in either case. */
bool scree__levels_init(scree__levels *queue, const scree_graph *graph);
void scree__levels_free(scree__levels *queue);

/* Puts v in at a level; if it is in at another, moves it. */
void scree__levels_put(scree__levels *queue, uint32_t v, uint32_t level);
/* The least level, and a vertex of it, which is taken out. Undefined: none is in. */
static inline uint32_t scree__levels_min(scree__levels *queue) {
  while (!queue->head[queue->min]) queue->min++;
  return queue->min;
}
uint32_t scree__levels_take(scree__levels *queue);
/* The vertex that comes next, if it is of the same level as the last; UINT32_MAX: not known. */
static inline uint32_t scree__levels_peek(const scree__levels *queue) {
  return queue->head[queue->min] - 1;
}

#endif
