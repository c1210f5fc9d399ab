/* transpose.c - the arcs that lead to each vertex, likeliest parents first: the degrees of all vertices as classes of one
 * byte, sent to all ranks, and the sort by them. */
#include <scree/memory.h>
#include <stdlib.h>
#include <string.h>

#include "ordering/ordering.h"

/* ---- classes of degree ---- */

enum { CLASSES = 256, PIECE = 8192 };

typedef struct {
  uint64_t at; /* packed location of the first */
  uint8_t class[PIECE];
} piece;

static void take_piece(const void *data, size_t bytes, void *arg) {
  const piece *p = data;
  memcpy((uint8_t *)arg + p->at, p->class, bytes - sizeof p->at);
}

/* Fills in the classes of all vertices by packed location. */
static scree_status share_classes(const scree_graph *g, uint8_t *class) {
  scree_graphs *graphs = g->graphs;
  scree_status status = scree_graphs_exchange_begin(graphs, take_piece, class);
  if (status) return status;
  for (uint64_t from = 0; from < g->locals; from += PIECE) {
    piece p = {.at = scree_graph_pack(g, scree_location_make(scree_graph_rank(g), from))};
    uint64_t count = g->locals - from < PIECE ? g->locals - from : PIECE;
    for (uint64_t i = 0; i < count; i++) p.class[i] = scree__degree_class(scree_graph_degree(g, from + i));
    for (uint32_t rank = 0; rank < g->vertices.ranks; rank++)
      scree_graphs_exchange_send(graphs, rank, &p, sizeof p.at + count);
  }
  return scree_graphs_exchange_end(graphs);
}

/* ---- sorting a row ---- */

/* Counting sort of the tails from .. end-1, largest class first. */
static void sort_row(const scree_graph *g, const uint8_t *class, void *to, uint64_t from, uint64_t end) {
  uint64_t next[CLASSES + 1] = {0};
  for (uint64_t e = from; e < end; e++) next[CLASSES - 1 - class[scree__head_get(g->targets, g->wide, e)] + 1]++;
  next[0] = from;
  for (int c = 0; c < CLASSES; c++) next[c + 1] += next[c];
  for (uint64_t e = from; e < end; e++) {
    uint64_t head = scree__head_get(g->targets, g->wide, e);
    scree__head_put(to, g->wide, next[CLASSES - 1 - class[head]]++, head);
  }
}

/* The same for few, by insertion. */
static void sort_short_row(const scree_graph *g, const uint8_t *class, void *to, uint64_t from, uint64_t end) {
  for (uint64_t e = from; e < end; e++) {
    uint64_t head = scree__head_get(g->targets, g->wide, e), at = e;
    for (; at > from && class[scree__head_get(to, g->wide, at - 1)] < class[head]; at--)
      scree__head_put(to, g->wide, at, scree__head_get(to, g->wide, at - 1));
    scree__head_put(to, g->wide, at, head);
  }
}

static void sort_rows(const scree_graph *g, const uint8_t *class, scree__transpose *t) {
  enum { SHORT = 40 };
  for (uint64_t u = 0; u < g->locals; u++) {
    uint64_t from = g->offsets[u], end = g->offsets[u + 1];
    if (end - from <= SHORT)
      sort_short_row(g, class, t->tails, from, end);
    else
      sort_row(g, class, t->tails, from, end);
    if (end == from) continue;
    scree__head_put(t->first, g->wide, u, scree__head_get(t->tails, g->wide, from));
    t->nonempty[t->nonempty_count++] = (uint32_t)u;
  }
}

/* ---- kept with the graph ---- */

static scree_status make(const scree_graph *g, void *ordering) {
  scree__transpose *t = ordering;
  scree_status status = g->directed ? scree_graph_transpose(g, &t->graph) : SCREE_OK;
  if (status) return status;
  const scree_graph *rows = t->graph ? t->graph : g;
  const size_t head = g->wide ? 8 : 4, slots = (size_t)scree_graph_slots(g);
  uint8_t *class = scree_graphs_alloc(g->graphs, slots);
  t->offsets = rows->offsets;
  t->tails = scree_graphs_alloc(g->graphs, (size_t)(rows->offsets[rows->locals] + 1) * head);
  t->first = scree_graphs_alloc(g->graphs, (size_t)(g->locals + 1) * head);
  t->nonempty = scree_graphs_alloc(g->graphs, (size_t)(g->locals + 1) * sizeof *t->nonempty);
  bool ready = class && t->tails && t->first && t->nonempty;
  status = scree__ordering_ready(g, ready, (size_t)rows->offsets[rows->locals] * head);
  if (status == SCREE_OK) status = share_classes(g, class);
  if (status == SCREE_OK) {
    sort_rows(rows, class, t);
    status = scree__hubs_make(g, t, class, &t->hubs);
  }
  scree_huge_free(class);
  return status;
}

static void clear(void *ordering) {
  scree__transpose *t = ordering;
  scree_graph_free(t->graph);
  scree_huge_free(t->tails);
  scree_huge_free(t->first);
  scree_huge_free(t->nonempty);
  scree__hubs_free(&t->hubs);
}

const scree__ordering scree__transposed = {SCREE__ORDERING_KEY("a transpose"), SCREE__TRANSPOSED,
                                           sizeof(scree__transpose), make, clear};

scree_status scree__transpose_of(const scree_graph *g, const scree__transpose **transpose) {
  scree_status status;
  *transpose = scree__ordering_of(g, &scree__transposed, &status);
  return status;
}
