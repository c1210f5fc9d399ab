/* lists.h - lists of a rank's local vertices, each of which is in one or in none: doubly linked through the vertices,
 * so that a vertex moves in constant time, and no handler needs memory. Local; owner's thread. */
#ifndef SCREE__LISTS_H
#define SCREE__LISTS_H
#include <scree/graph.h>
#include <scree/memory.h>

#include "graph/exchange.h"

typedef struct {
  struct scree__listed {
    uint32_t next, previous; /* vertex + 1; 0: none */
    uint32_t list;           /* + 1; 0: it is in none */
  } * of;                    /* each vertex */
  uint32_t *head;            /* of each list: vertex + 1; 0: it is empty */
} scree__lists;

/* Heads of lists that stay empty take no memory. False: there is none. Freed in either case. */
static inline bool scree__lists_init(scree__lists *l, const scree_graph *g, uint64_t count) {
  l->of = scree__graphs_alloc_kept(g->graphs, (size_t)(g->locals + 1) * sizeof *l->of, true);
  l->head = scree_huge_alloc((size_t)(count + 1) * sizeof *l->head);
  return l->of && l->head;
}
static inline void scree__lists_free(scree__lists *l) {
  scree_huge_free(l->of);
  scree_huge_free(l->head);
}

/* Takes v out of the list that it is in. */
static inline void scree__lists_take(scree__lists *l, uint32_t v) {
  const struct scree__listed one = l->of[v];
  if (one.previous)
    l->of[one.previous - 1].next = one.next;
  else
    l->head[one.list - 1] = one.next;
  if (one.next) l->of[one.next - 1].previous = one.previous;
  l->of[v].list = 0;
}
/* Puts v, which is in none, at the front of a list. */
static inline void scree__lists_put(scree__lists *l, uint32_t v, uint32_t list) {
  const uint32_t head = l->head[list];
  l->of[v] = (struct scree__listed){head, 0, list + 1};
  if (head) l->of[head - 1].previous = v + 1;
  l->head[list] = v + 1;
}

#endif
