/* slot.c - outstanding operations: a slot for each request until its reply comes, which names slot and generation; and
 * what happens to the operation when its last request is answered. */
#include "global/operation.h"
#include "task/scope.h"

#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "task/message.h"

#define STALE                                                                                                          \
  "rank %u answers a request that is not outstanding (%llx): that rank has another build of scree, or the message "    \
  "was damaged"

static bool no_memory(scree__globals *own, const char *what) {
  scree__fail(own->me, SCREE_ENOMEM, "global memory", "no memory for %s: free memory on this host", what);
  return false;
}

/* ---- slots ---- */

enum { NONE = SCREE__NO_SLOT };

static bool grow_slots(scree__globals *own) {
  const uint32_t room = own->slot_room ? 2 * own->slot_room : 256;
  if (room >= NONE) {
    scree__fail(own->me, SCREE_ENOMEM, "global memory",
                "%u requests of this worker wait for replies, which is the limit: wait for some before more begin",
                own->slot_room);
    return false;
  }
  const uint32_t first = (uint32_t)scree__first_number(&own->of->world->options, UINT32_MAX);
  scree__slot_of *more = realloc(own->slots, room * sizeof *more);
  if (!more) return no_memory(own, "one more operation that waits for a reply");
  own->slots = more;
  own->slot_free = NONE; /* the end of the list */
  for (uint32_t i = room; i-- > own->slot_room;) {
    more[i] = (scree__slot_of){.generation = first, .next = own->slot_free};
    own->slot_free = i;
  }
  own->slot_room = room;
  return true;
}

uint32_t scree__slot_take(scree__globals *own, scree__waiter *waiter) {
  if (own->slot_free >= own->slot_room && !grow_slots(own)) return UINT32_MAX;
  const uint32_t i = own->slot_free;
  scree__slot_of *slot = &own->slots[i];
  own->slot_free = slot->next;
  SCREE__INVARIANT(!slot->waiter && slot->generation);
  slot->waiter = waiter;
  waiter->left++;
  return i;
}

/* No generation is 0, so no head of a request is. */
static void free_slot(scree__globals *own, scree__slot_of *slot) {
  if (++slot->generation == 0) slot->generation = 1;
  slot->waiter = NULL;
  slot->next = own->slot_free;
  own->slot_free = (uint32_t)(slot - own->slots);
}

void scree__outstanding_less(scree__globals *own, uint64_t n) {
  SCREE__INVARIANT(own->outstanding >= n && !own->first == !own->last);
  own->outstanding -= n;
  for (; n > 0 && own->first; n--) {
    scree_task *task = own->first;
    own->first = task->next;
    if (!own->first) own->last = NULL;
    scree__task_ready(task);
  }
}

/* ---- what is complete ---- */

static void free_record(scree__globals *own, scree__waiter *w) {
  if (own->implicit[w->key] == w) own->implicit[w->key] = NULL;
  SCREE__INVARIANT(own->me->failed || (own->record[w->index] == w && own->tasks->implicit > 0));
  own->record[w->index] = NULL;
  own->tasks->implicit--;
  own->record_generation[w->index] = (w->generation + 1) & UINT8_MAX;
  own->record_next[w->index] = own->record_free;
  own->record_free = w->index;
  scree__freelist_put(&own->waiters, w);
}

static void set_future(scree__globals *own, scree__waiter *w) {
  uint64_t value[SCREE__OBJECT_WORDS] = {0};
  scree_future *future = w->target;
  if (w->result) memcpy(value, w->result, w->result_bytes < sizeof value ? w->result_bytes : sizeof value);
  scree__freelist_put(&own->waiters, w);
  scree_future_set(&own->me->head, future, value);
}

