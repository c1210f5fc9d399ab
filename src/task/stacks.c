/* stacks.c - slabs of stacks. A slab whose stacks end in canaries is contiguous: the canary of a stack is beside the
 * head of the one below it, so that reading it touches no further page, and rarely a further line. */
#include "task/stacks.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/huge.h"
#include "base/invariant.h"
#include "task/guard_budget.h"
#include "task/stack_depth.h"

enum { EPOCHS = 8, INTERVAL_NS = 125000000 }; /* of an interval of scree__stack_use, at least */
enum { SLAB_STACKS = 64, SLAB_BYTES = 4 << 20, ALIGNMENT = 128, COLOURS = 32, MANY = 1024, SMALL = 8 << 10 };

struct scree__slab {
  scree__slab *next;
  char *memory;
  size_t stride;         /* from one stack to the next */
  uint32_t stacks, made; /* made: those below it were taken once */
  uint32_t in_use;       /* counted when slabs are freed, not when a stack is taken */
  uint32_t guard;        /* bytes of the page that faults; 0: canaries */
  bool huge;             /* on huge pages, if the system has some */
};

/* ---- one slab ---- */

static size_t round_up(size_t n, size_t to) {
  return (n + to - 1) / to * to;
}

/* With guard pages, tops move down from the end of the last page by as much as one more page holds. Without, all
 * stacks move: the distance is an odd multiple of the step, which divides the size of a cache's way. */
static size_t stride_of(const scree__stacks *s, size_t guard) {
  size_t bytes = s->bytes + round_up(s->head, ALIGNMENT);
  if (guard) return guard + round_up(bytes + (COLOURS - 1) * ALIGNMENT, guard);
  bytes = round_up(bytes + sizeof(uint64_t), ALIGNMENT);
  return bytes / ALIGNMENT % 2 ? bytes : bytes + ALIGNMENT;
}

static bool guard_all(const scree__slab *slab) {
  for (uint32_t i = 0; i < slab->stacks; i++)
    if (mprotect(slab->memory + i * slab->stride, slab->guard, PROT_NONE)) return false;
  return true;
}

static void unmap(scree__slab *slab) {
  if (slab->huge)
    scree_huge_free(slab->memory);
  else if (slab->memory)
    munmap(slab->memory, slab->stacks * slab->stride);
  if (slab->guard) scree__guards_give(slab->stacks);
  free(slab);
}

/* Many small stacks fill their pages anyway. On huge ones, a switch does not walk the page tables. */
static bool is_for_huge_pages(const scree__stacks *s, size_t stride, uint32_t guard) {
  return !guard && stride <= SMALL && s->stacks >= MANY;
}

static scree__slab *new_slab(const scree__stacks *s, uint32_t guard) {
  const size_t stride = stride_of(s, guard), fit = SLAB_BYTES / stride;
  const bool huge = is_for_huge_pages(s, stride, guard);
  const uint32_t stacks = fit > SLAB_STACKS && !huge ? SLAB_STACKS : fit ? (uint32_t)fit : 1;
  scree__slab *slab = malloc(sizeof *slab);
  if (slab) *slab = (scree__slab){.stride = stride, .stacks = stacks, .guard = guard, .huge = huge};
  return slab;
}

static bool map(scree__slab *slab) {
  const size_t bytes = slab->stacks * slab->stride;
  void *memory = slab->huge ? scree__huge_alloc(SLAB_BYTES, true, true)
                            : mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  slab->memory = memory == MAP_FAILED ? NULL : memory;
  return slab->memory != NULL;
}

static scree__slab *map_slab(const scree__stacks *s, uint32_t guard) {
  scree__slab *slab = new_slab(s, guard);
  if (!slab || (guard && !scree__guards_take(slab->stacks))) {
    free(slab);
    return NULL;
  }
  if (map(slab) && (!guard || guard_all(slab))) return slab;
  unmap(slab);
  return NULL;
}

static scree__stack *stack_at(const scree__slab *slab, uint32_t i, size_t head) {
  char *end = slab->memory + (i + (size_t)1) * slab->stride - round_up(head, ALIGNMENT);
  return (void *)(end - (slab->guard ? i % COLOURS * (size_t)ALIGNMENT : 0));
}

static scree__stack *make_stack(const scree__stacks *s, scree__slab *slab) {
  scree__stack *stack = stack_at(slab, slab->made, s->head);
  char *lowest = slab->memory + slab->made * slab->stride + slab->guard;
  if (!slab->guard) {
    *(uint64_t *)(void *)lowest = SCREE__CANARY;
    lowest += sizeof(uint64_t);
  }
  scree__context_new_on(&stack->context, lowest, (size_t)((char *)stack - lowest), s->fn, stack);
  stack->context.guard = slab->guard;
  stack->owner = s->owner;
  stack->slab = slab;
  slab->made++;
  return stack;
}

/* ---- all of them ---- */

void scree__stacks_open(scree__stacks *s, size_t bytes, size_t head, scree__guard guard, void (*fn)(void *stack),
                        void *owner) {
  *s = (scree__stacks){.bytes = bytes, .head = head, .guard = guard, .fn = fn, .owner = owner};
}

