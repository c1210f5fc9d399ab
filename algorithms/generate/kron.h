/* kron.h - the Kronecker generator of the Graph500 specification: edge i of a graph as a pure function. */
#ifndef SCREE__KRON_H
#define SCREE__KRON_H
#include <scree/distribution.h>
#include <stddef.h>

typedef struct scree__kron {
  uint32_t scale;       /* 2^scale vertices */
  uint64_t edge_factor; /* edges per vertex */
  uint64_t seed;
  uint64_t edges, weights; /* keys of the random numbers of each edge */
  scree_bijection order;   /* permutes the vertices */
} scree__kron;

/* Parses "SCALE[,EDGEFACTOR[,SEED]]". False with what is legal in why[size]. Local. */
bool scree__kron_parse(scree__kron *kron, const char *text, char *why, size_t size);
/* Ends and weight, a float of [0, 1), of edge i, 0 <= i < edge_factor << scale. Local. */
void scree__kron_edge(const scree__kron *kron, uint64_t i, uint64_t *u, uint64_t *v, float *weight);

#endif
