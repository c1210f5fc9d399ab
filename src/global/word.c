/* word.c - implicit puts and adds of one aligned word of 8 bytes, which programs issue by the million: without a slot, in messages of
 * 16 bytes, which the owner answers by counts. */
#include <string.h>

#include "core/fail.h"
#include "global/operation.h"
#include "task/message.h"

/* ---- issuing ---- */

static void put_word(char *p, uint64_t value) {
  scree__store(p, &value, sizeof value);
}
static void add_word(char *p, uint64_t value) {
  scree__atomic(p, SCREE__GLOBAL_ADD, sizeof value, value, 0);
}

static uint64_t value_of(const scree__global_op *op) {
  uint64_t value = op->value;
  if (op->kind == SCREE__GLOBAL_PUT && op->local) memcpy(&value, op->local, sizeof value);
  return value;
}

/* Words leave, and answers that others wait for, each time that a quarter of those that may be under way has been sent: else all of them
 * would wait in one block, and then this worker for all answers. */
static void keep_moving(scree__globals *own) {
  scree__worker *me = own->me;
  if (++own->unflushed < own->outstanding_max / 4 || me->in.handler) return;
  own->unflushed = 0;
  scree_flush(&me->head, SCREE_ALL);
  if (!me->on_own_stack) scree_progress(&me->head);
}

static bool send_word(scree__globals *own, bool put, uint32_t owner, uint64_t offset, uint64_t value) {
  keep_moving(own);
  if (!scree__wait_for_fewer(own)) return false;
  scree__waiter *w = scree__implicit_of(own, true);
  if (!w) return false;
  const uint64_t who = (uint64_t)w->generation << 16 | w->index;
  const scree__global_word item = {who << SCREE__OFFSET_BITS | offset, value};
  own->stats.words++;
  own->outstanding++;
  w->left++;
  scree__send(own->me, put ? own->of->word_put : own->of->word_add, scree__global_worker_for(own, owner, offset), &item,
              sizeof item);
  return !own->me->failed;
}

/* What is wrong is left to the other path, which says so. */
bool scree__implicit_word(scree__globals *own, const scree__global_op *op) {
  const scree_global_map *map = &own->of->map;
  const bool put = op->kind == SCREE__GLOBAL_PUT, add = op->kind == SCREE__GLOBAL_ADD && !op->local;
  if (scree__global_is_checked(own, op) || !(put || add) || op->bytes != 8 || op->address % 8 || !op->address)
    return false;
  const uint32_t owner = scree_global_owner(map, op->address);
  const uint64_t offset = scree_global_offset(map, op->address);
  if (owner >= map->ranks || offset >= map->heap) return false;
  const bool direct = scree__is_direct(own, owner, false);
  if (direct && !scree__node_memory_has(&own->of->memory, owner, offset, sizeof op->value)) return false;
  ++*(put ? &own->stats.puts : &own->stats.atomics);
  own->stats.bytes += sizeof op->value;
  if (!direct) return send_word(own, put, owner, offset, value_of(op));
  ++*(owner == own->me->head.rank ? &own->stats.local : &own->stats.direct);
  (put ? put_word : add_word)(own->of->memory.area[owner] + offset, value_of(op));
  return true;
}

/* ---- at the owner ---- */

static void words_done(scree__globals *own, const scree_batch *batch, uint64_t who, uint64_t count) {
  const uint64_t item = who << SCREE__OFFSET_BITS | count;
  if (count) scree__send(own->me, own->of->words_done, scree__sender(own->me, batch), &item, sizeof item);
}

/* Those of one task that follow one another are answered together. */
static void on_words(scree_worker *worker, const scree_batch *batch, const scree__global_word *item,
                     void (*touch)(char *p, uint64_t value)) {
  scree__globals *own = scree__globals_of(scree__worker_of(worker));
  uint64_t who = 0, count = 0;
  for (uint32_t i = 0; i < batch->count && !own->me->failed; i++) {
    const uint64_t offset = item[i].place & (SCREE_GLOBAL_HEAP_MAX - 1), from = item[i].place >> SCREE__OFFSET_BITS;
    scree__global_prefetch(own, (const char *)&item[scree_batch_ahead(batch, i, SCREE__AHEAD)].place);
    char *p = scree__global_find(own, batch, offset, sizeof item->value);
    if (!p) return;
    touch(p, item[i].value);
    if (from != who) {
      words_done(own, batch, who, count);
      who = from;
      count = 0;
    }
    count++;
  }
  words_done(own, batch, who, count);
}

void scree__on_word_put(scree_worker *worker, const scree_batch *batch, const void *items, void *unused) {
  (void)unused;
  on_words(worker, batch, items, put_word);
}

void scree__on_word_add(scree_worker *worker, const scree_batch *batch, const void *items, void *unused) {
  (void)unused;
  on_words(worker, batch, items, add_word);
}

/* ---- at the sender ---- */

/* So many words of one record: generation, record, count. */
void scree__on_words_done(scree_worker *worker, const scree_batch *batch, const void *items, void *unused) {
  scree__globals *own = scree__globals_of(scree__worker_of(worker));
  const uint64_t *item = items;
  (void)unused;
  for (uint32_t i = 0; i < batch->count && !own->me->failed; i++) {
    const uint64_t who = item[i] >> SCREE__OFFSET_BITS, index = who & UINT16_MAX, count = item[i] & UINT32_MAX;
    scree__waiter *w = index < own->record_room ? own->record[index] : NULL;
    if (!w || w->generation != who >> 16 || w->left < count) {
      scree__global_stale(own, batch, item[i]);
      return;
    }
    scree__outstanding_less(own, count);
    w->left -= count - 1;
    scree__waiter_release(own, w);
  }
}
