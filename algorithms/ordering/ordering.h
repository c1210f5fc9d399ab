/* ordering.h - copies of a graph's rows in an order that a kernel can use, made once and kept with the graph.
 *
 * Each function returns the copy that is attached to the graph, and makes it if there is none. Collective, idle world;
 * freed by scree_graph_free. */
#ifndef SCREE__ORDERING_H
#define SCREE__ORDERING_H
#include <scree/graph.h>
#include <scree/memory.h>

#include "graph/structure.h"

/* A set of orderings. */
enum {
  SCREE__ROWS = 1,
  SCREE__TRANSPOSED = 2,
  SCREE__HUBS = 4,
  SCREE__READERS = 8,
  SCREE__BOTH_WAYS = 16,
  SCREE__NODE_ROWS = 32
};
/* Those that g has. Local. */
unsigned scree__orderings_made(const scree_graph *g);
/* Names those that one run makes, for its record; NULL: none. Local. */
const char *scree__ordering_names(const scree_graph *g, unsigned orderings);

/* Packed locations in an array of either width. */
static inline void scree__head_put(void *heads, bool wide, uint64_t i, uint64_t head) {
  if (wide)
    ((uint64_t *)heads)[i] = head;
  else
    ((uint32_t *)heads)[i] = (uint32_t)head;
}

/* ---- transpose ---- */

/* The arcs that lead to each local vertex. Of an undirected graph these are its own rows: only `likely` takes memory,
 * where searches store likely parents (direction.c). */
typedef struct scree__transpose {
  scree_graph *graph;      /* the transpose of a directed graph; NULL: the graph is its own */
  const uint64_t *offsets; /* as scree_graph has them */
  const void *tails;       /* packed locations, 4 or 8 bytes as the graph's */
  void *likely;       /* by vertex, as wide: a tail that is likely to be reached early; at first, the vertex itself */
  uint64_t *nonempty; /* a bit for each local vertex: an arc leads to it */
} scree__transpose;
scree_status scree__transpose_of(const scree_graph *g, const scree__transpose **transpose);

/* The arcs of the vertices of largest degree, each kept on the rank that it leads to: one message to each rank that a
 * hub is in a frontier has all its arcs examined there, without a message for each, in the order of the vertices.
 * Memory: 4 bytes an arc. */
typedef struct scree__hubs {
  uint64_t degree;    /* of a hub at least */
  uint64_t count;     /* hubs of all ranks */
  uint64_t *location; /* packed, ascending */
  uint64_t *offsets;  /* members of hub i are members[offsets[i] .. offsets[i + 1] - 1] */
  uint32_t *members;  /* local vertices */
} scree__hubs;
scree_status scree__hubs_of(const scree_graph *g, const scree__hubs **hubs);
/* The index of the hub at a packed location, which is that of one. Local. */
uint64_t scree__hub_at(const scree__hubs *hubs, uint64_t location);

/* ---- weight-sorted rows ---- */

/* The arcs of each local vertex, lightest first; rows begin and end as the graph's own. Weight and head are adjacent,
 * so that the first access to a row waits for one cache line. Of a graph without weights they are 1. */
typedef struct scree__short_arc { /* of graphs that are not wide, with weights of 4 bytes or none */
  uint32_t weight;                /* a uint32, or a float's bits: in the order of the values either way */
  uint32_t head;
} scree__short_arc;
typedef struct scree__long_arc {
  double weight;
  uint64_t head;
} scree__long_arc;
typedef struct scree__weight_sorted { /* one of these three */
  scree__short_arc *arcs;
  scree__long_arc *long_arcs;
  const uint32_t *heads, *weights; /* the graph's own rows, which were sorted where they are */
} scree__weight_sorted;
/* Whether rows of g are sorted where they are. Local. */
bool scree__sorts_in_place(const scree_graph *g);
/* How they are stored: a constant in loops over them. */
typedef enum {
  SCREE__INTEGERS,
  SCREE__FLOATS,
  SCREE__LONG,
  SCREE__OWN_INTEGERS,
  SCREE__OWN_FLOATS
} scree__weight_layout;
static inline scree__weight_layout scree__weight_layout_of(const scree_graph *g, const scree__weight_sorted *rows) {
  const bool floats = g->weight == SCREE_WEIGHT_FLOAT;
  if (rows->long_arcs) return SCREE__LONG;
  if (rows->heads) return floats ? SCREE__OWN_FLOATS : SCREE__OWN_INTEGERS;
  return floats ? SCREE__FLOATS : SCREE__INTEGERS;
}
/* Makes a call in which `layout` is a constant, that of the rows. */
#define SCREE__WITH_LAYOUT(g, rows, call)                                                                              \
  switch (scree__weight_layout_of((g), (rows))) {                                                                      \
    SCREE__LAYOUT_CASE(SCREE__INTEGERS, call)                                                                          \
    SCREE__LAYOUT_CASE(SCREE__FLOATS, call)                                                                            \
    SCREE__LAYOUT_CASE(SCREE__LONG, call)                                                                              \
    SCREE__LAYOUT_CASE(SCREE__OWN_INTEGERS, call)                                                                      \
    SCREE__LAYOUT_CASE(SCREE__OWN_FLOATS, call)                                                                        \
  }
