/* graph/results.h - results that are distributed as the vertices: the values of some, or all in one array. The terms
 * and rules of graph.h apply. C11 and C++. */
#ifndef SCREE_GRAPH_RESULTS_H
#define SCREE_GRAPH_RESULTS_H
#include <stdint.h>

#include <scree/graph/structure.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Reads the values of any vertices: out[i] is the value of vertices[i] in the array `local` of its owner. Each rank
 * passes `local` over its local vertices: a result of an algorithm, or an array of the caller. Ranks may request
 * different numbers of vertices, including none, and a vertex twice; count, vertices and out may differ between ranks.
 * Collective. SCREE_EINVAL: a vertex of n or more; the text names rank and entry. */
scree_status scree_graph_lookup_double(const scree_graph *g, const double *local, uint64_t count,
                                       const uint64_t *vertices, double *out);
scree_status scree_graph_lookup_int64(const scree_graph *g, const int64_t *local, uint64_t count,
                                      const uint64_t *vertices, int64_t *out);
scree_status scree_graph_lookup_uint64(const scree_graph *g, const uint64_t *local, uint64_t count,
                                       const uint64_t *vertices, uint64_t *out);

/* Collects all values by vertex in the array `all` of n entries on rank `to`, or on every rank if `to` is SCREE_ALL;
 * elsewhere `all` is ignored. The same `to` on all ranks. Collective. SCREE_EINVAL: `to`; `all` is NULL where it is
 * needed. */
scree_status scree_graph_gather_double(const scree_graph *g, const double *local, uint32_t to, double *all);
scree_status scree_graph_gather_int64(const scree_graph *g, const int64_t *local, uint32_t to, int64_t *all);
scree_status scree_graph_gather_uint64(const scree_graph *g, const uint64_t *local, uint32_t to, uint64_t *all);

#ifdef __cplusplus
}
#endif
#endif
