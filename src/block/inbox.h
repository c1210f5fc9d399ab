/* inbox.h - the bounded queue of block references of one receiving endpoint: many producers, one consumer, in memory
 * that all of them map. A reference is the block's offset in the map, never 0. The capacity is at least the sum of what
 * the producers may have in flight, and a block counts as in flight until its owner has it back; so a claimed cell is
 * always free and a push never waits or fails. */
#ifndef SCREE__INBOX_H
#define SCREE__INBOX_H
#include "block/block.h"
#include "block/node.h"

/* Producers write `tail`, receivers and the owner of the blocks write `returned`, producers and the consumer write
 * cells: three lines of their own. Cells are packed, eight to a line, although several producers' share one: a push
 * must get the line of `tail` anyhow, so a line for each cell would save at most one of its two transfers, and would
 * cost one transfer for every cell, where a burst now needs one for eight cells. Between threads, with blocks of 64
 * bytes and of 16 KiB, from one and from three producers, no difference could be measured. */
typedef struct {
  SCREE__OWN_LINE AO_t tail;     /* claims ever made; wraps around */
  SCREE__OWN_LINE AO_t returned; /* the owner's return stack: see stack.h */
  SCREE__OWN_LINE AO_t cell[];   /* capacity of them, a power of two */
} scree__inbox;

_Static_assert(_Alignof(scree__inbox) == SCREE__LINE && offsetof(scree__inbox, returned) == SCREE__LINE &&
                   offsetof(scree__inbox, cell) == 2 * (size_t)SCREE__LINE,
               "tail, returned and the cells share no line");

/* The claim must be ordered after the consumer's clearing of the cell, or 0 could overwrite the reference. Number the
 * claims from 0. When n + capacity is claimed, owners have taken back n + 1 blocks or more, since each counts its own
 * before it claims; one of these has number n or more; before it was returned (release) the consumer had cleared cell
 * n, since it clears in order. Its owner took it back (acquire) and then claimed; all claims are one chain of
 * read-modify-writes, each of which releases all earlier writes and acquires what the earlier claims released. So the
 * claim needs both, and there is no acq_rel: full. The store releases the block's contents, and `created`. */
static inline void scree__inbox_push(scree__inbox *in, size_t capacity, AO_t reference) {
  AO_t at = AO_fetch_and_add_full(&in->tail, 1);
  SCREE__INVARIANT(reference && AO_load(&in->cell[at & (capacity - 1)]) == 0);
  AO_store_release(&in->cell[at & (capacity - 1)], reference);
}

/* The reference at `head`, 0 if there is none yet. Acquire: pairs with the store of the push. */
static inline AO_t scree__inbox_peek(const scree__inbox *in, size_t capacity, AO_t head) {
  return AO_load_acquire(&in->cell[head & (capacity - 1)]);
}

/* The consumer is done with the cell; *head moves on. Relaxed: the return of the block releases it, see the push. */
static inline void scree__inbox_pop(scree__inbox *in, size_t capacity, AO_t *head) {
  SCREE__INVARIANT(AO_load(&in->cell[*head & (capacity - 1)]) != 0);
  AO_store(&in->cell[(*head)++ & (capacity - 1)], 0);
}
#endif
