/* serial.h - one rank, no messages: the yardsticks.
 *
 * Room: a plain compact graph, queue BFS and binary-heap Dijkstra over it, for tests and for the speed comparisons of
 * the benchmarks. Made to be fast, since what is compared with them should be. */
#ifndef SCREE__SERIAL_H
#define SCREE__SERIAL_H
#include "graph/internal.h"

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

/* What the searches work in. Taken before they are timed: tables on huge pages, touched, but for the heap, which has
 * room for all arcs and of which a run touches what it uses; so let one run go before those that count. */
typedef struct {
  double key;
  uint32_t v;
} scree__heap_item;
typedef struct scree__scratch {
  uint32_t *queue;
  uint64_t *seen;
  scree__heap_item *heap;
} scree__scratch;
/* For graphs up to the size of this one. False: no memory. Local. */
bool scree__scratch_open(scree__scratch *scratch, const scree__csr *csr);
void scree__scratch_close(scree__scratch *scratch);

/* Levels and parents (SCREE__UNREACHED for the unreached; the source's parent is itself) of n vertices. The queue BFS
 * of the textbooks, to which a vertex is new if it has no level; and one that asks a bitmap instead. */
void scree__queue_bfs(const scree__csr *csr, const scree__scratch *scratch, uint32_t source, uint32_t *level,
                      uint32_t *parent);
void scree__bitmap_bfs(const scree__csr *csr, const scree__scratch *scratch, uint32_t source, uint32_t *level,
                       uint32_t *parent);
/* Distances of n vertices, INFINITY for the unreached. Lazy deletion: a vertex may stand in the heap several times. */
void scree__heap_dijkstra(const scree__csr *csr, const scree__scratch *scratch, uint32_t source, double *dist);

/* The bitmap's and Dijkstra's, with scratch of their own. False: out of memory. */
bool scree__serial_bfs(const scree__csr *csr, uint32_t source, uint32_t *level, uint32_t *parent);
bool scree__serial_dijkstra(const scree__csr *csr, uint32_t source, double *dist);

#endif
