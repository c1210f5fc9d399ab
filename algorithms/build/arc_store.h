/* arc_store.h - the arcs of one rank while its graph is built: they arrive in any order and are kept by ranges of
 * tails.
 *
 * Local vertices are split into 256 ranges, or more if these are longer than 2^16; an arriving arc is appended to the
 * chunks of its range, which never move. The rows of one range fit in a nearby cache, so that scattering its arcs to
 * them stays there (a radix sort by the tail's upper bits, then a counting sort within each range). */
#ifndef SCREE__ARC_STORE_H
#define SCREE__ARC_STORE_H
#include "graph/exchange.h"

/* The header of memory that holds arcs of one range; or of a slab, which uses `before` alone. */
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

/* The form in which arcs are stored, the shortest that holds their packed heads and their weights. Tails are those of
 * one range, of at most 2^16 vertices: their lower 16 bits are enough. The messages are links, arcs, and triples for
 * the last two. */
typedef enum { SCREE__LINKS, SCREE__ARCS, SCREE__DOUBLES, SCREE__WIDE } scree__arc_form;
typedef struct __attribute__((packed, aligned(2))) {
  uint32_t head;
  uint16_t tail;
} scree__stored_link;
typedef struct __attribute__((packed, aligned(2))) {
  uint32_t head, weight;
  uint16_t tail;
} scree__stored_arc;
typedef struct __attribute__((packed, aligned(2))) {
  uint32_t head;
  double weight;
  uint16_t tail;
} scree__stored_double;
typedef struct __attribute__((packed, aligned(2))) {
  uint64_t head;
  double weight;
  uint16_t tail;
} scree__stored_wide;

/* The form of a graph's arcs, by its width and its kind of weights. Local. */
scree__arc_form scree__arc_form_of(const scree_graph *g);

typedef struct scree__arc_store {
  scree_graphs *graphs;
  scree__range *ranges;
  uint32_t shift, count; /* tail >> shift is the number of its range, of `count` */
  scree__arc_form form;
  scree__chunk *slabs; /* where chunks are allocated */
  size_t used, size;   /* bytes of the last slab: in use, and in all */
  uint64_t held;       /* bytes of all slabs */
  uint64_t checked;    /* value of `held` at the last check of free memory */
} scree__arc_store;

/* Bytes of an arc in a form. */
static inline size_t scree__arc_bytes(scree__arc_form form) {
  static const size_t bytes[] = {sizeof(scree__stored_link), sizeof(scree__stored_arc), sizeof(scree__stored_double),
                                 sizeof(scree__stored_wide)};
  return bytes[form];
}

/* An empty store for the tails 0 .. locals-1. False: no memory. Freed by scree__arc_store_close in either case.
 * Local. */
bool scree__arc_store_open(scree__arc_store *arcs, scree_graphs *graphs, uint64_t locals, scree__arc_form form);
void scree__arc_store_close(scree__arc_store *arcs);
/* Approximate bytes of a store of so many arcs. Local. */
uint64_t scree__arc_store_bytes(uint64_t locals, uint64_t arcs, scree__arc_form form);
/* The same of the store and of rows of so many bytes that are made from it: chunks of a store of at least so many bytes
 * are returned to the system when their rows are complete. Local. */
uint64_t scree__arc_store_peak(uint64_t locals, uint64_t arcs, scree__arc_form form, uint64_t rows);
enum { SCREE__ARCS_DISCARDED_FROM = 1 << 22 };
/* Starts a new chunk for a range whose last one is full. SCREE_ENOMEM: no memory, or too little for the rows of what
 * has arrived so far beside it; graphs->why is set. Local. */
scree_status scree__arc_store_grow(scree__arc_store *arcs, scree__range *range);

/* Makes offsets, targets and weights of `g`, whose shape is known. *count: the number of arcs. SCREE_ENOMEM:
 * graphs->why is set. Local. */
scree_status scree__arc_store_to_csr(scree__arc_store *arcs, scree_graph *g, uint64_t *count);

#endif
