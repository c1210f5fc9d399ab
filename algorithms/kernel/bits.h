/* bits.h - sets of vertices as bitmaps by packed location, and the message that sends a part of one to all ranks. */
#ifndef SCREE__BITS_H
#define SCREE__BITS_H
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

/* Sends all other ranks which vertices of this rank are in the set; chunks without one are not sent. In an epoch. */
void scree__bits_send(const scree__run *run, uint32_t type, const uint64_t *bits);
/* Adds what was received to a set. */
void scree__bits_add(const scree__run *run, uint64_t *bits, const scree__bits_item *items, uint32_t count);

#endif
