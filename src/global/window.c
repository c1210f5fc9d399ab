/* window.c - memory of this rank after its part of the heap: what was exported, and the stacks of tasks. Their
 * addresses are 2-D, of bytes after the heap; no other rank maps them. All workers of the rank may access them, so a
 * lock guards the table: it is used rarely. */
#include <pthread.h>
#include <stdlib.h>

#include "core/fail.h"
#include "global/operation.h"
#include "thread/thread.h"

/* Bytes of stacks begin at half of the range of addresses; exported ones at the end of the heap. */
enum { PAGE = 4096 };
#define STACKS_FROM (SCREE_GLOBAL_HEAP_MAX / 2)

typedef struct {
  uint64_t at, bytes;
  char *memory;
  bool writable;
  scree__globals *of; /* of stacks: their worker */
  uint64_t stride, guard;
} window;

struct scree__windows {
  pthread_mutex_t lock;
  window *table;
  uint32_t count, room;
  uint64_t next_stack;
};

bool scree__windows_open(scree__global_world *of) {
  struct scree__windows *s = calloc(1, sizeof *s);
  if (!s) return false;
  pthread_mutex_init(&s->lock, NULL);
  s->next_stack = STACKS_FROM;
  of->windows = s;
  return true;
}

void scree__windows_close(scree__global_world *of) {
  if (!of->windows) return;
  scree__thread_end_lock(&of->windows->lock);
  free(of->windows->table);
  free(of->windows);
}

static bool add(struct scree__windows *s, const window *w) {
  if (s->count == s->room) {
    const uint32_t room = s->room ? 2 * s->room : 16;
    window *more = realloc(s->table, room * sizeof *more);
    if (!more) return false;
    s->table = more;
    s->room = room;
  }
  SCREE__INVARIANT(s->count < s->room && w->bytes);
  s->table[s->count++] = *w;
  return true;
}

static void erase(struct scree__windows *s, uint32_t i) {
  SCREE__INVARIANT(i < s->count);
  s->table[i] = s->table[--s->count];
}

/* Not in a page that faults, nor from one stack to the next. */
static bool fits(const window *w, uint64_t at, uint64_t bytes) {
  if (at < w->at || at - w->at > w->bytes || bytes > w->bytes - (at - w->at)) return false;
  if (!w->stride) return true;
  const uint64_t in = (at - w->at) % w->stride;
  return in >= w->guard && bytes <= w->stride - in;
}

char *scree__window_at(const scree__globals *own, uint64_t offset, uint64_t bytes, bool writes) {
  struct scree__windows *s = own->of->windows;
  char *found = NULL;
  pthread_mutex_lock(&s->lock);
  for (uint32_t i = 0; i < s->count && !found; i++) {
    const window *w = &s->table[i];
    if (fits(w, offset, bytes) && (w->writable || !writes)) found = w->memory + (offset - w->at);
  }
  pthread_mutex_unlock(&s->lock);
  return found;
}

/* ---- what exists ---- */

bool scree__window_export(scree__globals *own, uint64_t at, uint64_t bytes, void *memory, bool writable) {
  struct scree__windows *s = own->of->windows;
  pthread_mutex_lock(&s->lock);
  const bool added = add(s, &(window){.at = at, .bytes = bytes, .memory = memory, .writable = writable});
  pthread_mutex_unlock(&s->lock);
  return added;
}

void scree__window_withdraw(scree__globals *own, uint64_t at) {
  struct scree__windows *s = own->of->windows;
  pthread_mutex_lock(&s->lock);
  for (uint32_t i = 0; i < s->count; i++)
    if (s->table[i].at == at) {
      erase(s, i);
      break;
    }
  pthread_mutex_unlock(&s->lock);
}

/* ---- stacks: a window for each slab from which an address was made in this epoch; it may be unmapped after it ---- */

void scree__windows_leave(scree__globals *own) {
  struct scree__windows *s = own->of->windows;
  bool any = false;
  if (!own->stacks) return;
  own->stacks = false;
  pthread_mutex_lock(&s->lock);
  for (uint32_t i = s->count; i-- > 0;) {
    if (s->table[i].of == own)
      erase(s, i);
    else
      any = any || s->table[i].of;
  }
  if (!any && s->next_stack > STACKS_FROM + STACKS_FROM / 2) s->next_stack = STACKS_FROM;
  pthread_mutex_unlock(&s->lock);
}

static uint64_t stack_offset(scree__globals *own, const scree__slab_memory *slab, const char *p) {
  struct scree__windows *s = own->of->windows;
  const window fresh = {.at = s->next_stack,
                        .bytes = slab->bytes,
                        .memory = slab->memory,
                        .writable = true,
                        .of = own,
                        .stride = slab->stride,
                        .guard = slab->guard};
  for (uint32_t i = 0; i < s->count; i++)
    if (s->table[i].of && s->table[i].memory == slab->memory) return s->table[i].at + (uint64_t)(p - slab->memory);
  if (fresh.at + fresh.bytes > SCREE_GLOBAL_HEAP_MAX || !add(s, &fresh)) return 0;
  s->next_stack += scree__round_up(slab->bytes, PAGE);
  own->stacks = true;
  return fresh.at + (uint64_t)(p - slab->memory);
}

scree_address scree_global_stack(scree_task *self, const void *pointer) {
  const char *call = "scree_global_stack", *p = pointer;
  if (scree__task_may_wait(self, call)) return SCREE_NO_ADDRESS;
  scree__globals *own = scree__globals_for(scree_task_worker(self), call);
  if (!own) return SCREE_NO_ADDRESS;
  const scree__slab_memory slab = scree__stacks_slab(&self->stack);
  const char *low = self->stack.context.stack, *high = (const char *)self;
  if (p < low || p >= high) {
    scree__fail(own->me, SCREE_EINVAL, call,
                "the pointer is not on the stack of this task of type '%s': pass one to a local variable of it",
                self->closure.type->name);
    return SCREE_NO_ADDRESS;
  }
  pthread_mutex_lock(&own->of->windows->lock);
  const uint64_t offset = stack_offset(own, &slab, p);
  pthread_mutex_unlock(&own->of->windows->lock);
  if (offset) return scree_global_address(own->me->head.rank, offset);
  scree__fail(own->me, SCREE_ENOMEM, call, "no memory for the table of stacks: free memory on this host");
  return SCREE_NO_ADDRESS;
}