static void complete(scree__globals *own, scree__waiter *w) {
  void *target = w->target;
  scree_task *sleeper = w->sleeper;
  w->sleeper = NULL;
  switch (w->how) {
  case SCREE__BY_FUTURE:
    set_future(own, w);
    break;
  case SCREE__BY_COMPLETION:
    scree__freelist_put(&own->waiters, w);
    scree_completion_complete(target, 1);
    break;
  case SCREE__BY_STEP:
    scree__freelist_put(&own->waiters, w);
    scree__copy_step(own, target);
    return;
  case SCREE__IMPLICITLY: {
    scree_scope *scope = w->scope;
    free_record(own, w);
    if (scope) scree__scope_leave(scope);
    break;
  }
  default:
    break;
  }
  if (sleeper) scree__task_ready(sleeper);
}

void scree__waiter_release(scree__globals *own, scree__waiter *waiter) {
  SCREE__INVARIANT(waiter->left > 0);
  if (--waiter->left == 0) complete(own, waiter);
}

/* ---- implicit operations: a record for each task that has some outstanding ---- */

static bool grow_records(scree__globals *own) {
  const uint32_t room = own->record_room ? 2 * own->record_room : 64;
  const uint32_t first = (uint32_t)scree__first_number(&own->of->world->options, UINT8_MAX);
  if (room > SCREE_IMPLICIT_TASKS_MAX) {
    scree__fail(
        own->me, SCREE_ENOMEM, "global memory",
        "one more task with implicit operations (_nbi) that are not complete: legal are %d tasks at a time on each "
        "worker (SCREE_IMPLICIT_TASKS_MAX): call scree_quiet in some first",
        SCREE_IMPLICIT_TASKS_MAX);
    return false;
  }
  void *record = realloc(own->record, room * sizeof *own->record);
  if (record) own->record = record;
  void *next = record ? realloc(own->record_next, room * sizeof *own->record_next) : NULL;
  if (next) own->record_next = next;
  void *generation = next ? realloc(own->record_generation, room * sizeof *own->record_generation) : NULL;
  if (generation) own->record_generation = generation;
  if (!generation) return no_memory(own, "one more task with implicit operations");
  own->record_free = NONE;
  for (uint32_t i = room; i-- > own->record_room;) {
    own->record[i] = NULL;
    own->record_generation[i] = first;
    own->record_next[i] = own->record_free;
    own->record_free = i;
  }
  own->record_room = room;
  return true;
}

static bool reach_key(scree__globals *own, uint64_t key) {
  const uint32_t room = (uint32_t)key + 64;
  if (key < own->implicit_room) return true;
  scree__waiter **more = realloc(own->implicit, room * sizeof *more);
  if (!more) return no_memory(own, "implicit operations");
  own->implicit = more;
  for (; own->implicit_room < room; own->implicit_room++) more[own->implicit_room] = NULL;
  return true;
}

static scree__waiter *new_record(scree__globals *own, uint64_t key, const scree_task *task) {
  if (own->record_free >= own->record_room && !grow_records(own)) return NULL;
  scree__waiter *w = scree__freelist_get(&own->waiters, sizeof *w);
  if (!w) return no_memory(own, "implicit operations"), NULL;
  const uint32_t i = own->record_free;
  own->record_free = own->record_next[i];
  *w = (scree__waiter){.how = SCREE__IMPLICITLY, .key = key, .index = i, .generation = own->record_generation[i]};
  w->value[0] = task ? task->serial : 0;
  own->tasks->implicit++;
  return own->record[i] = own->implicit[key] = w;
}

/* A task that has returned may have left a record, which is not used by the next task in its place. */
scree__waiter *scree__implicit_of(scree__globals *own, bool make) {
  const scree_task *task = own->me->on_own_stack ? own->tasks->current : NULL;
  const uint64_t key = task ? task->number + UINT64_C(1) : 0;
  if (!reach_key(own, key)) return NULL;
  scree__waiter *w = own->implicit[key];
  if (w && w->value[0] == (task ? task->serial : 0)) return w;
  return make ? new_record(own, key, task) : NULL;
}

