/* serial.h - the yardsticks: a plain compact graph on one rank, queue BFS and binary-heap Dijkstra on it, without
 * messages. Tests check against them, and benchmarks compare speed with them, so they are tuned. */
#ifndef SERIAL_H
#define SERIAL_H
#include <scree/graph.h>

#define SERIAL_UNREACHED UINT32_MAX

/* Rows with 32-bit heads; n < 2^32 - 1. */
typedef struct serial_csr {
  uint64_t n, m;
  uint64_t *offsets;
  uint32_t *targets;
  void *weights; /* of `kind`; NULL if NONE */
  scree_weight_kind kind;
} serial_csr;

/* Rows of m arcs from u to v, in the given order. The caller frees `csr`. False: out of memory, or n too large. */
bool serial_csr_build(serial_csr *csr, uint64_t n, uint64_t m, const scree_edge *arcs, scree_weight_kind kind);
void serial_csr_free(serial_csr *csr);
/* The whole graph on rank 0 (ids as in the graph; n is 0 elsewhere). Collective; the caller frees it. */
scree_status serial_csr_gather(const scree_graph *g, serial_csr *csr);

/* Scratch memory of the searches, allocated before they are timed, on huge pages. It is touched, except for the heap,
 * which can hold all arcs and is touched as it is used; so one run should precede the timed ones. */
typedef struct {
  double key;
  uint32_t v;
} serial_heap_item;
typedef struct serial_scratch {
  uint32_t *queue;
  uint64_t *visited;
  serial_heap_item *heap;
} serial_scratch;
/* For graphs up to the size of this one. False: no memory. Local. */
bool serial_scratch_open(serial_scratch *scratch, const serial_csr *csr);
void serial_scratch_close(serial_scratch *scratch);

/* Levels and parents (SERIAL_UNREACHED for the unreached; the source's parent is itself) of n vertices. The first
 * is the textbook queue BFS, which treats a vertex without a level as new; the second consults a bitmap instead. */
void serial_queue_bfs(const serial_csr *csr, const serial_scratch *scratch, uint32_t source, uint32_t *level,
                      uint32_t *parent);
void serial_bitmap_bfs(const serial_csr *csr, const serial_scratch *scratch, uint32_t source, uint32_t *level,
                       uint32_t *parent);
/* Distances of n vertices, INFINITY for the unreached. Lazy deletion: a vertex may be in the heap several times. */
void serial_heap_dijkstra(const serial_csr *csr, const serial_scratch *scratch, uint32_t source, double *dist);

/* Components by union-find over all arcs: the smallest vertex of each vertex's. PageRank (damping 0.85) that pulls the
 * shares of the neighbours, of which each arc must have its reverse. */
void serial_union_find(const serial_csr *csr, uint32_t *parent);
void serial_pagerank(const serial_csr *csr, int iterations, double *rank, double *share);

/* Coreness of each vertex, without loops, of a graph in which each arc has its reverse; `place` has n values of
 * scratch. False: no memory. */
bool serial_cores(const serial_csr *csr, const serial_scratch *scratch, uint32_t *core, uint32_t *place);

/* The independent set of a loop over the vertices: out[u] is 0 of those in it, 1 of others. */
void serial_greedy_set(const serial_csr *csr, unsigned char *out);

/* Colours of a loop over the vertices in descending order of the degree. False: no memory. */
bool serial_largest_first(const serial_csr *csr, const serial_scratch *scratch, uint32_t *colour);

/* Adds the dependencies of a source on all vertices, but itself, to score (Brandes 2001). False: no memory. */
bool serial_brandes(const serial_csr *csr, uint32_t source, double *score);

/* The triangles of a graph in which each arc has its reverse; `mark` has n values of scratch. False: no memory. */
bool serial_triangles(const serial_csr *csr, uint32_t *mark, uint64_t *triangles);

/* serial_bitmap_bfs and serial_heap_dijkstra with their own scratch memory. False: out of memory. */
bool serial_bfs(const serial_csr *csr, uint32_t source, uint32_t *level, uint32_t *parent);
bool serial_dijkstra(const serial_csr *csr, uint32_t source, double *dist);

#endif
