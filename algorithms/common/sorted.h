/* sorted.h - copies of a graph's rows in an order that an algorithm can use, made once and kept with the graph.
 *
 * Room: one order, one function. Collective, idle world; freed by scree_graph_free. */
#ifndef SCREE__SORTED_H
#define SCREE__SORTED_H
#include <scree/graph.h>

/* The arcs that lead to each local vertex: their tails, those with the most arcs first, by classes of degree. */
typedef struct scree__backward {
  scree_graph *reversed;   /* of a directed graph; NULL: the graph is its own reverse */
  const uint64_t *offsets; /* as scree_graph has them */
  void *tails;             /* packed places, 4 or 8 bytes as the graph's */
  void *first;             /* the first of each row, by vertex; not set where the row is empty */
} scree__backward;
scree_status scree__sorted_backward(const scree_graph *g, const scree__backward **backward);

#endif
