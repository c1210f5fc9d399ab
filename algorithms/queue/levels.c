/* levels.c - a queue by level as doubly linked lists through the vertices. */
#include "queue/levels.h"

#include <scree/memory.h>

bool scree__levels_init(scree__levels *q, const scree_graph *g) {
  const size_t bytes = (size_t)(g->locals + 1) * sizeof(uint32_t);
  const uint64_t levels = g->vertices.n < UINT32_MAX ? g->vertices.n : UINT32_MAX;
  q->next = scree_graphs_alloc(g->graphs, bytes);
  q->previous = scree_graphs_alloc(g->graphs, bytes);
  q->level = scree_graphs_alloc(g->graphs, bytes);
  q->head = scree_huge_alloc((size_t)(levels + 1) * sizeof(uint32_t)); /* touched as far as levels go */
  return q->next && q->previous && q->level && q->head;
}

void scree__levels_free(scree__levels *q) {
  scree_huge_free(q->next);
  scree_huge_free(q->previous);
  scree_huge_free(q->level);
  scree_huge_free(q->head);
}

static void unlink_vertex(scree__levels *q, uint32_t v) {
  uint32_t next = q->next[v], previous = q->previous[v];
  if (previous)
    q->next[previous - 1] = next;
  else
    q->head[q->level[v] - 1] = next;
  if (next) q->previous[next - 1] = previous;
  q->level[v] = 0;
  q->count--;
}

void scree__levels_put(scree__levels *q, uint32_t v, uint32_t level) {
  if (q->level[v]) unlink_vertex(q, v);
  uint32_t head = q->head[level];
  q->level[v] = level + 1;
  q->next[v] = head;
  q->previous[v] = 0;
  if (head) q->previous[head - 1] = v + 1;
  q->head[level] = v + 1;
  if (q->count++ == 0 || level < q->min) q->min = level;
}

uint32_t scree__levels_take(scree__levels *q) {
  uint32_t v = q->head[scree__levels_min(q)] - 1;
  unlink_vertex(q, v);
  return v;
}
