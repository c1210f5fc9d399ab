/* steal.h - closures that move to workers without any: within a rank (steal.c), between ranks (lifeline.c). Each
 * function is described where it is defined. */
#ifndef SCREE__STEAL_H
#define SCREE__STEAL_H
#include "task/deque.h"
#include "task/task.h"

/* On the wire. */
typedef struct {
  uint32_t kind, value;
} scree__steal_item;

/* ---- steal.c ---- */
void scree__expose(scree__tasks *t);
bool scree__take_back(scree__tasks *t);
bool scree__steal_here(scree__tasks *t);
void scree__steal_begin(scree__tasks *t);
void scree__steal_drop(scree__tasks *t);
/* So many have arrived from another worker. */
void scree__steal_count(scree__tasks *t, uint64_t closures);

/* So many are exposed, as far as the worker keeps one. */
static inline void scree__offer(scree__tasks *t) {
  if (t->offers && scree__closures_count(&t->public) > 1 && scree__deque_count(t->deque) < t->offers) scree__expose(t);
}

/* ---- lifeline.c ---- */
bool scree__wants_to_ask(const scree__tasks *t);
bool scree__ask_elsewhere(scree__tasks *t);
void scree__feed_lifelines(scree__tasks *t);
void scree__on_steal(scree_worker *worker, const scree_batch *batch, const void *items, void *unused);
#endif
