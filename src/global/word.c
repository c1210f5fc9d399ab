/* word.c - implicit operations on one aligned word of 8 bytes, which programs issue by the million: without a slot, in
 * messages of 16 bytes, which the owner answers by counts. Their sender is inline (scree/global/word.h), and uses
 * credits, which the record of the task counts when they are granted: one addition for many words. They take no memory
 * here except their messages, so they are bounded as messages are, not by global_outstanding. */
#include <string.h>

#include "core/fail.h"
#include "global/operation.h"
#include "task/message.h"

/* ---- credits ---- */

static scree_global_stats with_words(const scree__globals *own) {
  scree_global_stats s = own->stats;
  const uint64_t used = own->granted - own->front.credit;
  const uint64_t words = used - own->front.calls; /* delegates have been counted when they were issued */
  s.words += used;
  s.bytes += words * sizeof(uint64_t);
  s.puts += own->front.puts;
  s.atomics += words - own->front.puts;
  return s;
}

scree_global_stats scree__global_stats_of(const scree__globals *own) {
  scree_global_stats s = with_words(own);
  for (uint32_t r = 0; own->front.near && r < own->front.map.ranks; r++) {
    const scree__global_near *n = &own->front.near[r];
    s.gets += n->gets;
    s.puts += n->puts;
    s.bytes += (n->gets + n->puts) * sizeof(uint64_t);
    *(r == own->me->head.rank ? &s.local : &s.direct) += n->gets + n->puts;
  }
  return s;
}

void scree__words_drop(scree__globals *own) {
  own->stats = with_words(own);
  own->granted = own->front.credit = own->front.puts = own->front.calls = 0;
  own->granted_to = NULL;
}

void scree__words_settle(scree__globals *own) {
  scree__waiter *w = own->granted_to;
  const uint64_t unused = own->front.credit;
  scree__words_drop(own);
  if (!unused) return; /* then all may be answered, and the record free */
  SCREE__INVARIANT(w && w->left >= unused && own->record[w->index] == w);
  w->left -= unused;
  w->left++;
  scree__waiter_release(own, w);
}

/* To the task that runs, or the worker's own stack. */
static bool grant(scree__globals *own) {
  enum { CREDITS = 256 };
  scree__words_settle(own);
  scree__waiter *w = scree__implicit_of(own, true);
  if (!w) return false;
  w->left += CREDITS;
  own->granted_to = w;
  own->granted = own->front.credit = CREDITS;
  own->front.task = own->tasks->current;
  own->front.seen = own->tasks->serial;
  own->front.who = ((uint64_t)w->generation << 16 | w->index) << SCREE__OFFSET_BITS;
  return true;
}

/* ---- issuing ---- */

/* Errors are left to the other path, which reports them, and so is direct access by global_direct=on. */
bool scree__implicit_word(scree__globals *own, const scree__global_op *op) {
  const scree_global_map *map = &own->of->map;
  const bool put = op->kind == SCREE__GLOBAL_PUT,
             is_word = op->kind >= SCREE__GLOBAL_PUT && op->kind <= SCREE__GLOBAL_XOR;
  if (!is_word || scree__global_is_checked(own, op) || op->bytes != 8 || op->address % 8 || !op->address) return false;
  if (!put && op->local) return false;
  const uint32_t owner = scree_global_owner(map, op->address);
  if (owner >= map->ranks || scree_global_offset(map, op->address) >= map->heap) return false;
  if (own->of->options.global_direct == SCREE_GLOBAL_DIRECT_ON && own->of->memory.area[owner]) return false;
  if (!grant(own)) return false;
  const uint64_t value = put && op->local ? scree__word_at(op->local) : op->value;
  scree__word_nbi(&own->me->head, op->kind, op->address, value);
  return true;
}

/* With global_direct=on credits would let words go by messages. */
bool scree__implicit_call(scree__globals *own, const scree__global_op *op) {
  scree__global_front *f = &own->front;
  const scree_global_map *map = &f->map;
  if (!op->delegate || op->delegate->of != own->of || !op->address || !op->bytes) return false;
  const uint32_t owner = scree_global_owner(map, op->address);
  const uint64_t offset = scree_global_offset(map, op->address);
  if (scree__global_is_checked(own, op) || own->of->options.global_direct == SCREE_GLOBAL_DIRECT_ON) return false;
  if (owner >= map->ranks || offset >= map->heap || !scree__delegate_fits(map, op)) return false;
  if ((!f->credit || *f->current != f->task || *f->serial != f->seen) && !grant(own)) return false;
  f->credit--;
  f->calls++;
  own->stats.calls++;
  own->stats.bytes += op->bytes;
  const scree__global_request r = {.head = f->who >> SCREE__OFFSET_BITS | SCREE__COUNTED |
                                           (uint64_t)SCREE__GLOBAL_CALL << SCREE__KIND_SHIFT,
                                   .place = op->bytes << SCREE__OFFSET_BITS | offset};
  scree__delegate_send(own, op, &r, scree__word_worker(f, owner, offset));
  return true;
}

