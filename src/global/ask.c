/* ask.c - operations for which a task waits and whose result is at most a word: one request, which is identified by the
 * task's number and a generation, so there is neither a slot nor a waiter; the value of the reply is in a dense table
 * until the task runs. A get of one word, which programs do by the million, is all here. */
#include <atomic_ops.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "global/operation.h"
#include "task/message.h"

enum { TASKS_MAX = 1 << SCREE__SLOT_BITS };

static bool grow(scree__globals *own, uint32_t number) {
  const uint32_t tasks = own->tasks->table_room, room = tasks < TASKS_MAX ? tasks : TASKS_MAX;
  const uint32_t first = (uint32_t)scree__first_number(&own->of->world->options, UINT32_MAX) & ~UINT32_C(1);
  if (number >= TASKS_MAX) {
    scree__fail(own->me, SCREE_ENOMEM, "global memory",
                "task %u of this worker waits for a word: legal are %d tasks that have begun: set task_live to less",
                number, TASKS_MAX);
    return false;
  }
  scree__asked *more = realloc(own->asked, room * sizeof *more);
  if (!more) {
    scree__fail(own->me, SCREE_ENOMEM, "global memory", "no memory for %u tasks that wait: free memory on this host",
                room);
    return false;
  }
  own->asked = more;
  for (; own->asked_room < room; own->asked_room++) more[own->asked_room] = (scree__asked){.generation = first};
  return true;
}

static uint64_t ask(scree__globals *own, uint32_t number, uint32_t owner) {
  scree__asked *asked = &own->asked[number];
  SCREE__INVARIANT(asked->generation % 2 == 0 && own->tasks->table[number]);
  asked->generation++;
  asked->owner = owner;
  own->stats.requests++;
  return (uint64_t)asked->generation << 32 | SCREE__ASKED | number;
}

uint64_t scree__ask(scree__globals *own, uint32_t owner) {
  const uint32_t number = own->tasks->current->number;
  return number < own->asked_room || grow(own, number) ? ask(own, number, owner) : 0;
}

static inline bool answered(scree__globals *own, const scree_batch *batch, uint64_t head, uint64_t value) {
  const uint32_t number = head & SCREE__NO_SLOT, generation = (uint32_t)(head >> 32);
  scree__asked *asked = &own->asked[number];
  if (number >= own->asked_room || asked->generation != generation || generation % 2 == 0) {
    scree__global_stale(own, batch, head);
    return false;
  }
  asked->generation++;
  asked->value = value;
  scree_task *task = own->tasks->table[number];
  if (scree__is_asleep(task)) scree__task_ready(task); /* else it is still in its send */
  return true;
}

/* Replies of a head and so many words, 0 or 1. The tasks of later ones are prefetched. */
static inline __attribute__((always_inline)) void take(scree__globals *own, const scree_batch *batch,
                                                       const uint64_t *items, uint32_t words) {
  scree_task *const *table = own->tasks->table;
  for (uint32_t i = 0; i < batch->count && !own->me->failed; i++, items += 1 + words) {
    const uint32_t ahead = items[(scree_batch_ahead(batch, i, SCREE__AHEAD) - i) * (1 + words)] & SCREE__NO_SLOT;
    if (ahead < own->asked_room) __builtin_prefetch(table[ahead], 1);
    if (items[0] & SCREE__ASKED ? !answered(own, batch, items[0], words ? items[1] : 0)
                                : !scree__take_reply(own, batch, items[0], (const char *)&items[1]))
      return;
  }
}

void scree__take_words(scree__globals *own, const scree_batch *batch, const uint64_t *items, uint32_t words) {
  if (words)
    take(own, batch, items, 1);
  else
    take(own, batch, items, 0);
}

/* ---- waiting ---- */

/* Then the answer is in the table. */
static inline scree_status wait_for_answer(scree__globals *own, scree_task *self, const char *call) {
  scree_status status = own->me->failed ? own->me->failure.status : SCREE_OK;
  if (!status && own->asked[self->number].generation % 2) status = scree__task_sleep(self, SCREE__TASK_WAITS, call);
  own->stats.answered += !status;
  own->stats.wait_ns += status ? 0 : own->tasks->now - self->since;
  return status;
}

