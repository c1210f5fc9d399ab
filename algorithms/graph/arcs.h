/* arcs.h - the arcs of one rank while its graph is built: they come in any order and are kept by ranges of tails.
 *
 * Room: the store of a builder, and the rows that are made of it. Local vertices are split into up to 256 ranges; what
 * arrives is at once put with those of its range, into chunks that never move. The rows of one range fit in a cache
 * close by, so that dealing out its arcs to them stays there (a radix sort by the tail's upper bits, then a counting
 * sort within each range). */
#ifndef SCREE__ARCS_H
#define SCREE__ARCS_H
#include "graph/internal.h"

/* Memory with arcs behind it, of one range; or a slab, of which only `before` is used. */
typedef struct scree__chunk {
  struct scree__chunk *before; /* filled, or taken, before it */
  size_t bytes;                /* this included */
  char *end;                   /* of the arcs, once the chunk is full */
} scree__chunk;
/* Arcs of a range of tails; the next one goes to `next`. */
typedef struct scree__range {
  char *next, *limit;
  scree__chunk *last;
} scree__range;

/* In what form arcs are sent and kept: in the shortest that has room for their places and weights. */
typedef enum { SCREE__LINKS, SCREE__ARCS, SCREE__TRIPLES } scree__arc_form;

/* Decides on `wide` and `local_bits` of a graph whose distribution is known; and on the form of its arcs. Local. */
void scree__graph_width(scree_graph *g, bool wide);
scree__arc_form scree__graph_form(const scree_graph *g);

typedef struct scree__arcs {
  scree_graphs *graphs;
  scree__range *ranges;
  uint32_t shift, count; /* tail >> shift is the number of its range, of `count` */
  scree__arc_form form;
  scree__chunk *slabs; /* where chunks are cut from */
  size_t cut, room;    /* bytes of the last slab that are used, and all of it */
  uint64_t held;       /* bytes of all slabs */
  uint64_t checked;    /* of `held`, when it was last asked whether there is memory */
} scree__arcs;

/* Bytes of an arc in a form. */
static inline size_t scree__arc_bytes(scree__arc_form form) {
  static const size_t bytes[] = {sizeof(scree__link), sizeof(scree__arc), sizeof(scree__triple)};
  return bytes[form];
}

/* An empty store for the tails 0 .. locals-1. False: no memory. Freed by scree__arcs_close in either case. Local. */
bool scree__arcs_open(scree__arcs *arcs, scree_graphs *graphs, uint64_t locals, scree__arc_form form);
void scree__arcs_close(scree__arcs *arcs);
/* About how many bytes a store of so many arcs holds. Local. */
uint64_t scree__arcs_held(uint64_t locals, uint64_t arcs, scree__arc_form form);
/* Room for one more arc in a range whose chunk is full. SCREE_ENOMEM: there is none, or the rows of what has come
 * so far would not fit beside it; graphs->why says so. Local. */
scree_status scree__arcs_grow(scree__arcs *arcs, scree__range *range);

/* Makes offsets, targets and weights of `g`, whose shape is known, and hands back memory as it goes. `count` is how
 * many arcs there were. SCREE_ENOMEM: graphs->why says so. Local. */
scree_status scree__arcs_rows(scree__arcs *arcs, scree_graph *g, uint64_t *count);

#endif
