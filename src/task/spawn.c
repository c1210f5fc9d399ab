/* spawn.c - how a worker gets closures: spawned here, by a message, when their time has come. */
#include <string.h>

#include "core/epoch.h"
#include "core/fail.h"
#include "task/message.h"
#include "task/scope.h"
#include "task/steal.h"

static void no_memory(scree__tasks *t, const scree__task_type *type) {
  scree__fail(
      t->me, SCREE_ENOMEM, "spawn",
      "no memory for one more task of type '%s' that has not begun: %u of this worker have not: spawn fewer, or free "
      "memory on this host",
      type->name, scree__closures_count(&t->private) + scree__closures_count(&t->public));
}

static void fill(scree__closure *closure, const scree__task_type *type, scree_scope *scope, const void *args) {
  closure->type = type;
  closure->scope = scope;
  memcpy(closure->args, args, type->bytes);
}

/* NULL: there is no memory, or the world has failed. */
static scree__closure *add(scree__tasks *t, scree__closures *to, const scree__task_type *type, scree_scope *scope,
                           const void *args) {
  if (t->me->failed) return NULL;
  scree__closure *closure = scree__closures_push(to);
  if (!closure) return no_memory(t, type), NULL;
  fill(closure, type, scope, args);
  if (scope) scree__scope_enter(scope);
  t->stats.spawned++;
  return closure;
}

void scree__spawn_closure(scree__tasks *t, const scree__closure *closure) {
  if (t->me->failed) return;
  scree__closure *place = scree__closures_push(&t->private);
  if (!place) {
    no_memory(t, closure->type);
    return;
  }
  *place = *closure;
  t->stats.spawned++;
}

bool scree__spawn_here(scree__tasks *t, const scree__task_type *type, scree_scope *scope, const void *args) {
  if (!add(t, &t->public, type, scope, args)) return false;
  scree__offer(t);
  return true;
}

/* Before the others of the ring. */
static bool put_first(scree__tasks *t, const scree__closure *closure) {
  scree__closures *p = &t->private;
  if (!scree__closures_reserve(p, scree__closures_count(p) + 1)) {
    no_memory(t, closure->type);
    return false;
  }
  p->item[--p->head & (p->room - 1)] = *closure;
  return true;
}

bool scree__spawn_first(scree__tasks *t, const scree__task_type *type, scree_scope *scope, const void *args) {
  scree__closure closure;
  if (t->me->failed) return false;
  fill(&closure, type, scope, args);
  closure.due = 0;
  if (!put_first(t, &closure)) return false;
  if (scope) scree__scope_enter(scope);
  t->stats.spawned++;
  return true;
}

void scree__spawn_again(scree__tasks *t, const scree__closure *closure) {
  scree__closure *place = t->me->failed ? NULL : scree__closures_push(&t->public);
  if (place)
    *place = *closure;
  else
    no_memory(t, closure->type);
}

/* ---- spawns ---- */

static void fail_by_world(scree__worker *me, const char *call) {
  scree__fail(me, SCREE_EINVAL, call, "a task type that is not of this world: register it with this one");
}

/* What the caller may spawn; NULL: nothing, the world fails. */
static const scree__task_type *type_of(scree__worker *me, const scree__task_world *of, uint32_t id, const char *call) {
  if (!of || of->world != me->world)
    fail_by_world(me, call);
  else if (!me->in_epoch)
    scree__fail(me, SCREE_ESTATE, call, "task of type '%s' spawned outside an epoch: call scree_begin first",
                of->type[id]->name);
  else
    return of->type[id];
  return NULL;
}

/* The progress thread runs no tasks: it passes them to the workers in turn. */
static void pass_on(scree__worker *me, scree__task_world *of, uint32_t id, scree_scope *scope, const void *args) {
  const uint32_t to = of->spread++ % me->end.taking;
  if (scope)
    scree__fail(me, SCREE_ESTATE, "spawn",
                "task of type '%s' in a scope of another worker: a progress thread spawns in the epoch, scope NULL",
                of->type[id]->name);
  else
    scree__task_spawn_on(&me->head, of, id, NULL, scree_worker_number(&me->head, me->head.rank, to), args);
}

/* The worker's tasks, if it may spawn there; NULL: it has none, or the call was wrong. */
static scree__tasks *spawner(scree__worker *me, scree__task_world *of, const scree__task_type *type, scree_scope *scope,
                             const char *call) {
  scree__tasks *t = of->worker[me->head.index];
  return scree__scope_is_here(t, scope, call, type->name) ? t : NULL;
}

void scree__task_spawn(scree_worker *worker, scree__task_world *of, uint32_t id, scree_scope *scope, const void *args) {
  scree__worker *me = scree__worker_of(worker);
  const scree__task_type *type = type_of(me, of, id, "spawn");
  if (!type) return;
  if (scree__is_progress(me)) {
    pass_on(me, of, id, scope, args);
    return;
  }
  scree__tasks *t = spawner(me, of, type, scope, "spawn");
  if (t) scree__spawn_here(t, type, scope, args);
}

