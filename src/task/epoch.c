/* epoch.c - what tasks do where a worker begins an epoch, leaves it, or learns that the world has failed. */
#include "core/epoch.h"

#include "core/fail.h"
#include "core/progress.h"
#include "task/scope.h"
#include "task/steal.h"

/* All that sleep run once more and learn of the failure. What has not begun never begins. */
void scree__tasks_drop(scree__worker *me, scree__holder *holder) {
  (void)me;
  scree__tasks *t = (scree__tasks *)holder;
  t->short_way = false;
  t->private.head = t->private.tail = t->public.head = t->public.tail = t->timed.head = t->timed.tail = 0;
  scree__steal_drop(t);
  for (uint32_t i = 0; i < t->table_room && !t->broken; i++)
    if (t->table[i] && scree__is_asleep(t->table[i])) scree__task_ready(t->table[i]);
}

void scree__tasks_begin(scree__worker *me, scree__holder *holder) {
  scree__tasks *t = (scree__tasks *)holder;
  t->budget = (uint32_t)t->of->options.task_poll;
  t->used = 0;
  t->now = t->began = scree__now(me);
  t->own = scree__context_adopt(); /* of this thread: another one may have the worker in the next epoch */
  t->broken |= !t->own;
  if (!t->own)
    scree__fail(me, SCREE_ENOMEM, "scree_begin", "no memory for the tasks of this worker: free memory on this host");
  t->watched = me->transport->scheduler->ops->yield_point || scree__is_traced(&me->tracer);
  scree__steal_begin(t);
  if (t->of->options.task_guard == SCREE_TASK_GUARD_ON) scree__stack_faults_watch(&t->watch);
}

void scree__tasks_leave(scree__worker *me, scree__holder *holder) {
  scree__tasks *t = (scree__tasks *)holder;
  const uint64_t now = scree__now(me);
  scree__tasks_return(t);
  scree__count_idle(t, now);
  t->stats.epoch_ns += now - t->began;
  if (t->of->options.task_guard == SCREE_TASK_GUARD_ON) scree__stack_faults_forget(&t->watch);
  scree__context_free(t->own);
  t->own = NULL;
  scree__scopes_forget(t);
  scree__stacks_trim(&t->stacks);
}
