/* schedule.c - the scheduler of a worker's tasks, which chooses the next one. A task that waits switches to the next
 * one directly; the worker's own stack runs when nothing is ready, when its progress is due, and for calls that may run
 * handlers or call MPI, for which a task's stack is too small. */
#include "core/epoch.h"
#include "core/fail.h"
#include "core/progress.h"
#include "task/scope.h"
#include "task/steal.h"

enum {
  AHEAD = 4,          /* tasks whose stacks are prefetched */
  AHEAD_OF_MANY = 16, /* the same where more than MANY are ready: those come from memory, not from the last cache */
  MANY = 32768,
  HELD_BACK_MAX = 64, /* progress steps in which as many tasks as task_live had begun, until one more begins */
  REFUSED_MAX = 1000  /* waits that a task may begin in a failed world before it is abandoned */
};

/* ---- the next task ---- */

/* One that it has exposed is taken back. */
static bool has_closures(scree__tasks *t) {
  return scree__keeps_closures(t) || (t->offers && scree__take_back(t));
}

static void pop_closure(scree__tasks *t, scree__closure *to) {
  *to = scree__closures_count(&t->private) ? *scree__closures_pop_first(&t->private)
                                           : *scree__closures_pop_last(&t->public);
}

/* A task with a place in the table has one among those that are ready. */
static bool grow_table(scree__tasks *t) {
  const uint32_t room = t->table_room ? 2 * t->table_room : 64;
  if (!scree__ready_reserve(&t->ready, room)) return false;
  scree_task **table = realloc(t->table, room * sizeof *table);
  if (table) t->table = table;
  uint32_t *numbers = table ? realloc(t->numbers, room * sizeof *numbers) : NULL;
  if (!numbers) return false;
  t->numbers = numbers;
  for (uint32_t i = room; i-- > t->table_room;) {
    table[i] = NULL;
    numbers[t->numbers_free++] = i;
  }
  t->table_room = room;
  return true;
}

static void begin_closure(scree__tasks *t, scree_task *task) {
  pop_closure(t, &task->closure);
  task->serial = ++t->serial;
  task->token = false;
}

/* A closure gets a stack. NULL: there is none. */
static scree_task *begin(scree__tasks *t) {
  SCREE__INVARIANT(t->live + t->numbers_free == t->table_room);
  if (!t->numbers_free && !grow_table(t)) return NULL;
  scree_task *task = (scree_task *)scree__stacks_take(&t->stacks);
  if (!task) return NULL;
  task->above = t->me->head.above;
  task->number = t->numbers[--t->numbers_free];
  t->table[task->number] = task;
  if (++t->live > t->stats.live_peak) t->stats.live_peak = t->live;
  begin_closure(t, task);
  return task;
}

/* Without a single stack no task can run: then the world fails. */
static scree_task *begin_or_fail(scree__tasks *t) {
  scree_task *task = begin(t);
  t->no_stack = !task;
  if (!task && !t->live)
    scree__fail(
        t->me, SCREE_ENOMEM, "task",
        "no memory for a stack of %llu bytes, and no task has one: %u tasks have not begun: free memory on this "
        "host, or set task_stack to less",
        (unsigned long long)t->of->options.task_stack,
        scree__closures_count(&t->private) + scree__closures_count(&t->public));
  return task;
}

/* NULL: the worker's own stack. */
static scree_task *next_task(scree__tasks *t) {
  if (!t->budget) return NULL;
  t->budget--;
  if (scree__ready_count(&t->ready)) return scree__next_ready(t);
  if (t->live < t->live_max && !t->no_stack && has_closures(t)) return begin_or_fail(t);
  return NULL;
}

/* ---- switching ---- */

/* Whose tasks this thread runs. In the simulator, whose workers share a thread, it may be another's, whose current task
 * is no caller. */
static scree__tasks nobody;
static _Thread_local scree__tasks *running SCREE__NEAR_TLS = &nobody;

