/* serial.h - one rank, no messages: the yardsticks.
 *
 * Room: a plain compact graph, queue BFS and binary-heap Dijkstra over it, for tests and for the speed comparisons of
 * the benchmarks. Made to be fast, since what is compared with them should be. */
#ifndef SCREE__SERIAL_H
#define SCREE__SERIAL_H
#include "internal.h"

#define SCREE__UNREACHED UINT32_MAX

/* Rows with 32-bit heads; n < 2^32 - 1. */
typedef struct scree__csr {
  uint64_t n, m;
  uint64_t *offsets;
  uint32_t *targets;
  void *weights; /* of `kind`; NULL if NONE */
  scree_weight_kind kind;
} scree__csr;

/* Rows of m arcs (a: tail, b: head, w), in their order. The caller frees `csr`. False: out of memory, or n too large.
 */
bool scree__csr_build(scree__csr *csr, uint64_t n, uint64_t m, const scree__triple *arcs, scree_weight_kind kind);
void scree__csr_free(scree__csr *csr);
/* The whole graph on rank 0 (ids as in the graph; n is 0 elsewhere). Collective; the caller frees it. */
scree_status scree__csr_gather(const scree_graph *g, scree__csr *csr);

/* Levels and parents (SCREE__UNREACHED for the unreached; the source's parent is itself) of n vertices. False: out of
 * memory. */
bool scree__serial_bfs(const scree__csr *csr, uint32_t source, uint32_t *level, uint32_t *parent);
/* Distances of n vertices, INFINITY for the unreached. Lazy deletion: a vertex may stand in the heap several times. */
bool scree__serial_dijkstra(const scree__csr *csr, uint32_t source, double *dist);

#endif
