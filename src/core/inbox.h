/* inbox.h - the bounded queue of block references of one receiving rank.
 *
 * Room: many producers, one consumer, in memory that all of them map. A reference is the block's offset in the
 * map, never 0. The capacity is at least the sum of what the producers may have in flight, and a block counts as in
 * flight until its owner has it back; so a claimed cell is always free and a push never waits or fails. */
#ifndef SCREE__INBOX_H
#define SCREE__INBOX_H
#include "core/block.h"

typedef struct {
  AO_t tail; /* producers; a line of its own */
  char pad0[64 - sizeof(AO_t)];
  AO_t returned; /* the owner's return stack; a line of its own */
  char pad1[64 - sizeof(AO_t)];
  AO_t cell[]; /* capacity of them, a power of two */
} scree__inbox;

/* Full order at the claim: its acquire sees the consumer's clearing of the cell (consumer clears a cell, then returns
 * that or a later block by release; an owner takes it back by acquire before its next claim; claims form one
 * read-modify-write chain), its release hands that on. The store releases the block's contents. */
static inline void scree__inbox_push(scree__inbox *in, size_t capacity, AO_t reference) {
  AO_t at = AO_fetch_and_add_full(&in->tail, 1);
  AO_store_release(&in->cell[at & (capacity - 1)], reference);
}

/* The reference at `head`, 0 if there is none yet. Acquire: pairs with the push. */
static inline AO_t scree__inbox_peek(const scree__inbox *in, size_t capacity, AO_t head) {
  return AO_load_acquire(&in->cell[head & (capacity - 1)]);
}

/* The consumer is done with the cell; *head moves on. No order of its own: see the push. */
static inline void scree__inbox_pop(scree__inbox *in, size_t capacity, AO_t *head) {
  AO_store(&in->cell[(*head)++ & (capacity - 1)], 0);
}
#endif
