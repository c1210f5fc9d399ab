/* epoch.c - what tasks do where a worker begins an epoch, makes a step in it, leaves it, or learns that the world has
 * failed. */
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
  if (t->of->options.task_guard != SCREE_TASK_GUARD_OFF) scree__stack_faults_watch(&t->watch);
}

void scree__tasks_leave(scree__worker *me, scree__holder *holder) {
  scree__tasks *t = (scree__tasks *)holder;
  const uint64_t now = scree__now(me);
  scree__tasks_return(t);
  scree__count_idle(t, now);
  t->stats.epoch_ns += now - t->began;
  scree__stack_faults_forget(&t->watch);
  scree__context_free(t->own);
  t->own = NULL;
  scree__scopes_forget(t);
  scree__stacks_trim(&t->stacks, now);
}

/* ---- a step ---- */

enum { PASSED_OVER_MAX = 8 }; /* progress steps in which something moved until tasks run all the same */

static bool has_work(const scree__tasks *t) {
  if (t->broken) return false;
  if (scree__ready_count(&t->ready)) return true;
  return (scree__keeps_closures(t) || (t->offers && scree__deque_count(t->deque))) &&
         !(t->no_stack && t->asleep == t->live);
}

/* Tasks give way to messages that may still arrive; a single one does not: the step would be a tenth of the time that
 * it has waited. */
static bool act(scree__tasks *t, bool moved, bool again) {
  if (scree__closures_count(&t->timed)) scree__spawn_due(t);
  if (t->thief.wanted) scree__feed_lifelines(t);
  if (!has_work(t) && !scree__steal_here(t)) {
    scree__note_idle(t);
    return scree__ask_elsewhere(t) || moved;
  }
  const bool single = scree__ready_count(&t->ready) == 1 && !scree__keeps_closures(t);
  if (moved && !single && ++t->passed_over < PASSED_OVER_MAX) return true;
  t->passed_over = 0;
  scree__resume(t->me); /* what the worker has waited is not a task's time */
  scree__tasks_run(t, again && !moved);
  SCREE__INVARIANT(t->broken || !t->current);
  SCREE__INVARIANT(!t->me->on_own_stack && t->asleep + t->abandoned <= t->live);
  t->ran = true;
  t->me->watch.idle_turns = 0;
  return true;
}

static bool turn(scree__worker *me, scree__holder *holder, bool moved) {
  scree__tasks *t = (scree__tasks *)holder;
  const uint64_t batches = me->in.batches;
  const bool again = t->ran;
  t->ran = false;
  const bool acted = act(t, moved, again);
  t->ran |= me->in.batches != batches; /* a request for work has found no space */
  return acted;
}

/* A poll function does not see the work of tasks, and of handlers in their sends, before the next step. */
static bool held(const scree__worker *me, const scree__holder *holder) {
  const scree__tasks *t = (const scree__tasks *)holder;
  return !me->failed && (t->ran || has_work(t) || scree__closures_count(&t->timed) || scree__wants_to_ask(t));
}

const scree__holder_ops scree__tasks_ops = {.begin = scree__tasks_begin,
                                            .leave = scree__tasks_leave,
                                            .held = held,
                                            .turn = turn,
                                            .verdict = scree__tasks_verdict,
                                            .report = scree__tasks_report,
                                            .stats = scree__tasks_print_stats,
                                            .drop = scree__tasks_drop,
                                            .free = scree__tasks_free};
