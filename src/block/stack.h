/* stack.h - blocks that any number of threads or processes pass to one taker. A block is one thread's at a time, so its
 * link is free. Links are relative to `base`, for what several processes map at different addresses; NULL: they are
 * addresses. */
#ifndef SCREE__STACK_H
#define SCREE__STACK_H
#include "block/block.h"

/* Treiber's push; any thread. The taker only ever takes all, so a head that was taken and came back is harmless.
 * Relaxed load: `old` is only compared and passed on, never followed. Release: pairs with the taker's acquire; the
 * link, what the caller did with the block, and its earlier clearing of an inbox's cell, precede what the taker does
 * with it. */
static inline void scree__stack_push(AO_t *head, const char *base, scree__block *block) {
  const AO_t mine = (AO_t)block - (AO_t)base;
  AO_t old;
  do {
    old = AO_load(head);
    SCREE__INVARIANT(old != mine);
    block->link = old;
  } while (!AO_compare_and_swap_release(head, old, mine));
}

/* All blocks, by `next`, those of one thread in the order in which it pushed them; NULL: there are none. By the one
 * taker. The first load is relaxed: a guess that saves an idle poll the transfer of the line; what it misses is found
 * next time. So is the load before the compare-and-swap (there is no swap), which alone counts. Acquire: pairs with the
 * release of every block in the chain, since a push is a read-modify-write and carries on the release of those under
 * it. */
static inline scree__block *scree__stack_take(AO_t *head, char *base) {
  scree__block *list = NULL;
  AO_t old = AO_load(head);
  if (!old) return NULL;
  while (!AO_compare_and_swap_acquire(head, old, 0)) old = AO_load(head);
  while (old) {
    scree__block *block = (scree__block *)(old + (AO_t)base);
    old = block->link;
    SCREE__INVARIANT(block != list);
    block->next = list;
    list = block;
  }
  return list;
}
#endif
