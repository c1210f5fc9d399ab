/* scope.c - the end of a scope, by Dijkstra and Scholten: Termination detection for diffusing computations, Information
 * Processing Letters 11 (1980). The workers that have tasks of a scope are a tree: the parent of one is the worker
 * whose message made it part of it. Each message that carries a task of the scope is acknowledged once: at once if the
 * worker has a part already, else when it has no task of the scope left, and all that it sent has been acknowledged;
 * then it leaves the tree. So when the worker that opened it has no task left and all of its messages are acknowledged,
 * no worker has one.
 *
 * A part is one count for all tasks here and one for all messages, and what a batch makes due is acknowledged by one
 * message. */
#include "task/scope.h"

#include "base/hash.h"
#include "core/epoch.h"
#include "core/fail.h"
#include "task/message.h"
#include "task/object.h"

/* ---- parts ---- */

/* An identity: worker << 40 | a number from 1 on, which starts again after 2^40 - 1 scopes of the worker; bit 63 is
 * SCREE__STOLEN. */
enum { WORKER_SHIFT = 40 };
#define NUMBER_MAX ((UINT64_C(1) << WORKER_SHIFT) - 1)

static scree_scope **list_of(scree__tasks *t, uint64_t id) {
  return &t->scopes.list[scree__hash(id) % SCREE__SCOPE_LISTS];
}

static scree_scope *make(scree__tasks *t, uint64_t id) {
  scree_scope *scope = scree__freelist_get(&t->scopes.parts, sizeof *scope), **list = list_of(t, id);
  if (!scope) {
    scree__fail(t->me, SCREE_ENOMEM, "scope", "no memory for one more scope: free memory on this host");
    return NULL;
  }
  *scope = (scree_scope){.id = id, .home = t, .next = *list};
  return *list = scope;
}

static scree_scope *find(scree__tasks *t, uint64_t id) {
  scree_scope *scope = *list_of(t, id);
  while (scope && scope->id != id) scope = scope->next;
  return scope;
}

void scree__scope_put_back(scree_scope *scope) {
  scree__tasks *t = scope->home;
  scree_scope **at = list_of(t, scope->id);
  SCREE__INVARIANT(t->me->failed || (!scope->first && !scope->active && !scope->outstanding));
  while (*at != scope) at = &(*at)->next;
  *at = scope->next;
  *scope = (scree_scope){.home = t};
  scree__freelist_put(&t->scopes.parts, scope);
}

/* ---- results of loops: one for each part, which is sent to its parent with the acknowledgement ---- */

typedef struct scree__sum {
  const scree__task_type *type;
  uint64_t value[SCREE__OBJECT_WORDS];
} scree__sum;

void scree__scope_combine(scree_scope *scope, const scree__task_type *type, const uint64_t *value) {
  scree__tasks *t = scope->home;
  if (scope->sum) {
    type->combine(scope->sum->value, value);
    return;
  }
  scope->sum = scree__freelist_get(&t->scopes.sums, sizeof *scope->sum);
  if (!scope->sum) {
    scree__fail(t->me, SCREE_ENOMEM, "scope", "no memory for the result of a loop: free memory on this host");
    return;
  }
  scope->sum->type = type;
  memcpy(scope->sum->value, value, sizeof scope->sum->value);
}

static void drop_sum(scree_scope *scope) {
  if (scope->sum) scree__freelist_put(&scope->home->scopes.sums, scope->sum);
  scope->sum = NULL;
}

static void send_result(scree__tasks *t, uint32_t worker, uint64_t id, const scree__sum *sum) {
  scree__scope_result item = {.scope = id, .type = sum->type->id};
  memcpy(item.value, sum->value, sizeof item.value);
  t->stats.acknowledged++;
  scree__send(t->me, t->of->result, worker, &item, sizeof item);
}

/* ---- counting ---- */

static void send_acknowledgement(scree__tasks *t, uint32_t worker, uint64_t id, uint64_t count) {
  t->stats.acknowledged++;
  scree__send(t->me, t->of->acknowledge, worker, &(scree__acknowledgement){id, count}, sizeof(scree__acknowledgement));
}

static void wake_all(scree_scope *scope) {
  for (scree_task *task = scope->first, *next; task; task = next) {
    next = task->next;
    scree__task_ready(task);
  }
  scope->first = scope->last = NULL;
}

/* If nothing of the scope is left here, those that wait are woken, or the part leaves the tree. */
void scree__scope_check_end(scree_scope *scope) {
  if (scope->active || scope->outstanding || scope->home->me->failed) return;
  if (scope->opened_here) {
    scree__object *seen = scope->seen;
    wake_all(scope);
    if (seen) scree__object_serve(seen);
    return;
  }
  scree__tasks *t = scope->home;
  const uint32_t parent = scope->parent;
  const uint64_t id = scope->id;
  scree__sum *sum = scope->sum;
  scope->sum = NULL;
  scree__scope_put_back(scope);
  if (sum) {
    send_result(t, parent, id, sum);
    scree__freelist_put(&t->scopes.sums, sum);
  } else {
    send_acknowledgement(t, parent, id, 1);
  }
}

void scree__scope_enter(scree_scope *scope) {
  scope->active++;
}

void scree__scope_leave(scree_scope *scope) {
  SCREE__INVARIANT(scope->id && scope->active > 0);
  scope->active--;
  scree__scope_check_end(scope);
}

scree_scope *scree__scope_arrive(scree__tasks *t, uint64_t id, scree__due *due) {
  scree_scope *scope = find(t, id);
  if (!scope) {
    scope = make(t, id);
    if (scope) scope->parent = due->sender;
    return scope;
  }
  if (due->id != id) scree__scope_acknowledge(t, due);
  due->id = id;
  due->count++;
  return scope;
}