/* The words that it was granted and has not used are returned first: then the record counts what is not answered. */
bool scree__implicit_leave_later(scree__tasks *t, scree_scope *scope) {
  scree__globals *own = scree__globals_of(t->me);
  if (own->me->failed) return false;
  scree__words_settle(own);
  scree__waiter *w = scree__implicit_of(own, false);
  if (w) w->scope = scope;
  return w != NULL;
}

/* ---- replies ---- */

void scree__global_stale(scree__globals *own, const scree_batch *batch, uint64_t head) {
  scree__fail(own->me, SCREE_EPEER, "global memory", STALE, batch->source, (unsigned long long)head);
}

bool scree__take_reply(scree__globals *own, const scree_batch *batch, uint64_t head, const char *data) {
  const uint64_t i = head & NONE;
  scree__slot_of *slot = i < own->slot_room ? &own->slots[i] : NULL;
  if (!slot || !slot->waiter || slot->generation != (uint32_t)(head >> 32) || head & SCREE__ASKED) {
    scree__global_stale(own, batch, head);
    return false;
  }
  if (slot->to && slot->address)
    scree__scatter_bytes(&own->of->map, slot->address, slot->owner, slot->offset, slot->bytes, data, slot->to);
  else if (slot->to)
    memcpy(slot->to, data, slot->bytes);
  scree__waiter *waiter = slot->waiter;
  own->stats.answered++;
  own->stats.wait_ns += own->tasks->now - slot->since;
  if (slot->asynchronous) scree__outstanding_less(own, scree__weight(own, slot->bytes));
  free_slot(own, slot);
  scree__waiter_release(own, waiter);
  return true;
}

void scree__on_global_reply(scree_worker *worker, const scree_batch *batch, const void *items, void *data_bytes) {
  scree__globals *own = scree__globals_of(scree__worker_of(worker));
  const char *item = items;
  const size_t data = *(const uint32_t *)data_bytes, bytes = sizeof(uint64_t) + data;
  if (data <= sizeof(uint64_t)) {
    scree__take_words(own, batch, items, data == sizeof(uint64_t));
    return;
  }
  for (uint32_t i = 0; i < batch->count && !own->me->failed; i++, item += bytes) {
    uint64_t head;
    memcpy(&head, item, sizeof head);
    if (!scree__take_reply(own, batch, head, item + sizeof head)) return;
  }
}

void scree__on_global_reply_record(scree_worker *worker, const scree_batch *batch, const void *items, void *unused) {
  scree__globals *own = scree__globals_of(scree__worker_of(worker));
  (void)unused;
  for (uint32_t i = 0; i < batch->count && !own->me->failed; i++) {
    size_t bytes;
    uint64_t head;
    const char *item = scree_record_next(&items, &bytes);
    memcpy(&head, item, sizeof head);
    if (!scree__take_reply(own, batch, head, item + sizeof head)) return;
  }
}

/* ---- the end ---- */

/* The world has failed: no further reply arrives. Tasks that sleep return because of the failure. */
void scree__slots_drop(scree__globals *own) {
  own->first = own->last = NULL;
  own->outstanding = 0;
  scree__indexed_drop(own);
  scree__words_drop(own);
  for (uint32_t i = 0; i < own->slot_room; i++)
    if (own->slots[i].waiter) free_slot(own, &own->slots[i]);
  for (uint32_t i = 0; i < own->asked_room; i++) own->asked[i].generation += own->asked[i].generation % 2;
  for (uint32_t i = 0; i < own->implicit_room; i++) own->implicit[i] = NULL;
  own->tasks->implicit = 0;
}

void scree__slots_free(scree__globals *own) {
  free(own->slots);
  free(own->asked);
  free(own->record);
  free(own->record_next);
  free(own->record_generation);
  free(own->implicit);
  free(own->scratch[0]);
  free(own->scratch[1]);
  scree__copies_free(own);
  free(own->indexed);
  scree__freelist_close(&own->waiters);
}
