/* object.c - requests of tasks to objects, on their worker and from others. A request that has to wait is on the stack
 * of its task, or, for another worker's task, in memory of the object's worker. */
#include "task/object.h"

#include <stdlib.h>
#include <string.h>

#include "core/epoch.h"
#include "core/fail.h"
#include "task/message.h"

enum { PLACE_BITS = 20, WORKER_BITS = 22, GENERATION_BITS = 22 };
#define PLACE_MAX (((uint64_t)1 << PLACE_BITS) - 1)

/* ---- numbers: worker, place in its table, generation of that place ---- */

static bool grow(scree__objects *o) {
  const uint32_t room = o->room ? 2 * o->room : 64;
  scree__object **table = realloc(o->table, room * sizeof *table);
  if (table) o->table = table;
  uint64_t *generation = table ? realloc(o->generation, room * sizeof *generation) : NULL;
  if (generation) o->generation = generation;
  bool *owned = generation ? realloc(o->owned, room * sizeof *owned) : NULL;
  if (!owned) return false;
  o->owned = owned;
  for (uint32_t i = o->room; i < room; i++) {
    table[i] = NULL;
    generation[i] = 1;
  }
  o->room = room;
  return true;
}

/* Examining more than a few places would take longer than adding one. */
static bool find_place(scree__objects *o, uint32_t *place) {
  enum { FEW = 8 };
  for (uint32_t i = 0; i < o->used && i < FEW; i++) {
    *place = (o->free + i) % o->used;
    if (!o->table[*place]) return true;
  }
  if (o->used == o->room && (o->room > PLACE_MAX || !grow(o))) return false;
  *place = o->used++;
  return true;
}

uint64_t scree__object_number(scree__object *object) {
  scree__tasks *t = object->home;
  scree__objects *o = &t->objects;
  uint32_t place;
  if (object->number) return object->number;
  if (!find_place(o, &place)) {
    scree__fail(t->me, SCREE_ENOMEM, "task", "no memory for the number of one more %s: free memory on this host",
                object->ops->name);
    return 0;
  }
  o->table[place] = object;
  o->owned[place] = object->ops->owned;
  object->number = ((uint64_t)scree__worker_number(t->me) << PLACE_BITS | place) << GENERATION_BITS |
                   (o->generation[place] & (((uint64_t)1 << GENERATION_BITS) - 1));
  return object->number;
}

static void forget_number(scree__object *object) {
  scree__objects *o = &object->home->objects;
  const uint32_t place = (uint32_t)(object->number >> GENERATION_BITS & PLACE_MAX);
  if (!object->number) return;
  o->table[place] = NULL;
  o->generation[place]++;
  o->free = place;
  object->number = 0;
}

static uint32_t worker_of(uint64_t number) {
  return (uint32_t)(number >> (GENERATION_BITS + PLACE_BITS));
}

scree__object *scree__object_find(scree__tasks *t, uint64_t number) {
  const uint64_t place = number >> GENERATION_BITS & PLACE_MAX;
  scree__object *object = place < t->objects.used ? t->objects.table[place] : NULL;
  return object && object->number == number ? object : NULL;
}

/* ---- tasks by number ---- */

enum { NUMBER_BITS = 24 };
uint64_t scree__task_identity(const scree_task *task) {
  return ((task->serial << NUMBER_BITS | task->number) << WORKER_BITS) | scree__worker_number(scree__home(task)->me);
}

static scree_task *task_of(scree__tasks *t, uint64_t who) {
  const uint64_t number = who >> WORKER_BITS & (((uint64_t)1 << NUMBER_BITS) - 1);
  scree_task *task = number < t->table_room ? t->table[number] : NULL;
  return task && scree__task_identity(task) == who ? task : NULL;
}

/* ---- serving ---- */

static void answer(scree__tasks *t, scree__request *request) {
  request->done = true;
  if (request->task) {
    scree__task_ready(request->task);
    return;
  }
  scree__object_item item = {.who = request->who};
  const uint32_t worker = request->worker;
  memcpy(item.value, request->value, sizeof item.value);
  scree__freelist_put(&t->objects.requests, request);
  scree__send(t->me, t->of->answer, worker, &item, sizeof item);
}

