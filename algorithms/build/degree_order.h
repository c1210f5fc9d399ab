/* degree_order.h - all vertices of a graph by descending degree, ties in the order of their labels. */
#ifndef SCREE__DEGREE_ORDER_H
#define SCREE__DEGREE_ORDER_H
#include "graph/structure.h"

/* The slot of a vertex in a table with an entry for each of them, those of rank 0 first: its location gives it without
 * a division. */
static inline uint64_t scree__vertex_slot(const scree_distribution *d, uint64_t owner, uint64_t local) {
  return owner * d->min + (owner < d->extra ? owner : d->extra) + local;
}

static inline scree_location scree__slot_location(const scree_distribution *d, uint64_t slot) {
  const uint64_t larger = d->extra * (d->min + 1); /* slots of the ranks that have a vertex more */
  if (slot < larger) return scree_location_make((uint32_t)(slot / (d->min + 1)), slot % (d->min + 1));
  return scree_location_make((uint32_t)(d->extra + (slot - larger) / d->min), (slot - larger) % d->min);
}

/* The order by descending degree. The caller frees the arrays by scree_huge_free in any case. */
typedef struct scree__degree_order {
  void *table;      /* by slot in g: the packed location of the vertex in `to` */
  void *order;      /* by new number: the slot in g; both are read by scree__head_get */
  uint32_t *degree; /* by slot in g; UINT32_MAX stands for more, too */
  uint32_t max;     /* the largest one */
} scree__degree_order;

/* Of g, for a graph `to` of which distribution and width are known. Collective. */
scree_status scree__degree_order_find(const scree_graph *g, const scree_graph *to, scree__degree_order *order);

#endif
