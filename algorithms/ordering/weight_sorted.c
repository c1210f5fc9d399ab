/* weight_sorted.c - the arcs of each vertex, lightest first: a merge sort of each row, in memory of the longest one. */
#include <scree/memory.h>
#include <stdlib.h>
#include <string.h>

#include "ordering/ordering.h"

typedef scree__long_arc arc;

enum { RUN = 8 };

static void sort_run(arc *a, uint64_t count) {
  for (uint64_t i = 1; i < count; i++) {
    arc x = a[i];
    uint64_t at = i;
    for (; at > 0 && a[at - 1].weight > x.weight; at--) a[at] = a[at - 1];
    a[at] = x;
  }
}

static void merge(const arc *a, uint64_t middle, uint64_t count, arc *to) {
  uint64_t i = 0, j = middle;
  for (uint64_t at = 0; at < count; at++) {
    bool left = i < middle && (j >= count || a[i].weight <= a[j].weight);
    to[at] = left ? a[i++] : a[j++];
  }
}

/* Sorts a[0 .. count-1]; `spare` is as large. Returns where the sorted ones are: one of the two. */
static arc *sort(arc *a, arc *spare, uint64_t count) {
  for (uint64_t from = 0; from < count; from += RUN) sort_run(a + from, count - from < RUN ? count - from : RUN);
  for (uint64_t width = RUN; width < count; width *= 2) {
    for (uint64_t from = 0; from < count; from += 2 * width) {
      uint64_t left = count - from, all = left < 2 * width ? left : 2 * width;
      merge(a + from, width < all ? width : all, all, spare + from);
    }
    arc *done = spare;
    spare = a;
    a = done;
  }
  return a;
}

static uint32_t short_weight(const scree_graph *g, double weight) {
  float f = (float)weight;
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  return g->weight == SCREE_WEIGHT_FLOAT ? bits : (uint32_t)weight;
}

static void sort_rows(const scree_graph *g, scree__weight_sorted *rows, arc *buffer, uint64_t longest) {
  for (uint64_t u = 0; u < g->locals; u++) {
    const uint64_t from = g->offsets[u], count = g->offsets[u + 1] - from;
    for (uint64_t i = 0; i < count; i++)
      buffer[i] = (arc){scree_graph_weight(g, from + i), scree_graph_packed_target(g, from + i)};
    const arc *sorted = g->weight ? sort(buffer, buffer + longest, count) : buffer;
    for (uint64_t i = 0; rows->long_arcs && i < count; i++) rows->long_arcs[from + i] = sorted[i];
    for (uint64_t i = 0; rows->arcs && i < count; i++)
      rows->arcs[from + i] = (scree__short_arc){short_weight(g, sorted[i].weight), (uint32_t)sorted[i].head};
  }
}

static scree_status make(const scree_graph *g, scree__weight_sorted *rows) {
  const uint64_t arcs = g->offsets[g->locals];
  const bool is_long = g->wide || g->weight == SCREE_WEIGHT_DOUBLE;
  const size_t bytes = (size_t)(arcs + 1) * (is_long ? sizeof *rows->long_arcs : sizeof *rows->arcs);
  uint64_t longest = 1;
  for (uint64_t u = 0; u < g->locals; u++)
    if (scree_graph_degree(g, u) > longest) longest = scree_graph_degree(g, u);
  arc *buffer = scree_graphs_alloc(g->graphs, (size_t)(2 * longest) * sizeof *buffer);
  void *memory = scree_graphs_alloc(g->graphs, bytes);
  if (is_long)
    rows->long_arcs = memory;
  else
    rows->arcs = memory;
  scree_status status = scree__ordering_ready(g, buffer && memory, bytes + 2 * (size_t)longest * sizeof *buffer);
  if (status == SCREE_OK) sort_rows(g, rows, buffer, longest);
  scree_huge_free(buffer);
  return status;
}

static void clear(scree__weight_sorted *rows) {
  scree_huge_free(rows->arcs);
  scree_huge_free(rows->long_arcs);
  *rows = (scree__weight_sorted){0};
}

static void destroy(void *data) {
  clear(data);
  free(data);
}

scree_status scree__weight_sorted_of(const scree_graph *g, const scree__weight_sorted **sorted) {
  static const scree_attachment_key key = {"weight-sorted rows", destroy};
  void *data = scree_graph_attachment(g, &key);
  scree__weight_sorted *rows = data;
  if (!rows || !rows->ready) {
    scree_status status = scree__ordering_holder(g, &key, sizeof *rows, &data);
    if (status) return status;
    rows = data;
    status = make(g, rows);
    if (status) return clear(rows), status;
    rows->ready = true;
  }
  *sorted = rows;
  return SCREE_OK;
}