/* A request is removed from the queue before it is answered: an answer from a task may run handlers, which call this
 * too. */
void scree__object_serve(scree__object *object) {
  while (object->first && !object->home->me->failed) {
    scree__request *request = object->first;
    if (!object->ops->serve(object, request)) return;
    object->first = request->next;
    if (!object->first) object->last = NULL;
    answer(object->home, request);
  }
}

static void enqueue(scree__object *object, scree__request *request) {
  request->next = NULL;
  if (object->last)
    object->last->next = request;
  else
    object->first = request;
  object->last = request;
}

void scree__object_advance(scree__object *object, scree__request *before) {
  scree__request *request = before ? before->next : NULL;
  if (!request) return;
  before->next = request->next;
  if (!before->next) object->last = before;
  request->next = object->first;
  object->first = request;
}

/* ---- on its worker ---- */

bool scree__object_open(scree_worker *worker, scree__object *object, const scree__object_ops *ops, const char *call) {
  scree__tasks *t = scree__tasks_for(worker, call);
  if (!t) return false;
  *object = (scree__object){.ops = ops, .home = t};
  return !t->me->failed;
}

static bool is_open(scree__worker *me, const scree__object *object, const char *call) {
  if (object->ops && object->home->me == me) return true;
  scree__fail(me, SCREE_ESTATE, call, "%s: open it on this worker, or pass its number to the function that ends in _at",
              object->ops ? "it belongs to another worker" : "it was closed");
  return false;
}

bool scree__object_close(scree__object *object, const char *call) {
  if (!object->ops || object->home->me->failed) return false;
  const bool wait = object->first != NULL;
  if (wait)
    scree__fail(object->home->me, SCREE_ESTATE, call, "tasks wait for this %s: close it when they have continued",
                object->ops->name);
  forget_number(object);
  object->ops = NULL;
  return !wait;
}

/* A request that can be served on arrival has none of its kind before it, because the queue is served as far as
 * possible. */
scree_status scree__object_wait(scree_task *self, scree__object *object, uint32_t op, uint64_t *value,
                                const char *call) {
  scree_status status = scree__task_may_wait(self, call);
  if (status) return status;
  scree__tasks *t = scree__home(self);
  if (!is_open(t->me, object, call)) return SCREE_ESTATE;
  scree__request request = {
      .who = scree__task_identity(self), .worker = scree__worker_number(t->me), .op = op, .task = self};
  memcpy(request.value, value, sizeof request.value);
  if (!object->ops->serve(object, &request)) {
    enqueue(object, &request);
    status = scree__task_sleep(self, SCREE__TASK_WAITS, object->ops->name);
  } else {
    scree__object_serve(object);
  }
  memcpy(value, request.value, sizeof request.value);
  return status ? status : t->me->failed ? t->me->failure.status : SCREE_OK;
}

void scree__object_do(scree_worker *worker, scree__object *object, uint32_t op, const uint64_t *value,
                      const char *call) {
  scree__worker *me = scree__worker_of(worker);
  if (scree__dropped(me, call, SCREE_ALL) || me->failed || !is_open(me, object, call)) return;
  scree__request request = {.op = op};
  memcpy(request.value, value, sizeof request.value);
  object->ops->serve(object, &request);
  scree__object_serve(object);
}

/* ---- from other workers ---- */

static bool is_worker(scree__worker *me, uint64_t number, const char *call) {
  const uint32_t workers = me->head.ranks * me->head.threads;
  if (number && worker_of(number) < workers) return true;
  scree__fail(me, SCREE_EINVAL, call, "no object of this world (%u workers) has the number %llx", workers,
              (unsigned long long)number);
  return false;
}

static scree__object *own_object(scree__tasks *t, uint64_t number, const char *call) {
  scree__object *object = scree__object_find(t, number);
  if (!object)
    scree__fail(t->me, SCREE_ESTATE, call, "the object with number %llx was closed", (unsigned long long)number);
  return object;
}

