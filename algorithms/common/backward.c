/* backward.c - the arcs that lead to each vertex, likeliest parents first; see sorted.h.
 *
 * Room: the degrees of all vertices as classes of one byte, made known to all ranks, and the sort by them. */
#include "common/sorted.h"

#include <stdlib.h>
#include <string.h>

#include "graph/internal.h"

/* ---- classes of degree ---- */

enum { CLASSES = 256, PIECE = 8192 };

uint8_t scree__degree_class(uint64_t degree) {
  uint64_t d = degree + 1;
  unsigned log = 63 - (unsigned)__builtin_clzll(d);
  uint64_t class = 8 * log + (log >= 3 ? d >> (log - 3) & 7 : d << (3 - log) & 7);
  return (uint8_t)(class < CLASSES ? class : CLASSES - 1);
}

typedef struct {
  uint64_t at; /* packed place of the first */
  uint8_t class[PIECE];
} piece;

static void take_pieces(scree_graphs *graphs, const void *data, size_t bytes, void *arg) {
  (void)graphs;
  const piece *p = data;
  memcpy((uint8_t *)arg + p->at, p->class, bytes - sizeof p->at);
}

/* Fills in the classes of all vertices by packed place. */
static scree_status share_classes(const scree_graph *g, uint8_t *class) {
  scree_graphs *graphs = g->graphs;
  scree_status status = scree__phase_begin(graphs, NULL, take_pieces, class);
  if (status) return status;
  for (uint64_t from = 0; from < g->locals; from += PIECE) {
    piece p = {.at = scree_graph_pack(g, scree_location_make(scree_graph_rank(g), from))};
    uint64_t count = g->locals - from < PIECE ? g->locals - from : PIECE;
    for (uint64_t i = 0; i < count; i++) p.class[i] = scree__degree_class(scree_graph_degree(g, from + i));
    for (uint32_t rank = 0; rank < scree_ranks(graphs->worker); rank++)
      graph_bytes_send(graphs->worker, graphs->bytes, rank, &p, sizeof p.at + count);
  }
  return scree__phase_end(graphs, NULL);
}

/* ---- sorting a row ---- */

/* Counting sort of the places from .. to-1, largest class first. */
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

static void sort_rows(const scree_graph *g, const uint8_t *class, scree__backward *b) {
  enum { SHORT = 40 };
  for (uint64_t u = 0; u < g->locals; u++) {
    uint64_t from = g->offsets[u], end = g->offsets[u + 1];
    if (end - from <= SHORT)
      sort_short_row(g, class, b->tails, from, end);
    else
      sort_row(g, class, b->tails, from, end);
    if (end == from) continue;
    scree__head_put(b->first, g->wide, u, scree__head_get(b->tails, g->wide, from));
    b->with[b->with_count++] = (uint32_t)u;
  }
}

/* ---- kept with the graph ---- */

static scree_status make(const scree_graph *g, scree__backward *b) {
  scree_status status = g->directed ? scree_graph_transpose(g, &b->reversed) : SCREE_OK;
  if (status) return status;
  const scree_graph *rows = b->reversed ? b->reversed : g;
  const size_t head = g->wide ? 8 : 4, slots = (size_t)scree_graph_slots(g);
  uint8_t *class = scree__graph_array(g->graphs, slots);
  b->offsets = rows->offsets;
  b->tails = scree__graph_array(g->graphs, (size_t)(rows->offsets[rows->locals] + 1) * head);
  b->first = scree__graph_array(g->graphs, (size_t)(g->locals + 1) * head);
  b->with = scree__graph_array(g->graphs, (size_t)(g->locals + 1) * sizeof *b->with);
  bool ready = class && b->tails && b->first && b->with;
  status = scree__agree(g->graphs, ready ? SCREE_OK : scree__no_memory(g->graphs, rows->offsets[rows->locals] * head));
  if (status == SCREE_OK) status = share_classes(g, class);
  if (status == SCREE_OK) {
    sort_rows(rows, class, b);
    status = scree__hubs_make(g, b, class, &b->hubs);
  }
  scree_huge_free(class);
  return status;
}

void scree__backward_free(scree__backward *b) {
  scree_graph_free(b->reversed);
  scree_huge_free(b->tails);
  scree_huge_free(b->first);
  scree_huge_free(b->with);
  scree__hubs_free(&b->hubs);
  *b = (scree__backward){0};
}

scree_status scree__sorted_backward(const scree_graph *g, const scree__backward **backward) {
  struct scree__prepared *prepared;
  scree_status status = scree__prepared_of(g, &prepared);
  if (status == SCREE_OK && !prepared->backward.tails) {
    status = make(g, &prepared->backward);
    if (status) scree__backward_free(&prepared->backward);
  }
  if (status == SCREE_OK) *backward = &prepared->backward;
  return status;
}
