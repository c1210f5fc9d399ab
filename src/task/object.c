/* object.c - requests of tasks to objects, on their worker and from others. A request that has to wait is on the stack
 * of its task, or, for another worker's task, in memory of the object's worker. */
#include "task/object.h"

#include <stdlib.h>
#include <string.h>

#include "core/epoch.h"
#include "core/fail.h"
#include "task/message.h"

enum { PLACE_BITS = 20, GENERATION_BITS = 22, SERIAL_BITS = 42 };
#define PLACE_MAX      (((uint64_t)1 << PLACE_BITS) - 1)
#define GENERATION_MAX (((uint64_t)1 << GENERATION_BITS) - 1)
#define SERIAL_MAX     (((uint64_t)1 << SERIAL_BITS) - 1)
#define NONE           UINT32_MAX /* the end of a list of places */
_Static_assert(PLACE_MAX + 1 == SCREE_NUMBERS_MAX, "each object that has a number has a place");

/* ---- numbers: worker, place in its table, generation of that place ---- */

/* No generation is 0, so no number is. A place that had all generations is retired: it is used again only when all
 * places are in use or retired, and the place that was retired first comes first. So a number returns after the other
 * places have had all of their generations. */

void scree__objects_open(scree__tasks *t) {
  t->objects.free = t->objects.retired = NONE;
  t->serial = scree__first_number(&t->me->world->options, SERIAL_MAX) - 1;
}

static bool grow(scree__objects *o) {
  const uint32_t room = o->room ? 2 * o->room : 64;
  scree__object_place *table = realloc(o->table, room * sizeof *table);
  if (!table) return false;
  o->table = table;
  o->room = room;
  return true;
}

static bool take_place(scree__tasks *t, uint32_t *place) {
  scree__objects *o = &t->objects;
  if (o->free != NONE) {
    *place = o->free;
    o->free = o->table[*place].next;
  } else if (o->used <= PLACE_MAX) {
    if (o->used == o->room && !grow(o)) return false;
    *place = o->used++;
    o->table[*place].generation =
        (uint32_t)scree__first_number(&t->me->world->options, GENERATION_MAX) & GENERATION_MAX;
  } else if (o->retired != NONE) {
    *place = o->retired;
    o->retired = o->table[*place].next;
  } else {
    return false;
  }
  return true;
}

static void give_place(scree__objects *o, uint32_t place) {
  scree__object_place *p = &o->table[place];
  SCREE__INVARIANT(place < o->used && p->object && p->generation);
  p->object = NULL;
  if (p->generation < GENERATION_MAX) {
    p->generation++;
    p->next = o->free;
    o->free = place;
    return;
  }
  p->generation = 1;
  p->next = NONE;
  if (o->retired == NONE)
    o->retired = place;
  else
    o->table[o->youngest].next = place;
  o->youngest = place;
}

uint64_t scree__object_number(scree__object *object) {
  scree__tasks *t = object->home;
  uint32_t place;
  if (object->number) return object->number;
  if (!take_place(t, &place)) {
    if (t->objects.used > PLACE_MAX)
      scree__fail(t->me, SCREE_ENOMEM, "task",
                  "one more %s with a number: legal are %d objects with numbers at a time on each worker "
                  "(SCREE_NUMBERS_MAX): close some first",
                  object->ops->name, SCREE_NUMBERS_MAX);
    else
      scree__fail(t->me, SCREE_ENOMEM, "task", "no memory for the number of one more %s: free memory on this host",
                  object->ops->name);
    return 0;
  }
  scree__object_place *p = &t->objects.table[place];
  SCREE__INVARIANT(p->generation && place <= PLACE_MAX);
  p->object = object;
  p->owned = object->ops->owned;
  object->number = ((uint64_t)scree__worker_number(t->me) << PLACE_BITS | place) << GENERATION_BITS | p->generation;
  return object->number;
}

static void forget_number(scree__object *object) {
  if (!object->number) return;
  give_place(&object->home->objects, (uint32_t)(object->number >> GENERATION_BITS & PLACE_MAX));
  object->number = 0;
}

static uint32_t worker_of(uint64_t number) {
  return (uint32_t)(number >> (GENERATION_BITS + PLACE_BITS));
}

scree__object *scree__object_find(scree__tasks *t, uint64_t number) {
  const uint64_t place = number >> GENERATION_BITS & PLACE_MAX;
  scree__object *object = place < t->objects.used ? t->objects.table[place].object : NULL;
  return object && object->number == number ? object : NULL;
}

/* ---- tasks by identity: the worker's number + 1, so that none is 0, and the serial number ---- */

uint64_t scree__task_identity(const scree_task *task) {
  return (scree__worker_number(scree__home(task)->me) + UINT64_C(1)) << SERIAL_BITS | (task->serial & SERIAL_MAX);
}

static scree_task *task_of(scree__tasks *t, uint32_t number, uint64_t who) {
  scree_task *task = number < t->table_room ? t->table[number] : NULL;
  return task && scree__task_identity(task) == who ? task : NULL;
}

/* An operation on the wire, with the place of the task that waits. */
static uint64_t with_place(uint32_t number, uint32_t op) {
  return (uint64_t)number << 32 | op;
}
static uint32_t place_in(const scree__object_item *item) {
  return (uint32_t)(item->op >> 32);
}

/* ---- serving ---- */

static void answer(scree__tasks *t, scree__request *request) {
  request->done = true;
  if (request->task) {
    scree__task_ready(request->task);
    return;
  }
  scree__object_item item = {.who = request->who, .op = with_place(request->number, 0)};
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
  SCREE__INVARIANT(!object->first == !object->last && request != object->last);
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
  scree__object_item item = {.object = number, .who = scree__task_identity(self), .op = with_place(self->number, op)};
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
  *request = (scree__request){.who = item->who, .worker = sender, .number = place_in(item), .op = (uint32_t)item->op};
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
    scree_task *task = task_of(t, place_in(&item[i]), item[i].who);
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
    if (t->objects.table[i].object && t->objects.table[i].owned) free(t->objects.table[i].object);
  scree__freelist_close(&t->objects.requests);
  free(t->objects.table);
}
