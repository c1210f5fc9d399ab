/* graph_labels.h - the labels of all vertices on every rank, for tests that examine whole graphs.
 *
 * All helpers are inline functions. */
#ifndef GRAPH_LABELS_H
#define GRAPH_LABELS_H
#include <scree/graph.h>
#include <stdlib.h>

/* Labels by vertex; the caller frees them. Collective. NULL: it failed. */
static inline uint64_t *graph_labels_of(const scree_graph *g) {
  uint64_t *own = malloc((g->locals + 1) * sizeof *own), *all = malloc((g->vertices.n + 1) * sizeof *all);
  for (uint64_t u = 0; own && u < g->locals; u++)
    own[u] = scree_graph_label(g, scree_graph_vertex(g, scree_location_make(scree_graph_rank(g), u)));
  scree_status status = own && all ? scree_graph_gather_uint64(g, own, SCREE_ALL, all) : SCREE_ENOMEM;
  free(own);
  if (status) free(all);
  return status ? NULL : all;
}

/* The vertex of a label, or SCREE_NO_VERTEX; the second for labels in ascending order. */
static inline uint64_t graph_labels_find(const scree_graph *g, const uint64_t *labels, uint64_t label) {
  uint64_t v = 0;
  while (v < g->vertices.n && labels[v] != label) v++;
  return v < g->vertices.n ? v : SCREE_NO_VERTEX;
}
static inline uint64_t graph_labels_search(const scree_graph *g, const uint64_t *labels, uint64_t label) {
  uint64_t low = 0, high = g->vertices.n;
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    if (labels[middle] < label)
      low = middle + 1;
    else
      high = middle;
  }
  return low < g->vertices.n && labels[low] == label ? low : SCREE_NO_VERTEX;
}

#endif
