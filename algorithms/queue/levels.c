/* levels.c - a queue by level as lists of vertices. */
#include "queue/levels.h"

bool scree__levels_init(scree__levels *q, const scree_graph *g) {
  return scree__lists_init(&q->lists, g, g->vertices.n < UINT32_MAX ? g->vertices.n : UINT32_MAX);
}

void scree__levels_put(scree__levels *q, uint32_t v, uint32_t level) {
  if (q->lists.of[v].list)
    scree__lists_take(&q->lists, v);
  else
    q->count++;
  scree__lists_put(&q->lists, v, level);
  if (q->count == 1 || level < q->min) q->min = level;
}

uint32_t scree__levels_take(scree__levels *q) {
  const uint32_t v = q->lists.head[scree__levels_min(q)] - 1;
  scree__lists_take(&q->lists, v);
  q->count--;
  return v;
}