/* The scope's count comes first: the send may run the handler of its acknowledgement. */
static void send(scree__worker *me, const scree__task_type *type, uint32_t id, scree_scope *scope, uint32_t dest,
                 const void *args) {
  const uint64_t of = scope ? scope->id : 0;
  if (scope) scope->outstanding++;
  scree__send_two(me, id, dest, &of, sizeof of, args, type->bytes);
}

void scree__task_spawn_on(scree_worker *worker, scree__task_world *of, uint32_t id, scree_scope *scope, uint32_t dest,
                          const void *args) {
  const char *call = "spawn_on";
  scree__worker *me = scree__worker_of(worker);
  const scree__task_type *type = type_of(me, of, id, call);
  if (!type) return;
  const uint32_t workers = me->head.ranks * me->head.threads;
  if (dest >= workers) {
    scree__fail(me, SCREE_EINVAL, call, "task of type '%s' on worker %u: legal are 0..%u: pass scree_worker_number",
                type->name, dest, workers - 1);
    return;
  }
  if (scree__is_progress(me)) {
    if (scope)
      pass_on(me, of, id, scope, args);
    else
      send(me, type, id, NULL, dest, args);
    return;
  }
  scree__tasks *t = spawner(me, of, type, scope, call);
  if (!t) return;
  if (dest == scree__worker_number(me))
    add(t, &t->private, type, scope, args);
  else
    send(me, type, id, scope, dest, args);
}

/* ---- arrivals ---- */

void scree__closures_arrive(scree_worker *worker, const scree_batch *batch, const void *items, size_t bytes,
                            const scree__task_type *type, scree__arrived_fn *arrived) {
  scree__worker *me = scree__worker_of(worker);
  scree__tasks *t = scree__tasks_of(me);
  scree__due due = {.sender = scree__sender(me, batch)};
  const char *item = items;
  uint64_t stolen = 0;
  for (uint32_t i = 0; i < batch->count && !me->failed; i++, item += bytes) {
    uint64_t word;
    memcpy(&word, item, sizeof word);
    const uint64_t id = word & ~SCREE__STOLEN;
    scree_scope *scope = id ? scree__scope_arrive(t, id, &due) : NULL;
    if (id && !scope) return;
    stolen += word != id;
    arrived(t, type, scope, item, word != id);
  }
  if (stolen) scree__steal_count(t, stolen);
  scree__scope_acknowledge(t, &due);
}

static void on_arrived(scree__tasks *t, const scree__task_type *type, scree_scope *scope, const char *item,
                       bool stolen) {
  add(t, stolen ? &t->public : &t->private, type, scope, item + sizeof(uint64_t));
}

void scree__on_spawn(scree_worker *worker, const scree_batch *batch, const void *items, void *type_arg) {
  const scree__task_type *type = type_arg;
  scree__closures_arrive(worker, batch, items, sizeof(uint64_t) + type->bytes, type, on_arrived);
}

/* ---- a heap of those that wait for a time ---- */

static void swap(scree__closure *a, scree__closure *b) {
  const scree__closure kept = *a;
  *a = *b;
  *b = kept;
}

static void sift_up(scree__closure *heap, uint32_t i) {
  for (; i && heap[i].due < heap[(i - 1) / 2].due; i = (i - 1) / 2) swap(&heap[i], &heap[(i - 1) / 2]);
}

static void sift_down(scree__closure *heap, uint32_t count) {
  for (uint32_t i = 0, child; (child = 2 * i + 1) < count; i = child) {
    if (child + 1 < count && heap[child + 1].due < heap[child].due) child++;
    if (heap[i].due <= heap[child].due) return;
    swap(&heap[i], &heap[child]);
  }
}

/* The ring of the heap never moves its head: it is an array. */
void scree__task_spawn_by(scree_worker *worker, scree__task_world *of, uint32_t id, scree_scope *scope,
                          const void *args, uint64_t ns) {
  const char *call = "spawn_by";
  scree__worker *me = scree__worker_of(worker);
  const scree__task_type *type = type_of(me, of, id, call);
  if (!type) return;
  if (scree__is_progress(me)) {
    scree__fail(me, SCREE_ESTATE, call,
                "task of type '%s' by a progress thread, which runs no tasks: call it in a task that spawn_on has sent "
                "to a worker",
                type->name);
    return;
  }
  scree__tasks *t = spawner(me, of, type, scope, call);
  scree__closure *closure = t ? add(t, &t->timed, type, scope, args) : NULL;
  if (!closure) return;
  const uint64_t now = scree__now(me);
  closure->due = ns > UINT64_MAX - now ? UINT64_MAX : now + ns;
  sift_up(t->timed.item, scree__closures_count(&t->timed) - 1);
}

void scree__spawn_due(scree__tasks *t) {
  const uint64_t now = scree__now(t->me);
  scree__closures *timed = &t->timed;
  SCREE__INVARIANT(timed->head == 0);
  while (scree__closures_count(timed) && timed->item[0].due <= now) {
    if (!put_first(t, &timed->item[0])) return;
    timed->item[0] = *scree__closures_pop_last(timed);
    sift_down(timed->item, scree__closures_count(timed));
  }
}
