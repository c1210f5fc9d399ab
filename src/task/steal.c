/* steal.c - closures that move within a rank. A worker exposes its oldest closures, as many as there are other workers,
 * and keeps the rest to itself; a worker without work takes what others have exposed. Each closure is exposed under a
 * hold, which its thief releases when it takes it: that counts when the thief is idle
 * (docs/decisions/0054-loops-and-stealing.md). In a scope it counts as a message to another worker, as if it had been
 * sent to its thief. */
#include "task/steal.h"

#include "base/random.h"
#include "core/epoch.h"
#include "core/fail.h"
#include "task/loop.h"

/* ---- the owner ---- */

static scree__loop *loop_of(const scree__closure *closure) {
  return closure->type->body ? ((const scree__range *)(const void *)closure->args)->loop : NULL;
}

/* The hold is counted before the closure can be seen. */
void scree__expose(scree__tasks *t) {
  if (scree__deque_count(t->deque) >= SCREE__DEQUE_ROOM) return;
  scree__closure *closure = scree__closures_pop_first(&t->public);
  closure->due = t->me->end.epoch;
  if (closure->scope) {
    closure->scope->active--;
    closure->scope->outstanding++;
  }
  if (loop_of(closure)) scree__loop_lend(t, loop_of(closure));
  scree_hold(&t->me->head, 1);
  scree__deque_push(t->deque, closure);
  t->stats.exposed++;
}

/* The last one that it has exposed, if no thief has it. */
bool scree__take_back(scree__tasks *t) {
  scree__closure_words taken;
  if (!t->deque || !scree__deque_take(t->deque, t->me->transport, &taken)) return false;
  scree__closure *closure = scree__closures_push(&t->public); /* there is space: it was here */
  if (!closure) return false;
  *closure = taken.closure;
  SCREE__INVARIANT(closure->due == t->me->end.epoch);
  scree_release(&t->me->head, 1);
  if (closure->scope) {
    closure->scope->outstanding--;
    closure->scope->active++;
  }
  return true;
}

void scree__steal_begin(scree__tasks *t) {
  const uint32_t others = t->me->world->taking - 1; /* end.taking is of the previous epoch */
  t->offers = !t->deque ? 0 : others < SCREE__DEQUE_ROOM / 2 ? others : SCREE__DEQUE_ROOM / 2;
  t->thief = (scree__thief){.serial = t->serial, .random = scree__hash(t->random + t->me->end.epoch)};
}

/* In a failed world; holds do not count there. */
void scree__steal_drop(scree__tasks *t) {
  scree__closure_words dropped;
  while (t->deque && scree__deque_count(t->deque)) scree__deque_take(t->deque, t->me->transport, &dropped);
}

/* ---- the thief ---- */

void scree__steal_count(scree__tasks *t, uint64_t closures) {
  t->stats.moved += closures;
  const uint64_t now = scree__now(t->me);
  if (scree__is_traced(&t->me->tracer))
    scree__ring_add(t->me->tracer.ring,
                    (scree__event){.begin = now, .end = now, .number = closures, .kind = SCREE__EVENT_STEAL});
}

/* As one that was sent here by the victim. */
static void adopt(scree__tasks *t, const scree__tasks *victim, scree__closure *closure) {
  scree__due due = {.sender = scree__worker_number(victim->me)};
  scree_release(&t->me->head, 1);
  if (closure->type->body && !scree__loop_adopt(t, closure)) return;
  if (closure->scope) {
    closure->scope = scree__scope_arrive(t, closure->scope->id, &due);
    if (!closure->scope) return;
    scree__scope_enter(closure->scope);
  }
  scree__spawn_again(t, closure);
  scree__scope_acknowledge(t, &due);
}

bool scree__steal_here(scree__tasks *t) {
  const uint32_t workers = t->me->end.taking;
  const uint32_t from = (uint32_t)(scree__draw(&t->thief.random) % workers);
  if (!t->offers || t->live >= t->live_max || t->me->failed) return false;
  for (uint32_t i = 0; i < workers; i++) {
    const scree__tasks *victim = t->of->worker[(from + i) % workers];
    scree__closure_words taken;
    if (victim == t || !scree__deque_count(victim->deque)) continue;
    t->stats.tries_here++;
    if (!scree__deque_steal(victim->deque, t->me->transport, t->me->end.epoch, &taken)) continue;
    t->stats.steals_here++;
    scree__steal_count(t, 1);
    adopt(t, victim, &taken.closure);
    return true;
  }
  return false;
}