/* What it has overwritten may be the head of another task: so no task of this worker runs any more. */
static void overflow(scree_task *self) {
  scree__tasks *t = scree__home(self);
  t->broken = true;
  scree__fail(
      t->me, SCREE_ENOMEM, "task",
      "a task of type '%s' has used more than its stack of %llu bytes: set task_stack to more, or use less of it",
      self->closure.type->name, (unsigned long long)t->of->options.task_stack);
  for (;;) scree__context_switch(&self->stack.context, t->own);
}

/* In the simulator each switch is a yield point; in a trace it ends an event. */
static void watch_switch(const scree_task *self) {
  const scree__tasks *t = scree__home(self);
  scree__yield_point(t->me->transport);
  if (scree__is_traced(&t->me->tracer)) scree__task_trace(self);
}

/* From a task to the next one, or to the worker's own stack. */
static void switch_away(scree_task *self) {
  scree__tasks *t = scree__home(self);
  if (!scree__stack_intact(&self->stack)) overflow(self);
  scree_task *next = next_task(t);
  if (t->watched) watch_switch(self);
  t->stayed += next == self;
  if (next == self) return;
  t->stats.switches += !next;
  t->current = next;
  running = t; /* another worker may have run in between: see above. The next task may read this in hop */
  scree__context_switch(&self->stack.context, next ? &next->stack.context : t->own);
}

/* The task's function has returned: the stack takes the next closure, unless a task is ready or progress is due. */
static void return_from(scree_task *self) {
  scree__tasks *t = scree__home(self);
  if (self->scopes)
    scree__fail(t->me, SCREE_ESTATE, "task",
                "a task of type '%s' has returned with %u scopes open: end each by scree_finish_end",
                self->closure.type->name, self->scopes);
  t->stats.run++;
  t->no_stack = false;
  scree_scope *scope = self->closure.scope;
  if (scope && !(t->implicit && t->leave_later(t, scope))) scree__scope_leave(scope);
}

static void give_stack(scree_task *self) {
  scree__tasks *t = scree__home(self);
  SCREE__INVARIANT(t->table[self->number] == self && t->live > 0 && self->state == SCREE__TASK_AWAKE);
  t->table[self->number] = NULL;
  t->numbers[t->numbers_free++] = self->number;
  t->live--;
  scree__stacks_give(&t->stacks, &self->stack);
}

static bool takes_next(scree__tasks *t) {
  if (!t->budget || scree__ready_count(&t->ready) || t->live > t->live_max || !has_closures(t)) return false;
  t->budget--;
  t->stayed++;
  return true;
}

/* What runs on each stack: one closure after another. */
void scree__task_run_closures(void *stack) {
  scree_task *self = stack;
  for (;;) {
    self->closure.type->fn(self, self->closure.args);
    return_from(self);
    if (takes_next(scree__home(self)) && scree__stack_intact(&self->stack)) {
      if (scree__home(self)->watched) watch_switch(self);
      begin_closure(scree__home(self), self);
      continue;
    }
    give_stack(self);
    switch_away(self);
  }
}

/* ---- the worker's own stack ---- */

static void on_own_stack(scree__worker *me, void (*fn)(void *arg), void *arg) {
  scree__tasks *t = scree__tasks_of(me);
  t->errand = fn;
  t->errand_arg = arg;
  t->stats.sends++;
  scree__context_switch(&t->current->stack.context, t->own);
}

/* The same, of a handler on a task's stack. */
static void of_handler(scree__worker *me, void (*fn)(void *arg), void *arg) {
  scree__tasks *t = scree__tasks_of(me);
  t->current = t->caller;
  on_own_stack(me, fn, arg);
  t->current = NULL;
  me->on_own_stack = of_handler;
}

void scree__task_begin_handler(scree_task *self, uint32_t type) {
  scree__tasks *t = scree__home(self);
  t->caller = self;
  t->current = NULL;
  t->me->in.handler = type;
  t->me->on_own_stack = of_handler;
}

