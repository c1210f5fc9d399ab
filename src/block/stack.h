/* stack.h - blocks that threads of one process hand to another one, in any number. A block is one thread's at a time, so
 * its link is free. */
#ifndef SCREE__STACK_H
#define SCREE__STACK_H
#include "block/block.h"

/* Treiber's push; any thread. The taker only ever takes all, so a head that was taken and came back is harmless. Relaxed
 * load: `old` is only compared and passed on. Release: what the caller did with the block, and before, comes before what
 * the taker does. */
static inline void scree__stack_push(AO_t *head, scree__block *block) {
  AO_t old;
  do {
    old = AO_load(head);
    block->link = old;
  } while (!AO_compare_and_swap_release(head, old, (AO_t)block));
}

/* All blocks, by `next`, those of one thread in the order in which it pushed them; NULL: there are none. By the one taker.
 * The first load is relaxed: what it misses comes next time. Acquire: pairs with the release of every block in the chain,
 * since a push is a read-modify-write and carries on the release of those under it. */
static inline scree__block *scree__stack_take(AO_t *head) {
  scree__block *list = NULL;
  AO_t old = AO_load(head);
  if (!old) return NULL;
  while (!AO_compare_and_swap_acquire(head, old, 0)) old = AO_load(head);
  for (scree__block *block = (scree__block *)old, *below; block; block = below) {
    below = (scree__block *)block->link;
    block->next = list;
    list = block;
  }
  return list;
}
#endif
