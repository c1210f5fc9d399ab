/* labels.c - labels of vertices: each rank has those of its own vertices, and requests others by messages. */
#include <scree/memory.h>
#include <stdlib.h>

#include "graph/consensus.h"
#include "graph/structure.h"
#include "sort/counting_sort.h"

/* ---- of any vertex ---- */

scree_status scree_graph_labels(const scree_graph *g, uint64_t count, const uint64_t *vertices, uint64_t *labels) {
  if (!g) return SCREE_EINVAL;
  if (count && (!vertices || !labels))
    return scree__missing(g, __func__, vertices ? "place for the labels" : "vertices");
  if (g->labels) return scree_graph_lookup_uint64(g, g->labels, count, vertices, labels);
  uint64_t i = 0;
  for (; i < count && vertices[i] < g->vertices.n; i++) labels[i] = g->label_base + vertices[i];
  return scree_graphs_agree(g->graphs, i < count ? SCREE_EINVAL : SCREE_OK,
                            "rank %u: entry %llu of a request for labels is vertex %llu; legal: 0 to %llu",
                            scree_graph_rank(g), (unsigned long long)i, i < count ? (unsigned long long)vertices[i] : 0,
                            (unsigned long long)g->vertices.n - 1);
}

/* ---- of all ---- */

scree_status scree_graph_label_range(const scree_graph *g, uint64_t *min, uint64_t *max) {
  if (!g || !min || !max) return scree__missing(g, __func__, min ? "place for the maximum" : "place for the minimum");
  scree_reduce r = {.min = UINT64_MAX};
  if (!g->labels) {
    *min = g->label_base;
    *max = g->label_base + g->vertices.n - 1;
    return SCREE_OK;
  }
  for (uint64_t u = 0; u < g->locals; u++) {
    r.min = g->labels[u] < r.min ? g->labels[u] : r.min;
    r.max = g->labels[u] > r.max ? g->labels[u] : r.max;
  }
  scree_status status = scree_graphs_reduce(g->graphs, &r);
  *min = r.min;
  *max = r.max;
  return status;
}

uint64_t scree_graph_find(const scree_graph *g, uint64_t label) {
  if (!g) return SCREE_NO_VERTEX;
  scree_reduce r = {.min = SCREE_NO_VERTEX};
  if (!g->labels) {
    const bool known = label >= g->label_base && label - g->label_base < g->vertices.n;
    return known ? label - g->label_base : SCREE_NO_VERTEX;
  }
  for (uint64_t u = 0; u < g->locals; u++)
    if (g->labels[u] == label) r.min = scree_graph_vertex(g, scree_location_make(scree_graph_rank(g), u));
  return scree_graphs_reduce(g->graphs, &r) == SCREE_OK ? r.min : SCREE_NO_VERTEX;
}

/* ---- in their order ---- */

enum { DIGIT = 11 };

/* One pass of a stable radix sort of vertices by their label's index. */
static void pass(const uint64_t *index, const uint32_t *from, uint32_t *to, uint64_t count, int shift) {
  enum { VALUES = 1 << DIGIT };
  uint64_t start[VALUES] = {0};
  SCREE__COUNTING_SORT(start, VALUES, count, i, index[from[i]] >> shift & (VALUES - 1), at, to[at] = from[i]);
}

/* Sorts `sorted`; returns which of the two arrays has the result. */
static uint32_t *sort(const scree_graph *g, uint32_t *sorted, uint32_t *other) {
  for (uint64_t u = 0; u < g->locals; u++) sorted[u] = (uint32_t)u;
  for (int shift = 0; (g->vertices.n - 1) >> shift; shift += DIGIT) {
    pass(g->label_index, sorted, other, g->locals, shift);
    uint32_t *swap = sorted;
    sorted = other;
    other = swap;
  }
  return sorted;
}

/* What is kept with the graph. */
typedef struct {
  uint32_t *sorted; /* NULL: not made yet, or another rank had no memory */
} holder;

static void destroy(void *data) {
  scree_huge_free(((holder *)data)->sorted);
  free(data);
}

static holder *holder_of(const scree_graph *g) {
  static const scree_attachment_key key = {"vertices by label", destroy};
  holder *h = scree_graph_attachment(g, &key);
  if (h || !(h = calloc(1, sizeof *h)) || !scree_graph_attach(g, &key, h)) return h;
  free(h);
  return NULL;
}

static scree_status make(const scree_graph *g, holder *h) {
  const size_t bytes = ((size_t)g->locals + 1) * sizeof(uint32_t);
  uint32_t *a = scree_graphs_alloc(g->graphs, bytes), *b = scree_graphs_alloc(g->graphs, bytes), *sorted = a;
  scree_status status = scree_graphs_agree(g->graphs, h && a && b ? SCREE_OK : SCREE_ENOMEM,
                                           "rank %u: no memory to sort vertices by label (%zu bytes); use more ranks",
                                           scree_graph_rank(g), 2 * bytes);
  if (status == SCREE_OK) h->sorted = sorted = sort(g, a, b);
  scree_huge_free(sorted == a ? b : a);
  if (status) scree_huge_free(a);
  return status;
}

scree_status scree_graph_by_label(const scree_graph *g, const uint32_t **vertices) {
  if (!g || !vertices) return scree__missing(g, __func__, "place for the vertices");
  *vertices = NULL;
  if (!g->label_index) return SCREE_OK;
  holder *h = holder_of(g);
  if (!h || !h->sorted) {
    scree_status status = make(g, h);
    if (status) return status;
  }
  *vertices = h->sorted;
  return SCREE_OK;
}

uint64_t scree__label_search(const scree_graph *g, const uint32_t *by_label, uint64_t index) {
  uint64_t low = 0, high = g->locals;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (g->label_index[by_label[middle]] < index)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}
