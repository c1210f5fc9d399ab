/* sorted.h - copies of a graph's rows in an order that an algorithm can use, made once and kept with the graph.
 *
 * Room: one order, one function. Collective, idle world; freed by scree_graph_free. */
#ifndef SCREE__SORTED_H
#define SCREE__SORTED_H
#include <scree/graph.h>

/* The arcs of the heaviest vertices, each kept on the rank that it leads to: who says to all ranks that a hub is in a
 * frontier has its arcs looked at by all, and no message for each. Memory: 4 bytes an arc. */
typedef struct scree__hubs {
  uint64_t degree;   /* of a hub at least */
  uint64_t count;    /* hubs of all ranks */
  uint64_t *places;  /* packed, ascending */
  uint64_t *offsets; /* members of hub i are members[offsets[i] .. offsets[i + 1] - 1] */
  uint32_t *members; /* local vertices */
} scree__hubs;
/* Which hub is at a packed place, where there is one. Local. */
uint64_t scree__hub_at(const scree__hubs *hubs, uint64_t place);

/* The arcs that lead to each local vertex: their tails, those with the most arcs first, by classes of degree. */
typedef struct scree__backward {
  scree_graph *reversed;   /* of a directed graph; NULL: the graph is its own reverse */
  const uint64_t *offsets; /* as scree_graph has them */
  void *tails;             /* packed places, 4 or 8 bytes as the graph's */
  void *first;             /* the first of each row, by vertex; not set where the row is empty */
  uint32_t *with;          /* the vertices whose rows are not empty, ascending */
  uint64_t with_count;
  scree__hubs hubs;
} scree__backward;
scree_status scree__sorted_backward(const scree_graph *g, const scree__backward **backward);

/* The arcs of each local vertex, lightest first; rows begin and end as the graph's own. Weight and head stand together:
 * who begins a row waits for one line of memory. Of a graph without weights they are 1. */
typedef struct scree__short_arc { /* of graphs that are not wide, with weights of 4 bytes or none */
  uint32_t weight;                /* a uint32, or a float's bits: in the order of the values either way */
  uint32_t head;
} scree__short_arc;
typedef struct scree__long_arc {
  double weight;
  uint64_t head;
} scree__long_arc;
typedef struct scree__by_weight {
  scree__short_arc *arcs; /* of these two one is NULL */
  scree__long_arc *long_arcs;
} scree__by_weight;
/* How they are stored: a constant in loops over them. */
typedef enum { SCREE__INTEGERS, SCREE__FLOATS, SCREE__LONG } scree__by_weight_kind;
static inline scree__by_weight_kind scree__by_weight_layout(const scree_graph *g, const scree__by_weight *rows) {
  return rows->long_arcs ? SCREE__LONG : g->weight == SCREE_WEIGHT_FLOAT ? SCREE__FLOATS : SCREE__INTEGERS;
}
static inline __attribute__((always_inline)) double scree__by_weight_at(const scree__by_weight *rows,
                                                                        scree__by_weight_kind kind, uint64_t e) {
  float f;
  if (kind == SCREE__LONG) return rows->long_arcs[e].weight;
  if (kind == SCREE__INTEGERS) return rows->arcs[e].weight;
  __builtin_memcpy(&f, &rows->arcs[e].weight, sizeof f);
  return (double)f;
}
static inline __attribute__((always_inline)) uint64_t scree__by_weight_head(const scree__by_weight *rows,
                                                                            scree__by_weight_kind kind, uint64_t e) {
  return kind == SCREE__LONG ? rows->long_arcs[e].head : rows->arcs[e].head;
}
scree_status scree__sorted_by_weight(const scree_graph *g, const scree__by_weight **rows);

/* ---- between the files of sorted_*.c ---- */

struct scree__prepared {
  scree__backward backward;
  scree__by_weight by_weight;
};
/* Class of a number of arcs, eight for each power of two: 8 k for 2^k - 1. Local. */
uint8_t scree__degree_class(uint64_t degree);
/* Makes the hubs of sorted rows; `class` by packed place. Freed in any case. Collective. */
scree_status scree__hubs_make(const scree_graph *g, const scree__backward *rows, const uint8_t *class,
                              scree__hubs *hubs);
void scree__hubs_free(scree__hubs *hubs);
void scree__backward_free(scree__backward *backward);
void scree__by_weight_free(scree__by_weight *rows);
/* What is kept with g, made if there is nothing yet. Collective. */
scree_status scree__prepared_of(const scree_graph *g, struct scree__prepared **prepared);

/* Packed places in an array of either width. */
static inline uint64_t scree__head_get(const void *heads, bool wide, uint64_t i) {
  return wide ? ((const uint64_t *)heads)[i] : ((const uint32_t *)heads)[i];
}
static inline void scree__head_put(void *heads, bool wide, uint64_t i, uint64_t head) {
  if (wide)
    ((uint64_t *)heads)[i] = head;
  else
    ((uint32_t *)heads)[i] = (uint32_t)head;
}

#endif
