/* deque.h - closures that other workers of the rank may take: Chase & Lev, Dynamic circular work-stealing deque, SPAA
 * 2005; the orders of Lê et al., PPoPP 2013. The owner pushes and takes at the bottom, thieves take the oldest at the
 * top. It does not grow: the owner exposes a few of its closures, and keeps the others where nothing is atomic. A
 * thief may read a slot while the owner overwrites it; its exchange then fails, because the top has advanced. Words are
 * atomic for that reason. */
#ifndef SCREE__DEQUE_H
#define SCREE__DEQUE_H
#include <atomic_ops.h>

#include "task/queue.h"
#include "transport/transport.h"

enum { SCREE__DEQUE_ROOM = 16, SCREE__CLOSURE_WORDS = sizeof(scree__closure) / sizeof(AO_t) };

typedef struct scree__deque {
  _Alignas(SCREE__LINE) AO_t top; /* by thieves, and the owner for the last one */
  _Alignas(SCREE__LINE) AO_t bottom;
  _Alignas(SCREE__LINE) AO_t slot[SCREE__DEQUE_ROOM][SCREE__CLOSURE_WORDS];
} scree__deque;

typedef union {
  scree__closure closure;
  AO_t word[SCREE__CLOSURE_WORDS];
} scree__closure_words;

/* As of now; for the owner, who alone stores the bottom, never too small, since the top only grows: so 0 is exact.
 * Relaxed: a thief's guess, after which its exchange of the top judges. */
static inline uint32_t scree__deque_count(const scree__deque *d) {
  const AO_t bottom = AO_load(&d->bottom), top = AO_load(&d->top);
  return (intptr_t)(bottom - top) > 0 ? (uint32_t)(bottom - top) : 0;
}

/* By the owner, where there is room. Release: what the closure refers to comes before it. */
static inline void scree__deque_push(scree__deque *d, const scree__closure *closure) {
  const scree__closure_words *from = (const scree__closure_words *)(const void *)closure;
  const AO_t bottom = AO_load(&d->bottom);
  SCREE__INVARIANT(bottom - AO_load(&d->top) < SCREE__DEQUE_ROOM);
  for (int i = 0; i < SCREE__CLOSURE_WORDS; i++) AO_store(&d->slot[bottom % SCREE__DEQUE_ROOM][i], from->word[i]);
  AO_store_release(&d->bottom, bottom + 1);
}

static inline void scree__deque_read(const scree__deque *d, AO_t at, scree__closure_words *to) {
  for (int i = 0; i < SCREE__CLOSURE_WORDS; i++) to->word[i] = AO_load(&d->slot[at % SCREE__DEQUE_ROOM][i]);
}

/* By the owner: the last one. The full barrier orders the store of the bottom before the load of the top: one of the
 * owner and a thief sees the other. Release: a thief that reads the smaller bottom may take what is left. Relaxed: of
 * the top the number alone is used, and the bottom that is restored offers nothing: a thief that reads it finds the top
 * as large, or its exchange fails. */
static inline bool scree__deque_take(scree__deque *d, scree__transport *at, scree__closure_words *to) {
  if (!scree__deque_count(d)) return false;
  const AO_t bottom = AO_load(&d->bottom) - 1;
  AO_store_release(&d->bottom, bottom);
  scree__yield_point(at);
  AO_nop_full();
  const AO_t top = AO_load(&d->top);
  bool mine = (intptr_t)(bottom - top) >= 0;
  if (mine) scree__deque_read(d, bottom, to);
  if (mine && top != bottom) return true;
  if (mine) mine = AO_compare_and_swap_full(&d->top, top, top + 1);
  AO_store(&d->bottom, bottom + 1);
  return mine;
}

/* Called by a thief of the same epoch, which is a closure's `due`. Takes the oldest one. Relaxed: the barrier makes an
 * acquire of the load of the top, and orders it before that of the bottom. */
static inline bool scree__deque_steal(scree__deque *d, scree__transport *at, uint64_t epoch, scree__closure_words *to) {
  const AO_t top = AO_load(&d->top);
  AO_nop_full(); /* see scree__deque_take */
  if ((intptr_t)(AO_load_acquire(&d->bottom) - top) <= 0) return false;
  scree__deque_read(d, top, to);
  scree__yield_point(at);
  return to->closure.due == epoch && AO_compare_and_swap_full(&d->top, top, top + 1);
}
#endif