void scree__task_end_handler(scree_task *self) {
  scree__tasks *t = scree__home(self);
  t->me->in.handler = 0;
  t->me->on_own_stack = on_own_stack;
  t->current = self;
}

/* Tasks run until the worker has to poll for messages. */
static void run(scree__tasks *t, scree_task *first) {
  while (first) {
    t->current = first;
    t->me->on_own_stack = on_own_stack;
    t->short_way = !t->me->failed && !t->watched;
    running = t;
    scree__context_switch(t->own, &first->stack.context);
    t->short_way = false;
    t->me->on_own_stack = NULL;
    first = NULL;
    if (!t->errand) break;
    void (*fn)(void *arg) = t->errand;
    t->errand = NULL;
    first = t->current; /* the same task continues: a send is not a scheduling point */
    t->current = NULL;
    fn(t->errand_arg);
  }
  running = &nobody; /* the world may be closed before this thread runs tasks again */
}

/* As many switches as fit into the age at which blocks are published, by the time that the last ones took. */
static void set_budget(scree__tasks *t, uint64_t now, bool again) {
  const uint64_t fit = t->me->world->options.flush_age * t->used / (now - t->now + 1), max = t->of->options.task_poll;
  if (again) t->budget = (uint32_t)(fit < 1 ? 1 : fit > max ? max : fit);
}

/* One closure begins in each step, also where tasks that yield are always ready: they may wait for it. Beyond task_live
 * one begins if none has begun for long, since the live ones may wait for it; but most wait for a reply. */
static bool begins_one(scree__tasks *t) {
  if (!has_closures(t) || t->no_stack) return false;
  if (t->live >= t->live_max && ++t->held_back < HELD_BACK_MAX) return false;
  t->held_back = 0;
  return true;
}

void scree__tasks_run(scree__tasks *t, bool again) {
  const uint64_t now = scree__now(t->me);
  t->budget += t->used; /* what it was, unless it changes */
  set_budget(t, now, again);
  t->ahead = t->blind ? UINT32_MAX : scree__ready_count(&t->ready) > MANY ? AHEAD_OF_MANY : AHEAD;
  t->now = t->slice_began = now;
  scree__count_idle(t, now);
  t->stats.slices++;
  t->stats.live_sum += t->live;
  t->stats.ready_sum +=
      scree__ready_count(&t->ready) + scree__closures_count(&t->private) + scree__closures_count(&t->public);
  scree__offer(t);
  t->used = t->budget;
  scree_task *first = begins_one(t) ? begin_or_fail(t) : next_task(t);
  const uint32_t budget = t->budget;
  run(t, first);
  t->stats.switches += budget - t->budget - t->stayed;
  t->stayed = 0;
  t->used -= t->budget;
}

void scree__tasks_return(scree__tasks *t) {
  while (t->me->failed && !t->broken && scree__ready_count(&t->ready)) scree__tasks_run(t, false);
}

/* ---- waiting ---- */

void scree__task_ready(scree_task *task) {
  scree__tasks *t = scree__home(task);
  SCREE__INVARIANT(task->state != SCREE__TASK_ABANDONED && t->asleep <= t->live);
  if (scree__is_asleep(task)) t->asleep--;
  task->state = SCREE__TASK_AWAKE;
  *scree__ready_push(&t->ready) = task; /* there is space: see grow_table */
}

bool scree__task_is_current(scree_task *self, const char *call) {
  const scree__tasks *of = self ? scree__home(self) : NULL;
  scree__worker *me = scree__here();
  const bool of_this = of && (running == of || me == of->me);
  if (of_this && of->me->on_own_stack && of->current == self) return true;
  if (of_this) me = of->me;
  if (me)
    scree__fail(me, SCREE_ESTATE, call, "called %s: only the task itself%s%s%s may wait, inside its function",
                !self              ? "without a task"
                : !of_this         ? "with a task of another worker"
                : me->in.handler   ? "in a handler or a poll function"
                : me->on_own_stack ? "with another task than the one that runs"
                                   : "outside of a task",
                self ? ", of type '" : "", self ? self->closure.type->name : "", self ? "'," : "");
  return false;
}