scree_status scree__wait_for_answer(scree__globals *own, scree_task *self, const char *call, void *to, uint64_t bytes) {
  const scree_status status = wait_for_answer(own, self, call);
  if (!status && bytes) memcpy(to, &own->asked[self->number].value, bytes);
  return status;
}

/* No other can issue a request before it waits. */
static inline bool is_last(const scree__tasks *t) {
  return !scree__ready_count(&t->ready) && !scree__closures_count(&t->private) && !scree__closures_count(&t->public);
}

/* Requests are published as soon as there are many, so that the owner serves them while further tasks issue theirs; and
 * after the last task that can issue one. */
void scree__asks_leave(scree__globals *own, uint32_t type, uint32_t to) {
  enum { MANY = 512 };
  if (own->stats.requests % MANY == 0 || is_last(own->tasks)) scree_flush_lane(&own->me->head, type, to);
}

/* ---- one word is read or written ---- */

/* In program order, as scree__begin_in_order has it: release, what the task has read and written comes first; acquire,
 * what follows stays after it. */
static void touch(scree__globals *own, const scree__global_op *op, uint32_t owner, uint64_t offset) {
  volatile AO_t *word = (volatile AO_t *)(void *)(own->of->memory.area[owner] + offset);
  ++*(owner == own->me->head.rank ? &own->stats.local : &own->stats.direct);
  if (op->kind == SCREE__GLOBAL_PUT) {
    AO_store_release(word, op->local ? scree__word_at(op->local) : op->value);
    own->front.stored = true;
  } else {
    scree__fence_stores(own);
    const uint64_t value = AO_load_acquire(word);
    memcpy(op->local, &value, sizeof value);
  }
}

/* Of the last task that can issue a request now. */
typedef struct {
  scree__globals *own;
  uint32_t type, to, bytes;
  const void *item;
} last_request;

/* It waits next, so its send needs no progress before, unless no block is free. */
static void send_last(void *arg) {
  const last_request *r = arg;
  scree_worker *w = &r->own->me->head;
  void *slot = scree__routed_slot(w, r->type, r->to, r->bytes, false);
  if (!slot) slot = scree__routed_slot(w, r->type, r->to, r->bytes, true);
  memcpy(slot, r->item, r->bytes);
  scree_flush_lane(w, r->type, r->to);
}

/* That is one call on the worker's own stack, in place of two. */
static inline void send_request(scree__globals *own, uint32_t type, uint32_t to, const void *item, uint32_t bytes) {
  const scree__lane *l = own->me->head.row[type].lane + to;
  if (!scree__lane_fits(l, bytes) && is_last(own->tasks)) {
    last_request r = {own, type, to, bytes, item};
    scree__call_on_own_stack(own->me, send_last, &r);
    return;
  }
  scree__send(own->me, type, to, item, bytes);
  scree__asks_leave(own, type, to);
}

/* The request, after its head. */
static inline uint64_t head_of(scree__globals *own, const scree_task *self, scree__global_kind kind, uint32_t owner) {
  return ask(own, self->number, owner) | (uint64_t)kind << SCREE__KIND_SHIFT;
}

static scree_status request(scree__globals *own, scree_task *self, const scree__global_op *op, uint32_t owner,
                            uint64_t offset) {
  const uint32_t at = scree__global_worker_for(own, owner, offset);
  const uint64_t place = sizeof(uint64_t) << SCREE__OFFSET_BITS | offset;
  if (self->number >= own->asked_room && !grow(own, self->number)) return own->me->failure.status;
  if (op->kind == SCREE__GLOBAL_GET) {
    const uint64_t item[2] = {head_of(own, self, SCREE__GLOBAL_GET, owner), place};
    send_request(own, own->of->request[0], at, item, sizeof item);
  } else {
    const uint64_t value = op->local ? scree__word_at(op->local) : op->value;
    const uint64_t item[3] = {head_of(own, self, SCREE__GLOBAL_PUT, owner), place, value};
    send_request(own, own->of->request[1], at, item, sizeof item);
  }
  const scree_status status = wait_for_answer(own, self, op->call);
  if (!status && op->kind == SCREE__GLOBAL_GET) memcpy(op->local, &own->asked[self->number].value, sizeof(uint64_t));
  return status;
}