static scree__slab *add_slab(scree__stacks *s) {
  uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE);
  scree__slab *slab = s->guard == SCREE__GUARD_OFF ? NULL : map_slab(s, page);
  if (!slab && s->guard != SCREE__GUARD_ON) slab = map_slab(s, 0);
  if (!slab) return NULL;
  slab->next = s->slabs;
  s->slabs = slab;
  s->stacks += slab->stacks;
  return slab;
}

scree__stack *scree__stacks_take(scree__stacks *s) {
  scree__stack *stack = s->free;
  if (stack) {
    s->free = stack->next;
  } else {
    scree__slab *slab = s->slabs && s->slabs->made < s->slabs->stacks ? s->slabs : add_slab(s);
    if (!slab) return NULL;
    stack = make_stack(s, slab);
  }
  if (++s->in_use > s->use.peak) s->use.peak = s->in_use;
  return stack;
}

scree__slab_memory scree__stacks_slab(const scree__stack *stack) {
  const scree__slab *slab = stack->slab;
  return (scree__slab_memory){slab->memory, slab->stacks * slab->stride, slab->stride, slab->guard};
}

void scree__stacks_give(scree__stacks *s, scree__stack *stack) {
  SCREE__INVARIANT(s->in_use > 0 && s->in_use <= s->stacks && stack != s->free);
  s->in_use--;
  stack->next = s->free;
  s->free = stack;
}

static void drop_slab(scree__stacks *s, scree__slab *slab) {
  for (uint32_t i = 0; i < slab->made; i++) scree__context_drop(&stack_at(slab, i, s->head)->context);
  s->stacks -= slab->stacks;
  unmap(slab);
}

static size_t max_depth(const scree__stacks *s, const scree__slab *slab, const scree__stack *except, size_t deepest) {
  for (uint32_t i = 0; i < slab->made; i++) {
    const scree__stack *stack = stack_at(slab, i, s->head);
    size_t depth = stack == except ? 0 : scree__stack_depth(&stack->context);
    if (depth > deepest) deepest = depth;
  }
  return deepest;
}

static void count_in_use(const scree__stacks *s) {
  for (scree__slab *slab = s->slabs; slab; slab = slab->next) slab->in_use = slab->made;
  for (const scree__stack *stack = s->free; stack; stack = stack->next) stack->slab->in_use--;
}

/* Takes slabs off the list, as long as `kept` stacks remain, and marks them: in_use is a number that no slab has. */
static scree__slab *surplus(scree__stacks *s, uint32_t kept) {
  scree__slab *gone = NULL;
  uint32_t left = s->stacks;
  count_in_use(s);
  for (scree__slab **at = &s->slabs; *at;) {
    scree__slab *slab = *at;
    if (slab->in_use || left - slab->stacks < kept) {
      at = &slab->next;
      continue;
    }
    left -= slab->stacks;
    *at = slab->next;
    slab->next = gone;
    slab->in_use = UINT32_MAX;
    gone = slab;
  }
  return gone;
}

/* An interval has ended. Returns the most stacks in use in the last ones, 1 at least. */
static uint32_t recent_peak(scree__stacks *s) {
  scree__stack_use *use = &s->use;
  uint32_t peak = 1;
  use->ended[use->next++ % SCREE__STACK_INTERVALS] = use->peak;
  for (int i = 0; i < SCREE__STACK_INTERVALS; i++)
    if (use->ended[i] > peak) peak = use->ended[i];
  use->peak = s->in_use;
  return peak;
}

static void unmap_surplus(scree__stacks *s, uint32_t kept) {
  scree__slab *gone = surplus(s, kept);
  for (scree__stack **at = &s->free; gone && *at;)
    if ((*at)->slab->in_use == UINT32_MAX)
      *at = (*at)->next;
    else
      at = &(*at)->next;
  for (scree__slab *next; gone; gone = next) {
    next = gone->next;
    s->deepest = max_depth(s, gone, NULL, s->deepest);
    drop_slab(s, gone);
  }
}

void scree__stacks_trim(scree__stacks *s, uint64_t now) {
  if (++s->use.epochs < EPOCHS || now - s->use.since < INTERVAL_NS) return;
  s->use.epochs = 0;
  s->use.since = now;
  unmap_surplus(s, recent_peak(s));
}

size_t scree__stacks_deepest(const scree__stacks *s, const scree__stack *except) {
  size_t deepest = s->deepest;
  for (const scree__slab *slab = s->slabs; slab; slab = slab->next) deepest = max_depth(s, slab, except, deepest);
  return deepest;
}

const scree__stack *scree__stacks_guarding(const scree__stacks *s, const void *address) {
  for (const scree__slab *slab = s->slabs; slab; slab = slab->next) {
    size_t offset = (uintptr_t)address - (uintptr_t)slab->memory;
    if (offset < slab->made * slab->stride && offset % slab->stride < slab->guard)
      return stack_at(slab, (uint32_t)(offset / slab->stride), s->head);
  }
  return NULL;
}

void scree__stacks_close(scree__stacks *s) {
  for (scree__slab *next; s->slabs; s->slabs = next) {
    next = s->slabs->next;
    drop_slab(s, s->slabs);
  }
  *s = (scree__stacks){0};
}
