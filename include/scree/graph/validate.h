/* graph/validate.h - verdicts on results, and the validators of BFS and SSSP. The terms and rules of graph.h apply. C11
 * and C++. */
#ifndef SCREE_GRAPH_VALIDATE_H
#define SCREE_GRAPH_VALIDATE_H
#include <stdbool.h>
#include <stdint.h>

#include <scree/graph/structure.h>
#ifdef __cplusplus
extern "C" {
#endif

/* The rules of the Graph500 specification (version 2.0, "Validation"), for BFS and, with distances instead of levels,
 * for SSSP:
 *   1 the parents form a tree, rooted at the source, without a cycle. SSSP: along arcs u -> v with dist[v] ==
 *     dist[u] + w the source reaches each vertex that has a distance (zero-weight cycles are therefore no problem)
 *   2 the levels of a vertex and its parent differ by one, the source's is 0. SSSP: the source's distance is 0, none
 *     is negative or NaN
 *   3 no arc u -> v has level[v] > level[u] + 1 (undirected: for both arcs). SSSP: dist[v] > dist[u] + w
 *   4 the tree spans the component: no arc leads from a reached vertex to one that is not; parent and level agree
 *   5 an arc joins a vertex's parent to it. SSSP: some arc u -> v has dist[v] == dist[u] + w
 * Sums are compared exactly, as doubles: rounding is monotone, so every correct result satisfies them. */
typedef struct scree_verdict {
  bool valid;
  int rule;       /* that failed, 1 .. 5; 0 if valid */
  uint64_t label; /* of the vertex where */
  char text[256]; /* rule, vertex, found, expected; of a valid result: a note on how it was checked, or "" */
} scree_verdict;

/* For validators: of all ranks' failures the one with the smallest key becomes the verdict on every rank, with its
 * `text`; the caller sets rule and label from *min. A key of UINT64_MAX: this rank has none; *min is that if no rank
 * has one. No two ranks pass the same key. Collective. */
scree_status scree_graphs_agree_verdict(scree_graphs *graphs, uint64_t key, const char *text, uint64_t *min,
                                        scree_verdict *verdict);

/* Validates a result. Arrays over local vertices: level -1 and dist INFINITY for unreached vertices, parent a vertex,
 * the source itself for the source, SCREE_NO_VERTEX for unreached vertices. Collective; the verdict is the same on all
 * ranks. SCREE_OK means that a verdict was reached, not that the result is valid. */
scree_status scree_bfs_validate(const scree_graph *g, uint64_t source, const int64_t *level, const uint64_t *parent,
                                scree_verdict *verdict);
scree_status scree_sssp_validate(const scree_graph *g, uint64_t source, const double *dist, scree_verdict *verdict);

#ifdef __cplusplus
}
#endif
#endif
