/* graphs.h - drawn graphs with every awkward trait, as lists of edges that every rank has.
 *
 * Only case_graph_build sends messages. */
#ifndef CASE_GRAPHS_H
#define CASE_GRAPHS_H
#include <scree/graph.h>
#include <stdio.h>

enum { CASE_EDGES_MAX = 2000 }; /* of a drawn graph */

/* A graph as it is given: an undirected edge once. */
typedef struct {
  scree_graph_shape shape;
  uint64_t m, capacity, source;
  const char *name, *weights; /* of what it was drawn from */
  scree_edge *edges;
} case_graph;

/* A random number in 0 .. n-1; advances *state. */
uint64_t case_draw(uint64_t *state, uint64_t n);

/* Adds an edge; without memory it ends the program. */
void case_graph_add(case_graph *c, uint64_t u, uint64_t v, double weight);
/* Makes `to`, which may hold a graph, or nothing but zeros, a copy. */
void case_graph_copy(case_graph *to, const case_graph *from);
void case_graph_free(case_graph *c);

/* Draws a graph in place of what it held. `state` is advanced. */
void case_graph_draw(case_graph *c, uint64_t *state);
/* Builds it; which rank gives which edge is drawn, and whether the vertices are renumbered by degree. If so, `c`
 * gets the new numbers. Collective. NULL: failed. */
scree_graph *case_graph_build(scree_graphs *graphs, case_graph *c, uint64_t draw);
void case_graph_print(const case_graph *c, FILE *to);

#endif
