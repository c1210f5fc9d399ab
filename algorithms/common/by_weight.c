/* by_weight.c - the arcs of each vertex, lightest first; see sorted.h.
 *
 * Room: a merge sort of each row, in memory of the longest one. */
#include <stdlib.h>
#include <string.h>

#include "../graph/internal.h"
#include "sorted.h"

typedef struct {
  double weight;
  uint64_t head;
} arc;

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

static void sort_rows(const scree_graph *g, scree__by_weight *rows, arc *room, uint64_t longest) {
  const size_t bytes = g->weight == SCREE_WEIGHT_DOUBLE ? 8 : 4;
  for (uint64_t u = 0; u < g->locals; u++) {
    const uint64_t from = g->offsets[u], count = g->offsets[u + 1] - from;
    for (uint64_t i = 0; i < count; i++)
      room[i] = (arc){scree_arc_weight(g, from + i), scree_graph_head(g, from + i)};
    const arc *sorted = g->weight ? sort(room, room + longest, count) : room;
    for (uint64_t i = 0; i < count; i++) {
      scree__head_put(rows->heads, g->wide, from + i, sorted[i].head);
      float f = (float)sorted[i].weight;
      uint32_t n = (uint32_t)(g->weight == SCREE_WEIGHT_UINT32 ? sorted[i].weight : 0);
      const void *value = g->weight == SCREE_WEIGHT_DOUBLE  ? (const void *)&sorted[i].weight
                          : g->weight == SCREE_WEIGHT_FLOAT ? (const void *)&f
                                                            : (const void *)&n;
      if (g->weight) memcpy((char *)rows->weights + (from + i) * bytes, value, bytes);
    }
  }
}

static scree_status make(const scree_graph *g, scree__by_weight *rows) {
  const size_t head = g->wide ? 8 : 4, bytes = g->weight == SCREE_WEIGHT_DOUBLE ? 8 : 4;
  const uint64_t arcs = g->offsets[g->locals];
  uint64_t longest = 1;
  for (uint64_t u = 0; u < g->locals; u++)
    if (scree_graph_degree(g, u) > longest) longest = scree_graph_degree(g, u);
  arc *room = malloc((size_t)(2 * longest) * sizeof *room);
  rows->heads = scree__graph_array(g->graphs, (size_t)(arcs + 1) * head);
  rows->weights = g->weight ? scree__graph_array(g->graphs, (size_t)(arcs + 1) * bytes) : NULL;
  bool ready = room && rows->heads && (!g->weight || rows->weights);
  scree_status status = scree__agree(
      g->graphs, ready ? SCREE_OK : scree__no_memory(g->graphs, (size_t)arcs * (head + bytes) + 2 * longest * sizeof *room));
  if (status == SCREE_OK) sort_rows(g, rows, room, longest);
  free(room);
  return status;
}

void scree__by_weight_free(scree__by_weight *rows) {
  scree_table_free(rows->heads);
  scree_table_free(rows->weights);
  *rows = (scree__by_weight){0};
}

scree_status scree__sorted_by_weight(const scree_graph *g, const scree__by_weight **rows) {
  struct scree__prepared *prepared;
  scree_status status = scree__prepared_of(g, &prepared);
  if (status == SCREE_OK && !prepared->by_weight.heads) {
    status = make(g, &prepared->by_weight);
    if (status) scree__by_weight_free(&prepared->by_weight);
  }
  if (status == SCREE_OK) *rows = &prepared->by_weight;
  return status;
}
