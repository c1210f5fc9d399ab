/* bits.h - sets of vertices as bitmaps by packed location, of a rank or in an array of its node, and the message that
 * sends a part of one to the other nodes. */
#ifndef SCREE__BITS_H
#define SCREE__BITS_H
#include <atomic_ops.h>
#include <scree/graph.h>

#include "kernel/kernel.h"

static inline bool scree__bit(const uint64_t *bits, uint64_t i) {
  return bits[i / 64] >> i % 64 & 1;
}
static inline void scree__bit_set(uint64_t *bits, uint64_t i) {
  bits[i / 64] |= UINT64_C(1) << i % 64;
}
/* Words of a set of the graph's vertices. */
static inline uint64_t scree__bits_words(const scree_graph *g) {
  return scree_graph_slots(g) / 64 + 1;
}

enum { SCREE__BITS_CHUNK = 63 }; /* words in a message: with the index 512 bytes */

typedef struct {
  uint64_t at; /* index of the first word */
  uint64_t words[SCREE__BITS_CHUNK];
} scree__bits_item;

/* ---- sets in an array of the node ----
 *
 * In an epoch each rank adds its own vertices, and the first rank of a node those of other nodes; after it all ranks of
 * the node read them. The end of the epoch orders that. In an epoch only ranks that have fewer than 64 slots access one
 * word at once, where they border on each other, and change it by atomic operations. */
typedef struct {
  const scree_node_array *array;
  bool apart; /* no word has bits of two ranks */
} scree__node_bits;

/* Opens an array for so many sets, empty ones; `set` gets their words. Collective; returns what all ranks have agreed
 * on. */
scree_status scree__node_bits_open(const scree__run *run, uint32_t sets, AO_t **set, scree__node_bits *bits);
static inline bool scree__node_bit(const AO_t *set, uint64_t i) {
  return AO_load(&set[i / 64]) >> i % 64 & 1;
}
static inline void scree__node_bits_or(const scree__node_bits *bits, AO_t *word, AO_t more) {
  if (bits->apart)
    AO_store(word, AO_load(word) | more); /* others may read it, but not write it now */
  else
    AO_or(word, more);
}
/* Of a vertex of this rank. */
static inline void scree__node_bit_set(const scree__node_bits *bits, AO_t *set, uint64_t i) {
  scree__node_bits_or(bits, &set[i / 64], (AO_t)1 << i % 64);
}
/* Empties what this rank adds: its own part, and on the first rank of a node those of other nodes. After an epoch in
 * which the set was read for the last time, before the next one. */
void scree__node_bits_clear(const scree__run *run, const scree__node_bits *bits, AO_t *set);
/* Sends the other nodes which vertices of this rank are in the set; chunks without one are not sent. In the epoch. */
void scree__node_bits_send(const scree__run *run, uint32_t type, const scree__node_bits *bits, const AO_t *set);
/* Adds what was received to a set. */
void scree__node_bits_add(const scree__run *run, const scree__node_bits *bits, AO_t *set, const scree__bits_item *items,
                          uint32_t count);

#endif
