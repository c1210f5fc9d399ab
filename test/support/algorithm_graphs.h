/* algorithm_graphs.h - drawn graphs with every awkward trait, and their answers by the serial algorithms.
 *
 * Nothing here sends a message: edges as they were given, serial answers, printing. */
#ifndef ALGORITHM_GRAPHS_H
#define ALGORITHM_GRAPHS_H
#include <scree/graph.h>
#include <stdio.h>

#include "graph/exchange.h"

enum { CASE_VERTICES_MAX = 400, CASE_EDGES_MAX = 2000 };

/* A graph as it is given: an undirected edge once. */
typedef struct {
  scree_graph_shape shape;
  uint64_t m, source;
  const char *name, *weights; /* of what it was drawn from */
  scree_edge edges[CASE_EDGES_MAX];
} case_graph;

/* The serial answers; INFINITY: not reached. */
typedef struct {
  double distance[CASE_VERTICES_MAX], level[CASE_VERTICES_MAX];
} case_answer;

/* A random number in 0 .. n-1; advances *state. */
uint64_t case_draw(uint64_t *state, uint64_t n);

/* Draws a graph. `state` is advanced. */
void case_graph_draw(case_graph *c, uint64_t *state);
/* False: no memory. */
bool case_graph_solve(const case_graph *c, case_answer *answer);
/* Builds it; which rank gives which edge is drawn, and whether the vertices are numbered anew by degree: their labels
 * are the ids of `c` in any case. Collective. NULL: failed. */
scree_graph *case_graph_build(scree_graphs *graphs, const case_graph *c, uint64_t draw);
/* Some edge p -> v as given makes `to` of `from`; without weights each counts 1. */
bool case_graph_joins(const case_graph *c, uint64_t p, uint64_t v, double from, double to, bool weights);
void case_graph_print(const case_graph *c, FILE *to);

#endif
