/* stacks.h - stacks of tasks: cut from slabs, used one task after another, each ending in a page that faults or in a
 * canary. Their tops are coloured: they differ in the cache sets that they occupy, because conflicts of these are the
 * cost of a switch. The thread of one worker calls all functions of one allocator. */
#ifndef SCREE__STACKS_H
#define SCREE__STACKS_H
#include <stdbool.h>

#include "base/context.h"

typedef struct scree__slab scree__slab;

/* At the top of each stack, as the head of the data of the allocator's owner. */
typedef struct scree__stack {
  scree__context context;    /* calls fn(stack) when it first runs */
  void *owner;               /* of scree__stacks_open; in the only cache line that switches access */
  struct scree__stack *next; /* of those that are free */
  scree__slab *slab;
} scree__stack;

/* What is at the end of a stack. AUTO: pages that fault for as many stacks of the process as a quarter of the mappings
 * that the system allows it (vm.max_map_count) is enough for, canaries for the others. ON: no stack without such a
 * page. */
typedef enum { SCREE__GUARD_AUTO, SCREE__GUARD_ON, SCREE__GUARD_OFF } scree__guard;

/* The most stacks in use at once, over intervals of 8 epochs and an eighth of a second at least. */
enum { SCREE__STACK_INTERVALS = 8 };
typedef struct {
  uint32_t peak;                          /* of the current interval */
  uint32_t ended[SCREE__STACK_INTERVALS]; /* of the last ones */
  uint32_t next, epochs;                  /* place in `ended` of the current interval; its epochs */
  uint64_t since;                         /* ns: its begin */
} scree__stack_use;

typedef struct scree__stacks {
  size_t bytes, head; /* of each: what functions may use; what is at the top */
  scree__guard guard;
  void (*fn)(void *stack);
  void *owner;
  scree__slab *slabs; /* the newest first */
  scree__stack *free;
  uint32_t stacks, in_use;
  scree__stack_use use;
  size_t deepest; /* of stacks that were unmapped */
} scree__stacks;

/* Allocates nothing yet. `bytes` is 4 KiB or more; `head`: bytes of a struct whose first member is a scree__stack. fn
 * is called once on each stack and never returns; in it, tasks run one after another. */
void scree__stacks_open(scree__stacks *stacks, size_t bytes, size_t head, scree__guard guard, void (*fn)(void *stack),
                        void *owner);
/* Unmaps all, also those in use. */
void scree__stacks_close(scree__stacks *stacks);

/* A stack, the one last given back if there is one: its fn waits where it has switched away. The other bytes of the
 * head of a new one are zero. NULL: no memory, or no more guard pages. */
scree__stack *scree__stacks_take(scree__stacks *stacks);
/* Returns one; it may still be the one that the caller is on, until the caller switches away. */
void scree__stacks_give(scree__stacks *stacks, scree__stack *stack);
/* Called after each epoch, with the time in ns. Unmaps slabs whose stacks are all free, down to the most stacks that
 * were in use at once in the last 64 epochs or in the last second, whichever is longer; one slab stays. So a program
 * whose epochs alternate maps no slab again. */
void scree__stacks_trim(scree__stacks *stacks, uint64_t now);
/* Bytes that the deepest stack but `except` (NULL: of all) has had in use so far, short of what was zero at its end.
 * Reads all stacks: a system call and a page for each. */
size_t scree__stacks_deepest(const scree__stacks *stacks, const scree__stack *except);
/* All memory of a stack's slab: of each stride, `guard` bytes fault, and the others are of one stack. */
typedef struct {
  char *memory;
  size_t bytes, stride, guard;
} scree__slab_memory;
scree__slab_memory scree__stacks_slab(const scree__stack *stack);
/* The stack whose guard page has that address; NULL: none. Also in a signal handler of the thread. */
const scree__stack *scree__stacks_guarding(const scree__stacks *stacks, const void *address);

enum { SCREE__CANARY = 0x5eed };
/* False: what ran there has written below the end of its stack, and over the top of another. To be called in each
 * switch from a stack; needs no system call, no page and no branch by the kind of guard that is not always the same. */
static inline bool scree__stack_intact(const scree__stack *stack) {
  return stack->context.guard || ((const uint64_t *)(const void *)stack->context.stack)[-1] == SCREE__CANARY;
}
/* As scree__context_prefetch, and what scree__stack_intact reads. Never a page that faults: the processor keeps no
 * translation of it, and would walk the page tables each time. */
static inline void scree__stack_prefetch(const scree__stack *stack) {
  scree__context_prefetch(&stack->context);
  const char *canary = stack->context.stack - sizeof(uint64_t);
  __builtin_prefetch(stack->context.guard ? (const char *)stack : canary);
}
#endif