scree_status scree__object_wait_at(scree_task *self, uint64_t number, uint32_t op, uint64_t *value, const char *call) {
  const scree_status status = scree__task_may_wait(self, call);
  if (status) return status;
  scree__tasks *t = scree__home(self);
  if (!is_worker(t->me, number, call)) return SCREE_EINVAL;
  if (worker_of(number) == scree__worker_number(t->me)) {
    scree__object *object = own_object(t, number, call);
    return object ? scree__object_wait(self, object, op, value, call) : SCREE_ESTATE;
  }
  scree__object_item item = {.object = number, .who = scree__task_identity(self), .op = op};
  memcpy(item.value, value, sizeof item.value);
  scree__request answer = {.task = self};
  self->answer = &answer;
  scree__send(t->me, t->of->request, worker_of(number), &item, sizeof item);
  const scree_status woken = answer.done ? SCREE_OK : scree__task_sleep(self, SCREE__TASK_WAITS, call);
  self->answer = NULL;
  memcpy(value, answer.value, sizeof answer.value);
  return woken;
}

void scree__object_do_at(scree_worker *worker, uint64_t number, uint32_t op, const uint64_t *value, const char *call) {
  scree__tasks *t = scree__tasks_for(worker, call);
  if (!t || t->me->failed || !is_worker(t->me, number, call)) return;
  if (worker_of(number) == scree__worker_number(t->me)) {
    scree__object *object = own_object(t, number, call);
    if (object) scree__object_do(worker, object, op, value, call);
    return;
  }
  scree__object_item item = {.object = number, .op = op};
  memcpy(item.value, value, sizeof item.value);
  scree__send(t->me, t->of->request, worker_of(number), &item, sizeof item);
}

static void take_request(scree__tasks *t, const scree__object_item *item, uint32_t sender) {
  scree__object *object = own_object(t, item->object, "a request of another worker");
  if (!object) return;
  if (!item->who) {
    scree__object_do(&t->me->head, object, (uint32_t)item->op, item->value, "a request of another worker");
    return;
  }
  scree__request *request = scree__freelist_get(&t->objects.requests, sizeof *request);
  if (!request) {
    scree__fail(t->me, SCREE_ENOMEM, "task", "no memory for one more waiter of a %s: free memory on this host",
                object->ops->name);
    return;
  }
  *request = (scree__request){.who = item->who, .worker = sender, .op = (uint32_t)item->op};
  memcpy(request->value, item->value, sizeof request->value);
  if (!object->ops->serve(object, request)) {
    enqueue(object, request);
    return;
  }
  answer(t, request);
  scree__object_serve(object);
}

void scree__on_request(scree_worker *worker, const scree_batch *batch, const void *items, void *unused) {
  const scree__object_item *item = items;
  scree__worker *me = scree__worker_of(worker);
  (void)unused;
  for (uint32_t i = 0; i < batch->count && !me->failed; i++)
    take_request(scree__tasks_of(me), &item[i], scree__sender(me, batch));
}

void scree__on_answer(scree_worker *worker, const scree_batch *batch, const void *items, void *unused) {
  const scree__object_item *item = items;
  scree__worker *me = scree__worker_of(worker);
  scree__tasks *t = scree__tasks_of(me);
  (void)unused;
  for (uint32_t i = 0; i < batch->count && !me->failed; i++) {
    scree_task *task = task_of(t, item[i].who);
    if (!task || !task->answer) {
      scree__fail(me, SCREE_EPEER, "task",
                  "rank %u answers a task that does not wait: that rank has another build of scree, or the message was "
                  "damaged",
                  batch->source);
      return;
    }
    memcpy(task->answer->value, item[i].value, sizeof item[i].value);
    task->answer->done = true;
    if (task->state == SCREE__TASK_WAITS) scree__task_ready(task); /* else it is still in its send */
  }
}

void scree__objects_free(scree__tasks *t) {
  for (uint32_t i = 0; i < t->objects.used; i++)
    if (t->objects.table[i] && t->objects.owned[i]) free(t->objects.table[i]);
  scree__freelist_close(&t->objects.requests);
  free(t->objects.table);
  free(t->objects.generation);
  free(t->objects.owned);
}