/* ---- at the sender ---- */

/* So many words of one record: generation, record, count. False: there is no such record, and the world fails. */
static bool take_done(scree__globals *own, const scree_batch *batch, uint64_t item) {
  const uint64_t who = item >> SCREE__OFFSET_BITS, index = who & UINT16_MAX, count = item & UINT32_MAX;
  scree__waiter *w = index < own->record_room ? own->record[index] : NULL;
  if (!w || w->generation != who >> 16 || w->left < count) {
    scree__global_stale(own, batch, item);
    return false;
  }
  w->left -= count - 1;
  scree__waiter_release(own, w);
  return true;
}

void scree__on_words_done(scree_worker *worker, const scree_batch *batch, const void *items, void *unused) {
  scree__globals *own = scree__globals_of(scree__worker_of(worker));
  const uint64_t *item = items;
  (void)unused;
  for (uint32_t i = 0; i < batch->count && !own->me->failed; i++)
    if (!take_done(own, batch, item[i])) return;
}

/* ---- at the owner ---- */

/* Its own words need no message. */
void scree__words_done(scree__globals *own, const scree_batch *batch, uint64_t who, uint64_t count) {
  const uint64_t item = who << SCREE__OFFSET_BITS | count;
  if (!count) return;
  if (batch->source == own->me->head.rank && batch->worker == own->me->head.index)
    take_done(own, batch, item);
  else
    scree__send(own->me, own->of->words_done, scree__sender(own->me, batch), &item, sizeof item);
}

/* Where no other thread accesses this rank's part it needs no atomics. */
static inline __attribute__((always_inline)) void apply(char *p, scree__global_kind kind, uint64_t value, bool alone) {
  volatile AO_t *word = (volatile AO_t *)(void *)p;
  if (kind == SCREE__GLOBAL_PUT)
    AO_store(word, value);
  else if (!alone)
    scree__atomic(p, kind, sizeof value, value, 0);
  else
    AO_store(word, kind == SCREE__GLOBAL_ADD   ? AO_load(word) + value
                   : kind == SCREE__GLOBAL_AND ? AO_load(word) & value
                   : kind == SCREE__GLOBAL_OR  ? AO_load(word) | value
                                               : AO_load(word) ^ value);
}

/* Those of one task that follow one another are answered together. */
static inline __attribute__((always_inline)) void serve(scree__globals *own, const scree_batch *batch,
                                                        const scree__global_word *item, scree__global_kind kind,
                                                        bool alone) {
  const scree__node_reserved *mine = own->of->memory.reserved[own->me->head.rank];
  const uint64_t within = SCREE_GLOBAL_HEAP_MAX - 1, bytes = own->of->memory.bytes, word = sizeof item->value;
  const uint64_t low = AO_load(&mine->low), high = bytes - AO_load(&mine->high);
  const uint32_t count = batch->count;
  char *part = own->of->memory.area[own->me->head.rank];
  uint64_t who = item->place >> SCREE__OFFSET_BITS;
  uint32_t first = 0, i = 0;
  for (; i < count; i++) {
    const uint64_t place = item[i].place, offset = place & within;
    scree_prefetch_write(part + (item[i + SCREE__AHEAD < count ? i + SCREE__AHEAD : i].place & within));
    if (offset + word > low && (offset < high || offset + word > bytes)) {
      scree__global_outside(own, batch, offset, word); /* what was exported has no words without a request */
      return;
    }
    apply(part + offset, kind, item[i].value, alone);
    if (place >> SCREE__OFFSET_BITS == who) continue;
    scree__words_done(own, batch, who, i - first);
    who = place >> SCREE__OFFSET_BITS;
    first = i;
  }
  scree__words_done(own, batch, who, count - first);
}

#define SERVE(KIND)                                                                                                    \
  case KIND:                                                                                                           \
    if (own->alone)                                                                                                    \
      serve(own, batch, items, KIND, true);                                                                            \
    else                                                                                                               \
      serve(own, batch, items, KIND, false);                                                                           \
    return

void scree__on_words(scree_worker *worker, const scree_batch *batch, const void *items, void *kind) {
  scree__globals *own = scree__globals_of(scree__worker_of(worker));
  if (own->me->failed) return;
  switch ((scree__global_kind)(uintptr_t)kind) {
    SERVE(SCREE__GLOBAL_PUT);
    SERVE(SCREE__GLOBAL_ADD);
    SERVE(SCREE__GLOBAL_AND);
    SERVE(SCREE__GLOBAL_OR);
    SERVE(SCREE__GLOBAL_XOR);
  default:
    return;
  }
}