void scree__scope_acknowledge(scree__tasks *t, scree__due *due) {
  if (due->count) send_acknowledgement(t, due->sender, due->id, due->count);
  due->count = 0;
}

/* The part that so many acknowledgements are for; NULL: there is none, the world fails. */
static scree_scope *acknowledged(scree__tasks *t, const scree_batch *batch, uint64_t id, uint64_t count) {
  scree_scope *scope = find(t, id);
  if (scope && scope->outstanding >= count) return scope;
  scree__fail(t->me, SCREE_EPEER, "scope",
              "rank %u acknowledges %llu tasks of scope %llx, outstanding are %llu: that rank has another build of "
              "scree, or the message was damaged",
              batch->source, (unsigned long long)count, (unsigned long long)id,
              scope ? (unsigned long long)scope->outstanding : 0);
  return NULL;
}

void scree__on_acknowledged(scree_worker *worker, const scree_batch *batch, const void *items, void *unused) {
  const scree__acknowledgement *item = items;
  scree__tasks *t = scree__tasks_of(scree__worker_of(worker));
  (void)unused;
  for (uint32_t i = 0; i < batch->count; i++) {
    scree_scope *scope = acknowledged(t, batch, item[i].scope, item[i].count);
    if (!scope) return;
    scope->outstanding -= item[i].count;
    scree__scope_check_end(scope);
  }
}

void scree__on_result(scree_worker *worker, const scree_batch *batch, const void *items, void *unused) {
  const scree__scope_result *item = items;
  scree__tasks *t = scree__tasks_of(scree__worker_of(worker));
  (void)unused;
  for (uint32_t i = 0; i < batch->count && !t->me->failed; i++) {
    const scree__task_type *type = item[i].type < t->of->types ? t->of->type[item[i].type] : NULL;
    scree_scope *scope = acknowledged(t, batch, item[i].scope, type && type->combine ? 1 : UINT64_MAX);
    if (!scope) return;
    scree__scope_combine(scope, type, item[i].value);
    scope->outstanding--;
    scree__scope_check_end(scope);
  }
}

/* ---- opening and waiting ---- */

void scree__scopes_open(scree__tasks *t) {
  t->scopes.opened = scree__first_number(&t->me->world->options, NUMBER_MAX) - 1;
}

/* An identity that no scope of this worker has. */
static uint64_t next_id(scree__tasks *t) {
  uint64_t id;
  do {
    t->scopes.opened = t->scopes.opened < NUMBER_MAX ? t->scopes.opened + 1 : 1;
    id = (uint64_t)scree__worker_number(t->me) << WORKER_SHIFT | t->scopes.opened;
  } while (find(t, id));
  return id;
}

scree_scope *scree__scope_open(scree__tasks *t, scree_task *opener) {
  scree_scope *scope = make(t, next_id(t));
  if (!scope) return NULL;
  scope->opened_here = true;
  scope->opener = opener;
  return scope;
}

/* A task that waits for tasks of its own that are here does not count for task_live while it does: else loops in loops
 * would exhaust it. */
scree_status scree__scope_wait(scree_task *self, scree_scope *scope, const char *why) {
  if (!scope->active && !scope->outstanding) return SCREE_OK;
  scree__tasks *t = scope->home;
  const bool for_children = scope->opener == self && scope->active;
  t->live_max += for_children;
  self->next = NULL;
  if (scope->last)
    scope->last->next = self;
  else
    scope->first = self;
  scope->last = self;
  const scree_status status = scree__task_sleep(self, SCREE__TASK_WAITS, why);
  t->live_max -= for_children;
  return status;
}

scree_scope *scree_finish(scree_task *self) {
  if (scree__task_may_wait(self, "scree_finish")) return NULL;
  scree_scope *scope = scree__scope_open(scree__home(self), self);
  if (scope) self->scopes++;
  return scope;
}

scree_status scree__finish_reduced(scree_task *self, scree_scope *scope, void *out) {
  const char *call = "scree_finish_end";
  scree_status status = scree__task_may_wait(self, call);
  if (status) {
    if (self && self->scopes) self->scopes--;
    return status;
  }
  if (!scope || !scope->id || scope->opener != self) {
    scree__fail(scree__home(self)->me, SCREE_ESTATE, call,
                "task of type '%s': %s: end each scope once, in the task that opened it", self->closure.type->name,
                !scope || !scope->id ? "no scope, or one that was ended" : "a scope that another task opened");
    return SCREE_ESTATE;
  }
  status = scree__scope_wait(self, scope, "the tasks of a scope");
  self->scopes--;
  if (status) return status;
  if (out && scope->sum) scope->sum->type->combine(out, scope->sum->value);
  drop_sum(scope);
  scree__scope_put_back(scope);
  return SCREE_OK;
}

scree_status scree_finish_end(scree_task *self, scree_scope *scope) {
  return scree__finish_reduced(self, scope, NULL);
}

bool scree__scope_is_here(scree__tasks *t, const scree_scope *scope, const char *call, const char *type) {
  if (!scope || (scope->id && scope->home == t)) return true;
  scree__fail(t->me, SCREE_ESTATE, call,
              "task of type '%s' in %s: spawn in a scope that is open, on the worker that opened it, or in that of a "
              "task",
              type, scope->id ? "a scope of another worker" : "a scope that was ended");
  return false;
}

/* ---- the end ---- */

/* The world has failed: the remaining scopes are no longer needed. In a healthy one those remain that were not
 * closed. */
void scree__scopes_forget(scree__tasks *t) {
  if (!t->me->failed) return;
  for (uint32_t i = 0; i < SCREE__SCOPE_LISTS; i++)
    while (t->scopes.list[i]) scree__scope_put_back(t->scopes.list[i]);
}