/* ---- a delegate with a small result ---- */

static scree_status call(scree__globals *own, scree_task *self, const scree__global_op *op, uint32_t owner,
                         uint64_t offset) {
  const struct scree__delegate *d = op->delegate;
  const uint32_t at = scree__global_worker_for(own, owner, offset);
  if (self->number >= own->asked_room && !grow(own, self->number)) return own->me->failure.status;
  const scree__global_request r = {head_of(own, self, SCREE__GLOBAL_CALL, owner) | (uint64_t)(op->local != NULL)
                                                                                       << SCREE__WANT_SHIFT,
                                   op->bytes << SCREE__OFFSET_BITS | offset};
  if (d->args == sizeof(uint64_t))
    scree__send_two(own->me, d->type, at, &r, sizeof r, op->args, sizeof(uint64_t));
  else
    scree__delegate_send(own, op, &r, at);
  scree__asks_leave(own, d->type, at);
  return scree__wait_for_answer(own, self, op->call, op->local, op->local ? d->result : 0);
}

/* ---- of both ---- */

/* Errors are left to the other path, which reports them. */
static inline scree__globals *find(const scree_task *self, const scree__global_op *op, uint32_t *owner,
                                   uint64_t *offset) {
  scree__globals *own = self && scree__home(self)->current == self ? scree__globals_in(scree__home(self)->me) : NULL;
  if (!own || own->me->failed || own->of->world->checked || !op->address) return NULL;
  *owner = scree_global_owner(&own->front.map, op->address);
  *offset = scree_global_offset(&own->front.map, op->address);
  return *owner < own->front.map.ranks && *offset < own->front.map.heap ? own : NULL;
}

/* Inline functions may touch what this worker has found to be reserved. */
static inline void know(scree__globals *own, uint32_t owner) {
  const scree__node_memory *m = &own->of->memory;
  scree__global_near *n = own->front.near ? &own->front.near[owner] : NULL;
  if (!n) return;
  n->part = m->area[owner];
  n->low = AO_load(&m->reserved[owner]->low);
  n->top = AO_load(&m->reserved[owner]->high);
  n->high = m->bytes - n->top;
}

bool scree__wait_for_word(scree_task *self, const scree__global_op *op, scree_status *status) {
  uint32_t owner;
  uint64_t offset;
  scree__globals *own = op->address % sizeof(uint64_t) ? NULL : find(self, op, &owner, &offset);
  if (!own) return false;
  const bool direct = scree__is_direct(own, owner, true);
  if (direct && !scree__node_memory_has(&own->of->memory, owner, offset, sizeof(uint64_t))) return false;
  ++*(op->kind == SCREE__GLOBAL_PUT ? &own->stats.puts : &own->stats.gets);
  own->stats.bytes += sizeof(uint64_t);
  *status = SCREE_OK;
  if (direct) {
    touch(own, op, owner, offset);
    know(own, owner);
  } else {
    *status = request(own, self, op, owner, offset);
  }
  return true;
}

bool scree__wait_for_call(scree_task *self, const scree__global_op *op, scree_status *status) {
  uint32_t owner;
  uint64_t offset;
  scree__globals *own = op->bytes ? find(self, op, &owner, &offset) : NULL;
  if (!own || op->delegate->of != own->of || !scree__delegate_fits(&own->front.map, op)) return false;
  const bool here = scree__global_worker_for(own, owner, offset) == scree__worker_number(own->me);
  if (here ? !scree__node_memory_has(&own->of->memory, owner, offset, op->bytes)
           : op->delegate->result > sizeof(uint64_t))
    return false;
  own->stats.calls++;
  own->stats.bytes += op->bytes;
  if (here)
    scree__delegate_here(own, self, op, offset);
  else
    *status = call(own, self, op, owner, offset);
  if (here) *status = own->me->failed ? own->me->failure.status : SCREE_OK;
  return true;
}
