/* gather.h - for passes over all arcs that read a value of each head: the slot of each arc in a table, and which
 * vertices fill which slots, here and on other ranks. */
#ifndef SCREE__GATHER_H
#define SCREE__GATHER_H
#include "ordering/ordering.h"

typedef struct scree__gather_pair {
  uint32_t vertex, slot; /* local where the value is; in the table */
} scree__gather_pair;
typedef struct scree__gather_send {
  uint32_t rank;
  scree__gather_pair pair;
} scree__gather_send;
typedef struct scree__gather {
  uint64_t slots;            /* of the table */
  const scree__head32 *slot; /* of the arcs: those of a row in any order, as rows may be sorted later */
  /* Of a table of needed values, where those that are read often are adjacent: */
  scree__gather_pair *own;   /* slots that local vertices fill here, by vertex */
  scree__gather_send *sends; /* slots that local vertices fill on other ranks */
  size_t own_count, send_count;
  /* Of a table of all values, by packed location: for each rank a bit for each block of local vertices, whether it
   * reads one of their values. NULL: it is a table of needed values. */
  uint64_t *readers;
} scree__gather;

/* For so many runs, 0: not known. SCREE__GATHERED; or SCREE__VALUES, a table of all values, by the heads of arcs: it
 * takes no messages and no slots to make, and a run is slower by a quarter (Kronecker 20). It serves one run on an
 * undirected graph, narrow, of at most 64 ranks, that have as many arcs each as the table has places, and a block of
 * vertices. Local; the same on all ranks. */
unsigned scree__gather_wanted(const scree_graph *g, uint64_t runs);
scree_status scree__gather_of(const scree_graph *g, uint64_t runs, const scree__gather **gather);

/* The first slot of this rank's vertices in a table of all values. */
static inline uint64_t scree__gather_first(const scree_graph *g) {
  return (uint64_t)scree_graph_rank(g) << g->local_bits;
}

enum {
  SCREE__GATHER_BLOCK = 16, /* vertices, whose values are sent together */
  SCREE__GATHER_AHEAD = 128 /* arcs between prefetching the value of a head and reading it */
};

/* The last arc from which on slots can be read so far ahead. */
static inline uint64_t scree__gather_last(const scree_graph *g) {
  const uint64_t arcs = g->offsets[g->locals];
  return arcs > SCREE__GATHER_AHEAD ? arcs - SCREE__GATHER_AHEAD : 0;
}

static inline uint64_t scree__gather_words(const scree_graph *g) {
  return g->locals / SCREE__GATHER_BLOCK / 64 + 1;
}
/* Of a table of all values: calls send(run, rank, vertex), a constant, for each block with a value that another rank
 * reads; `vertex` is its first one. The arrays of values have space for whole blocks. Returns their number. */
static inline __attribute__((always_inline)) uint64_t
scree__gather_blocks(const scree_graph *g, const scree__gather *t, void *run,
                     void (*send)(void *run, uint32_t rank, uint32_t vertex)) {
  const uint64_t words = scree__gather_words(g);
  uint64_t sent = 0;
  for (uint32_t i = 1; i < g->vertices.ranks; i++) {
    const uint32_t rank = (scree_graph_rank(g) + i) % g->vertices.ranks;
    for (uint64_t w = 0; w < words; w++)
      for (uint64_t bits = t->readers[rank * words + w]; bits; bits &= bits - 1, sent++)
        send(run, rank, (uint32_t)(64 * w + (uint64_t)__builtin_ctzll(bits)) * SCREE__GATHER_BLOCK);
  }
  return sent;
}

#endif
