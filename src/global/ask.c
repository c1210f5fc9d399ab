/* ask.c - operations for which a task waits and whose result is at most a word: one request, for which the task itself stands. It is named
 * by its number and a generation, so there is neither a slot nor a waiter, and what the reply brings lies in a dense table until the
 * task runs. A get of one word, which programs do by the million, is all here. */
#include <atomic_ops.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "global/operation.h"
#include "task/message.h"

static bool grow(scree__globals *own) {
  const uint32_t room = own->tasks->table_room;
  scree__asked *more = room < SCREE__NO_SLOT ? realloc(own->asked, room * sizeof *more) : NULL;
  if (!more) {
    scree__fail(own->me, SCREE_ENOMEM, "global memory", "no memory for %u tasks that wait: free memory on this host",
                room);
    return false;
  }
  own->asked = more;
  for (; own->asked_room < room; own->asked_room++) more[own->asked_room] = (scree__asked){0};
  return true;
}

static uint64_t ask(scree__globals *own, uint32_t number, uint32_t owner) {
  scree__asked *asked = &own->asked[number];
  asked->generation++;
  asked->owner = owner;
  own->stats.requests++;
  return (uint64_t)asked->generation << 32 | SCREE__ASKED | number;
}

uint64_t scree__ask(scree__globals *own, uint32_t owner) {
  const uint32_t number = own->tasks->current->number;
  return number < own->asked_room || grow(own) ? ask(own, number, owner) : 0;
}

bool scree__answered(scree__globals *own, const scree_batch *batch, uint64_t head, uint64_t value) {
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

/* The tasks of later ones are prefetched. */
void scree__take_words(scree__globals *own, const scree_batch *batch, const uint64_t *items) {
  scree_task *const *table = own->tasks->table;
  for (uint32_t i = 0; i < batch->count && !own->me->failed; i++) {
    const uint64_t head = items[2 * i], word = items[2 * i + 1];
    const uint32_t ahead = items[2 * scree_batch_ahead(batch, i, SCREE__AHEAD)] & SCREE__NO_SLOT;
    if (ahead < own->asked_room) __builtin_prefetch(table[ahead], 1);
    if (head & SCREE__ASKED ? !scree__answered(own, batch, head, word)
                            : !scree__take_reply(own, batch, head, (const char *)&items[2 * i + 1]))
      return;
  }
}

/* ---- one word is read ---- */

/* As in operation.c: later reads and writes stay behind it. */
static scree_status get_directly(scree__globals *own, void *to, uint32_t owner, uint64_t offset) {
  AO_nop_read();
  AO_nop_write();
  const uint64_t word = AO_load((const volatile AO_t *)(const void *)(own->of->memory.area[owner] + offset));
  memcpy(to, &word, sizeof word);
  AO_nop_read();
  ++*(owner == own->me->head.rank ? &own->stats.local : &own->stats.direct);
  return SCREE_OK;
}

scree_status scree__wait_for_answer(scree__globals *own, scree_task *self, const char *call, void *to, uint64_t bytes) {
  scree_status status = own->me->failed ? own->me->failure.status : SCREE_OK;
  if (!status && own->asked[self->number].generation % 2) status = scree__task_sleep(self, SCREE__TASK_WAITS, call);
  if (status) return status;
  own->stats.answered++;
  own->stats.wait_ns += own->tasks->now - self->since;
  if (bytes) memcpy(to, &own->asked[self->number].value, bytes);
  return SCREE_OK;
}

/* Requests leave as soon as there are many, so that the owner is at them while further tasks ask. */
static scree_status get_by_request(scree__globals *own, scree_task *self, void *to, uint32_t owner, uint64_t offset) {
  enum { MANY = 512 };
  const uint32_t number = self->number, at = scree__global_worker_for(own, owner, offset);
  if (number >= own->asked_room && !grow(own)) return own->me->failure.status;
  const scree__global_request r = {ask(own, number, owner), sizeof(uint64_t) << SCREE__OFFSET_BITS | offset};
  scree__send(own->me, own->of->request[0], at, &r, sizeof r);
  if (own->stats.requests % MANY == 0) scree_flush_lane(&own->me->head, own->of->request[0], at);
  return scree__wait_for_answer(own, self, "scree_get", to, sizeof(uint64_t));
}

/* What is wrong is left to the other path, which says so. */
bool scree__get_word(scree_task *self, const scree__global_op *op, scree_status *status) {
  scree__globals *own = self && scree__home(self)->current == self ? scree__globals_in(scree__home(self)->me) : NULL;
  const scree_address a = op->address;
  if (!own || own->me->failed || own->of->world->checked || !a || a % sizeof(uint64_t)) return false;
  const scree_global_map *map = &own->front.map;
  const uint32_t owner = scree_global_owner(map, a);
  const uint64_t offset = scree_global_offset(map, a);
  if (owner >= map->ranks || offset >= map->heap) return false;
  const bool direct = scree__is_direct(own, owner, true);
  if (direct && !scree__node_memory_has(&own->of->memory, owner, offset, sizeof(uint64_t))) return false;
  own->stats.gets++;
  own->stats.bytes += sizeof(uint64_t);
  *status = direct ? get_directly(own, op->local, owner, offset) : get_by_request(own, self, op->local, owner, offset);
  return true;
}
