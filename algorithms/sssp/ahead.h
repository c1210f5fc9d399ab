/* ahead.h - a short ring of vertices that were taken from their queue and wait for a few steps while their rows are
 * prefetched. */
#ifndef SCREE__AHEAD_H
#define SCREE__AHEAD_H
#include "queue/queue.h"
#include "sssp/relax.h"

enum { SCREE__AHEAD = 8, SCREE__AHEAD_ROWS = 4 };

typedef struct {
  uint32_t vertex[SCREE__AHEAD], first, held;
} scree__ahead;

static inline void scree__ahead_prefetch_row(const scree__run *run, uint32_t v) {
  scree__row row = scree__row_of(run->graph, v);
  scree__row_prefetch(run->graph, &row, SCREE__ARRAYS);
}

static inline void scree__ahead_fill(scree__ahead *a, const scree__run *run, scree__queue *queue) {
  while (a->held < SCREE__AHEAD && queue->count) {
    uint32_t v = a->vertex[(a->first + a->held++) % SCREE__AHEAD] = queue->kind->pop(queue);
    __builtin_prefetch(&run->graph->offsets[v]);
    __builtin_prefetch(&scree__distance(run)[v]);
    if (a->held > SCREE__AHEAD - SCREE__AHEAD_ROWS)
      scree__ahead_prefetch_row(run, a->vertex[(a->first + SCREE__AHEAD - SCREE__AHEAD_ROWS) % SCREE__AHEAD]);
  }
}

/* The first one. Undefined: none is held. */
static inline uint32_t scree__ahead_take(scree__ahead *a) {
  uint32_t v = a->vertex[a->first];
  a->first = (a->first + 1) % SCREE__AHEAD;
  a->held--;
  return v;
}

#endif
