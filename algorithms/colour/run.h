/* run.h - what the variants of colouring share: a word for each vertex of the graph in an array of the node, which
 * messages keep up to date about those of other nodes.
 *
 * Vertices are coloured in descending order of a number that the variant chooses, those of an equal number by their
 * place: pieces of adjacent vertices in a fixed order. So all ranks advance at about the same pace, and each reads its
 * rows in few places. A key is the number and as many of the place's bits, inverted, as there is space for. */
#ifndef SCREE__COLOUR_RUN_H
#define SCREE__COLOUR_RUN_H
#include <atomic_ops.h>

#include "kernel/kernel.h"

enum { SCREE__COLOUR_WINDOW = 512, SCREE__COLOUR_TURN = 64 }; /* colours; vertices between two polls */
#define SCREE__COLOURED (UINT32_C(1) << 31)

/* Shared by the variants: run->shared. */
typedef struct scree__colour {
  const scree_node_array *array;
  unsigned *word;           /* by packed location: a key; or SCREE__COLOURED with the colour */
  uint64_t first;           /* location of this rank's first vertex */
  bool whole;               /* all ranks are on this node */
  uint32_t *order, *spare;  /* local vertices with arcs, sorted; as many others */
  uint64_t count;           /* of them */
  uint32_t left, shift;     /* bits of a key after the number; bits of a place that are not in it */
  uint64_t *notified, sent; /* by rank: the last notice that it got; notices so far */
  uint32_t *asked, asking;  /* by rank: the local vertex, plus 1, of which it wants to hear; those that do */
  uint64_t used;            /* colours that neighbours had in a search of a short row, as bits */
  uint32_t mark[SCREE__COLOUR_WINDOW + 1], stamp; /* by colour: the last search in which a neighbour had it */
} scree__colour;

static inline scree__colour *scree__colour_of(const scree__run *run) {
  return run->shared;
}
static inline uint32_t scree__colour_get(const scree__colour *c, uint64_t location) {
  return AO_int_load(&c->word[location]);
}
static inline void scree__colour_set(const scree__colour *c, uint64_t u, uint32_t word) {
  AO_int_store(&c->word[c->first + u], word);
}

/* A vertex and its word, to a rank that has a neighbour. */
typedef struct scree__colour_item {
  uint32_t owner, local, word;
} scree__colour_item;
void scree__colour_take(scree__run *run, uint32_t sender, const void *items, uint32_t count);
/* Asks for a message to this rank when a vertex of the receiver is coloured. */
typedef struct scree__colour_ask {
  uint32_t local, rank;
} scree__colour_ask;
void scree__colour_take_ask(scree__run *run, uint32_t sender, const void *items, uint32_t count);
/* Sends the word of local vertex u to a rank, by the variant's first message. In an epoch. */
void scree__colour_send(scree__run *run, uint64_t u, uint32_t to);
/* The same to the other ranks that have a neighbour of it:
 * `all` of them, or those of other nodes. In an epoch. */
void scree__colour_notify(scree__run *run, uint64_t u, bool all);

/* Sets the keys of this rank's vertices, from the numbers up to `max` that their words are, and sorts them. Local. */
void scree__colour_sort(scree__run *run, uint64_t max);
/* The place of the vertex at a location. Local. */
uint64_t scree__colour_place(const scree_graph *g, uint64_t location);
/* The degree of each of this rank's vertices becomes its word, which sorts them. Collective. */
scree_status scree__colour_by_degree(scree__run *run);
/* Colours the vertices in the order of their keys. Collective. */
scree_status scree__colour_in_order(scree__run *run);
/* Number i of `order` gets the lowest colour that its neighbours do not have. */
void scree__colour_first_fit(scree__run *run, uint64_t i);

extern const scree__variant scree__colour_largest_first, scree__colour_smallest_last, scree__colour_speculative;

/* Whether the colouring is proper, with low colours. Collective; the verdict is the same on all ranks. */
scree_status scree__colour_validate(const scree_graph *g, uint64_t source, const void *options,
                                    const scree_answer *answer, scree_verdict *verdict);

#endif
