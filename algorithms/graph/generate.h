/* generate.h - graphs that are made, not read.
 *
 * Room: the record of a generator, and the table of them. */
#ifndef SCREE__GENERATE_H
#define SCREE__GENERATE_H
#include "graph/kron.h"

/* What the text behind the name asked for. */
typedef struct scree__recipe {
  uint64_t n, edges; /* of the graph: 1 .. SCREE_VERTICES_MAX vertices */
  uint64_t a, b;     /* the generator's numbers */
  uint64_t seed;     /* of weights, and of ends where they are drawn */
  scree__kron kron;
} scree__recipe;

/* A generator: one record. All are undirected, with float weights of [0, 1); edge i is a pure function. */
typedef struct scree__generator {
  const char *name, *numbers, *help; /* "grid", "ROWS,COLUMNS", a line */
  /* Reads "ROWS,COLUMNS". False with what is legal in why[size]. Local. */
  bool (*parse)(const char *text, scree__recipe *recipe, char *why, size_t size);
  /* Edge i < recipe->edges. Local. */
  void (*edge)(const scree__recipe *recipe, uint64_t i, scree_edge *edge);
} scree__generator;

/* The generator that `spec` names by "NAME:", or NULL. Local. */
const scree__generator *scree__generator_of(const char *spec);
/* Reads the numbers behind the name. False with a whole text in why[size]. Local. */
bool scree__generator_parse(const scree__generator *generator, const char *spec, scree__recipe *recipe, char *why,
                            size_t size);
/* Makes the graph: each rank its part of the edges. Collective. */
scree_status scree__generate(scree_graphs *graphs, const char *spec, const scree_graph_options *options,
                             scree_graph **graph);

#endif
