/* generator.h - the record of a generator: one family of graphs, its numbers and its edges. */
#ifndef SCREE__GENERATOR_H
#define SCREE__GENERATOR_H
#include <scree/generate.h>

#include "generate/kron.h"

typedef struct scree__generator scree__generator;

/* A generator with its numbers; `kron` is for the Kronecker generator alone, a and b for the others. */
struct scree_generated {
  const scree__generator *generator;
  uint64_t n, edges; /* of the graph: 1 .. SCREE_VERTICES_MAX vertices */
  uint64_t a, b;
  uint64_t seed; /* of weights, and of ends where they are drawn */
  scree__kron kron;
};

struct scree__generator {
  scree_generator text;
  /* Parses the numbers and fills n and edges. False, with what is legal in why[size], if it cannot. Local. */
  bool (*parse)(const char *numbers, scree_generated *generated, char *why, size_t size);
  /* Edge i < generated->edges. Local. */
  void (*edge)(const scree_generated *generated, uint64_t i, scree_edge *edge);
};

extern const scree__generator scree__generator_kron, scree__generator_uniform, scree__generator_grid,
    scree__generator_path, scree__generator_star, scree__generator_complete;

#endif