#define SCREE__LAYOUT_CASE(value, call)                                                                                \
  case value: {                                                                                                        \
    const scree__weight_layout layout = value;                                                                         \
    call;                                                                                                              \
    break;                                                                                                             \
  }
static inline __attribute__((always_inline)) double scree__sorted_weight(const scree__weight_sorted *rows,
                                                                         scree__weight_layout layout, uint64_t e) {
  const bool own = layout == SCREE__OWN_INTEGERS || layout == SCREE__OWN_FLOATS;
  float f;
  if (layout == SCREE__LONG) return rows->long_arcs[e].weight;
  const uint32_t *weight = own ? &rows->weights[e] : &rows->arcs[e].weight;
  if (layout == SCREE__INTEGERS || layout == SCREE__OWN_INTEGERS) return *weight;
  __builtin_memcpy(&f, weight, sizeof f);
  return (double)f;
}
static inline __attribute__((always_inline)) uint64_t scree__sorted_head(const scree__weight_sorted *rows,
                                                                         scree__weight_layout layout, uint64_t e) {
  if (layout == SCREE__OWN_INTEGERS || layout == SCREE__OWN_FLOATS) return rows->heads[e];
  return layout == SCREE__LONG ? rows->long_arcs[e].head : rows->arcs[e].head;
}
static inline void scree__sorted_prefetch(const scree__weight_sorted *rows, uint64_t e) {
  if (rows->heads) __builtin_prefetch(&rows->weights[e]);
  __builtin_prefetch(rows->heads       ? (const void *)&rows->heads[e]
                     : rows->long_arcs ? (const void *)&rows->long_arcs[e]
                                       : &rows->arcs[e]);
}
scree_status scree__weight_sorted_of(const scree_graph *g, const scree__weight_sorted **rows);

/* ---- rows of the node ---- */

/* The rows of all vertices, by packed location, in an array of the node. */
typedef struct scree__node_rows {
  const scree_node_array *array; /* NULL: not all ranks are on one node and share memory, or the graph is too large */
  scree_graphs *graphs;
  const uint32_t *offsets; /* by location, and one more */
  const scree__short_arc *arcs;
} scree__node_rows;
/* Of a graph with whole weights or none. */
scree_status scree__node_rows_of(const scree_graph *g, const scree__node_rows **rows);

/* ---- symmetrized ---- */

/* An undirected graph with the vertices and the arcs of the directed graph g, without weights and labels. */
scree_status scree__symmetrized_of(const scree_graph *g, const scree_graph **symmetrized);

/* ---- between the files ---- */

/* A kind of ordering. `make` fills zeroed memory of `bytes`, is collective, and returns what all ranks have agreed on;
 * `clear` frees what it has filled in, also partly. */
typedef struct {
  scree_attachment_key key;
  unsigned bit;
  size_t bytes;
  scree_status (*make)(const scree_graph *g, void *ordering);
  void (*clear)(void *ordering);
} scree__ordering;
extern const scree__ordering scree__by_weight, scree__transposed, scree__hub_arcs, scree__read_by, scree__symmetrized,
    scree__rows_of_node;
void scree__ordering_free(void *data);
#define SCREE__ORDERING_KEY(name)                                                                                      \
  { name, scree__ordering_free }
/* That of g; NULL: not SCREE_OK. */
const void *scree__ordering_of(const scree_graph *g, const scree__ordering *kind, scree_status *status);
/* SCREE_OK, or SCREE_ENOMEM with a text that names `bytes`, on all ranks. Collective. */
scree_status scree__ordering_ready(const scree_graph *g, bool ready, size_t bytes);

#endif
