/* weight_sorted.c - the arcs of each vertex, lightest first: a merge sort of each row where it is to stay, with memory for
 * the longest one beside it. */
#include <scree/memory.h>
#include <stdlib.h>
#include <string.h>

#include "ordering/ordering.h"

#define INLINED static inline __attribute__((always_inline))

enum { RUN = 8 };

/* Rows or a part of one; `layout` is a constant below. */
typedef scree__weight_sorted span;

INLINED span span_from(const span *s, scree__weight_layout layout, uint64_t at) {
  return layout == SCREE__LONG ? (span){.long_arcs = s->long_arcs + at} : (span){.arcs = s->arcs + at};
}

INLINED void copy(const span *to, scree__weight_layout layout, uint64_t at, const span *from, uint64_t i) {
  if (layout == SCREE__LONG)
    to->long_arcs[at] = from->long_arcs[i];
  else
    to->arcs[at] = from->arcs[i];
}

INLINED void sort_run(const span *a, scree__weight_layout layout, uint64_t count) {
  for (uint64_t i = 1; i < count; i++) {
    scree__long_arc one_long;
    scree__short_arc one_short;
    const span one = {.arcs = &one_short, .long_arcs = &one_long};
    uint64_t at = i;
    copy(&one, layout, 0, a, i);
    for (; at > 0 && scree__sorted_weight(a, layout, at - 1) > scree__sorted_weight(&one, layout, 0); at--)
      copy(a, layout, at, a, at - 1);
    copy(a, layout, at, &one, 0);
  }
}

INLINED void merge(const span *a, scree__weight_layout layout, uint64_t middle, uint64_t count, const span *to) {
  uint64_t i = 0, j = middle;
  for (uint64_t at = 0; at < count; at++) {
    bool left = i < middle && (j >= count || scree__sorted_weight(a, layout, i) <= scree__sorted_weight(a, layout, j));
    copy(to, layout, at, a, left ? i++ : j++);
  }
}

/* Sorts a[0 .. count-1]; `spare` is as large. */
INLINED void sort(span a, span spare, scree__weight_layout layout, uint64_t count) {
  const span given = a;
  for (uint64_t from = 0; from < count; from += RUN) {
    const span run = span_from(&a, layout, from);
    sort_run(&run, layout, count - from < RUN ? count - from : RUN);
  }
  for (uint64_t width = RUN; width < count; width *= 2) {
    for (uint64_t from = 0; from < count; from += 2 * width) {
      const uint64_t left = count - from, all = left < 2 * width ? left : 2 * width;
      const span part = span_from(&a, layout, from), to = span_from(&spare, layout, from);
      merge(&part, layout, width < all ? width : all, all, &to);
    }
    const span done = spare;
    spare = a;
    a = done;
  }
  if (a.arcs == given.arcs && a.long_arcs == given.long_arcs) return;
  for (uint64_t i = 0; i < count; i++) copy(&given, layout, i, &a, i);
}

static uint32_t short_weight(const scree_graph *g, double weight) {
  float f = (float)weight;
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  return g->weight == SCREE_WEIGHT_FLOAT ? bits : (uint32_t)weight;
}

INLINED void sort_rows(const scree_graph *g, const span *rows, scree__weight_layout layout, const span *spare) {
  for (uint64_t u = 0; u < g->locals; u++) {
    const uint64_t from = g->offsets[u], end = g->offsets[u + 1];
    for (uint64_t e = from; e < end; e++) {
      const double weight = scree_graph_weight(g, e);
      const uint64_t head = scree_graph_packed_target(g, e);
      if (layout == SCREE__LONG)
        rows->long_arcs[e] = (scree__long_arc){weight, head};
      else
        rows->arcs[e] = (scree__short_arc){short_weight(g, weight), (uint32_t)head};
    }
    if (g->weight) sort(span_from(rows, layout, from), *spare, layout, end - from);
  }
}

static void sort_any(const scree_graph *g, const span *rows, const span *spare) {
  SCREE__WITH_LAYOUT(g, rows, sort_rows(g, rows, layout, spare))
}

static void *give(const scree_graph *g, span *s, bool is_long, uint64_t arcs) {
  const size_t bytes = (size_t)arcs * (is_long ? sizeof *s->long_arcs : sizeof *s->arcs);
  void *memory = scree_graphs_alloc(g->graphs, bytes);
  if (is_long)
    s->long_arcs = memory;
  else
    s->arcs = memory;
  return memory;
}

static scree_status make(const scree_graph *g, void *rows) {
  const uint64_t arcs = g->offsets[g->locals];
  const bool is_long = g->wide || g->weight == SCREE_WEIGHT_DOUBLE;
  uint64_t longest = 1;
  for (uint64_t u = 0; u < g->locals; u++)
    if (scree_graph_degree(g, u) > longest) longest = scree_graph_degree(g, u);
  span spare = {.arcs = NULL};
  const bool ready = give(g, rows, is_long, arcs + 1) && give(g, &spare, is_long, longest);
  scree_status status = scree__ordering_ready(g, ready, (size_t)(arcs + longest) * (is_long ? 16 : 8));
  if (status == SCREE_OK) sort_any(g, rows, &spare);
  scree_huge_free(is_long ? (void *)spare.long_arcs : (void *)spare.arcs);
  return status;
}

static void clear(void *ordering) {
  scree__weight_sorted *rows = ordering;
  scree_huge_free(rows->arcs);
  scree_huge_free(rows->long_arcs);
}

const scree__ordering scree__by_weight = {SCREE__ORDERING_KEY("weight-sorted rows"), SCREE__ROWS,
                                          sizeof(scree__weight_sorted), make, clear};

scree_status scree__weight_sorted_of(const scree_graph *g, const scree__weight_sorted **sorted) {
  scree_status status;
  *sorted = scree__ordering_of(g, &scree__by_weight, &status);
  return status;
}