static scree_status status_of(const scree__tasks *t) {
  return t->me->failed ? t->me->failure.status : SCREE_OK;
}

/* In a failed world no wait begins; a task that begins one after another never runs again. */
static scree_status refuse(scree_task *self) {
  scree__tasks *t = scree__home(self);
  if (++self->refused == REFUSED_MAX) {
    fprintf(stderr,
            "scree: rank %u of %u: a task of type '%s' does not return, though the world has failed and %d waits have "
            "returned that: let it return when a wait returns a status\n",
            t->me->head.rank, t->me->head.ranks, self->closure.type->name, REFUSED_MAX);
    self->state = SCREE__TASK_ABANDONED;
    t->abandoned++;
    for (;;) switch_away(self);
  }
  return t->me->failure.status;
}

scree_status scree__task_may_wait(scree_task *self, const char *call) {
  if (!scree__task_is_current(self, call)) return SCREE_ESTATE;
  return scree__home(self)->me->failed ? refuse(self) : SCREE_OK;
}

scree_status scree__task_sleep(scree_task *self, scree__task_state state, const char *why) {
  scree__tasks *t = scree__home(self);
  SCREE__INVARIANT(t->current == self && self->state == SCREE__TASK_AWAKE);
  self->state = state;
  self->why = why;
  self->since = t->now;
  t->asleep++;
  t->stats.suspended++;
  switch_away(self);
  return status_of(t);
}

static __attribute__((noinline)) scree_status yield_slowly(scree_task *self) {
  const scree_status status = scree__task_may_wait(self, "scree_task_yield");
  if (status) return status;
  scree__tasks *t = scree__home(self);
  scree__task_ready(self);
  switch_away(self);
  return status_of(t);
}

/* In a function of its own, so that other paths save no registers. It keeps nothing below the buffer of the jump, where
 * its frame would reach into a line that scree__context_prefetch does not load: hence the worker is the thread's here
 * too. */
static SCREE__SWITCHES scree_status hop(scree_task *self, scree_task *next) {
  SCREE__CONTEXT_HOP(&self->stack.context, &next->stack.context);
  return status_of(running);
}

/* The short path, from one task to the next that is ready. The worker is the thread's, so nothing waits for what the
 * task's stack has. */
scree_status scree_task_yield(scree_task *self) {
  scree__tasks *t = running;
  if (t->current != self || !t->short_way || !t->budget || !scree__ready_count(&t->ready) ||
      !scree__stack_intact(&self->stack))
    return yield_slowly(self);
  t->budget--;
  scree_task *next = t->current = scree__next_ready(t);
  *scree__ready_place(&t->ready) = self;
  return hop(self, next);
}

scree_status scree_task_suspend(scree_task *self, const char *why) {
  const scree_status status = scree__task_may_wait(self, "scree_task_suspend");
  if (status) return status;
  const bool woken = self->token;
  self->token = false;
  if (woken) return SCREE_OK;
  return scree__task_sleep(self, SCREE__TASK_SUSPENDED, why ? why : "a wake");
}

void scree_task_wake(scree_worker *worker, scree_task *task) {
  scree__worker *me = scree__worker_of(worker);
  if (scree__dropped(me, "scree_task_wake", SCREE_ALL)) return;
  if (!task || scree__home(task)->me != me)
    scree__fail(me, SCREE_EINVAL, "scree_task_wake", "%s: legal: a task of this worker; wake others by a message",
                task ? "a task of another worker or world" : "no task");
  else if (task->state == SCREE__TASK_SUSPENDED)
    scree__task_ready(task);
  else
    task->token = true;
}
