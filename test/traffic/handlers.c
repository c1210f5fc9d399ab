/* handlers.c - how messages are handled, compared with what they should be, and counted. */
#include <stdio.h>

#include "kinds.h"

static bool is_member(const player *me, uint32_t worker) {
  const program *p = me->home->p;
  return worker < p->epoch[me->epoch].takers || (has_progress(p) && !p->epoch[me->epoch].alone && worker == p->threads);
}

static bool has_source(const scree_batch *batch) {
  return batch->source != SCREE_NO_SOURCE;
}

static void check_batch(player *me, const live_type *t, const scree_batch *batch) {
  const drawn_type *type = type_of(t);
  const bool nobody = !has_source(batch) && batch->worker == SCREE_NO_SOURCE && type->flags & SCREE_ANY_SOURCE;
  if (!nobody && (batch->source >= me->w->ranks || !is_member(me, batch->worker) || batch->worker >= me->w->indices ||
                  scree_worker_number(me->w, batch->source, batch->worker) / me->w->threads != batch->source))
    flaw(me, "a batch of type %u comes from worker %u of rank %u", t->index, batch->worker, batch->source);
  if (type->flags & SCREE_SERIAL && me->w->index) flaw(me, "worker %u handles a serial type", me->w->index);
  if (me->w->index == me->w->threads &&
      (type->flags & (SCREE_SERIAL | SCREE_TO_WORKER) || !is_member(me, me->w->index)))
    flaw(me, "the progress thread handles a type with flags %u", type->flags);
  if (batch->count == 0 || batch->count > scree_options_of(me->home->world)->batch_max)
    flaw(me, "a batch has %u items", batch->count);
  if (type->flags & SCREE_URGENT) me->account->sum.totals.urgent += batch->count;
}

uint64_t take_bytes(player *me, const live_type *t, uint64_t start, const unsigned char *item, size_t n) {
  const uint64_t hash = hash_bytes(start, item, n);
  epoch_sums *e = &me->account->sum.epoch[me->epoch];
  note_in_ledger(me, t, hash, true);
  e->handled++;
  e->handled_hash += hash;
  count_handled(me, t->index, hash);
  return hash;
}

static void take_item(player *me, live_type *t, uint64_t start, const unsigned char *item, size_t n) {
  const uint64_t hash = take_bytes(me, t, start, item, n);
  if (type_of(t)->kind->family == TEXT && (uintptr_t)item % 8) flaw(me, "a record is not aligned");
  if (n < 2 || !(item[0] & DEPTH)) return;
  if (n > LONG && me->home->p->echo) me->like = t, me->like_size = n;
  answer_or_postpone(me, item[0] & DEPTH, hash);
  me->like = NULL;
  if (hash_bytes(start, item, n) != hash) flaw(me, "a message of type %u changed while it was handled", t->index);
}

/* Each message that the item stands for is answered, as if it had come by itself; but few of many. */
static void take_sum(player *me, const live_type *t, const scree_batch *batch, const sum_item *s) {
  epoch_sums *e = &me->account->sum.epoch[me->epoch];
  if (s->wrong || s->place != place_of(t, me->epoch, me->w->rank, me->w->index, s->key) ||
      (has_source(batch) && !(type_of(t)->flags & SCREE_ANY_SOURCE) &&
       (s->mixed || s->from != batch->source || s->worker != batch->worker)))
    flaw(me, "an item of type %u holds what it may not", t->index);
  e->handled += s->count;
  e->handled_hash += s->hash;
  me->account->sum.saved[t->index]--;
  count_handled(me, t->index, s->hash);
  for (uint32_t i = 0; s->depth && i < s->count && i < 8; i++) answer_or_postpone(me, s->depth, s->hash + i);
}

static void take_high(player *me, const live_type *t, const scree_batch *batch, const high_item *h) {
  if (h->seal != seal_of(h) || h->place != place_of(t, me->epoch, me->w->rank, me->w->index, h->key) ||
      (has_source(batch) && (h->from != batch->source || h->worker != batch->worker))) {
    flaw(me, "an item of type %u is damaged", t->index);
    return;
  }
  uint64_t *highest = slot_of(me->account->max.high_handled[me->epoch], t, me->w->rank, h->key);
  if (h->value > *highest) *highest = h->value;
  me->account->sum.saved[t->index]--;
  count_handled(me, t->index, h->seal);
  if (h->depth) answer_or_postpone(me, h->depth, h->seal);
}

static uint64_t sort_key(const void *item) {
  uint64_t key;
  memcpy(&key, item, sizeof key);
  return key;
}
static uint64_t sort_key_of_byte(const void *item) {
  return *(const unsigned char *)item;
}

/* In order; and stable: one worker's messages are in a block as it has sent them, unless they come by a route. Their
 * second word is a number; what handlers send overtakes. */
static void check_order(player *me, const live_type *t, const unsigned char *items, uint32_t count, size_t n) {
  uint64_t (*key)(const void *) = n < 8 ? sort_key_of_byte : sort_key;
  me->account->sum.totals.sorted += count > 24; /* by another algorithm than few */
  for (uint32_t i = 1; i < count; i++) {
    const unsigned char *one = items + i * n, *last = one - n;
    uint64_t number[2] = {0, 0};
    if (key(last) > key(one)) flaw(me, "a batch of type %u is not sorted", t->index);
    if (n < 16 || (one[0] | last[0]) & BY_HANDLER) continue;
    memcpy(&number[0], last + 8, 8);
    memcpy(&number[1], one + 8, 8);
    me->account->sum.totals.swapped += number[0] > number[1];
    if (!(type_of(t)->kind->flags & SCREE_ROUTED) && key(last) == key(one) && number[0] >= number[1])
      flaw(me, "messages of type %u with equal keys have changed their order", t->index);
  }
}

static void on_batch(scree_worker *w, const scree_batch *batch, const void *items, void *arg) {
  live_type *t = arg;
  const kind *k = type_of(t)->kind;
  player *me = player_of(t->home, w);
  const unsigned char *item = items;
  const uint64_t start = hash_start(t, me->epoch, w->rank, w->index, batch->source, batch->worker);
  if (me->in_handler) flaw(me, "a handler runs inside another one");
  me->in_handler = true;
  check_batch(me, t, batch);
  if (type_of(t)->sorted) check_order(me, t, items, batch->count, k->size);
  for (uint32_t i = 0; i < batch->count; i++, item += k->size) {
    size_t n = k->size;
    const void *record = k->family == TEXT ? scree_record_next(&items, &n) : item;
    if (k->family <= TEXT)
      take_item(me, t, start, record, n);
    else if (k->family == SUMMED)
      take_sum(me, t, batch, record);
    else
      take_high(me, t, batch, record);
  }
  me->in_handler = false;
}

scree_status register_type(live_type *t) {
  const drawn_type *d = type_of(t);
  char name[16];
  snprintf(name, sizeof name, "%s %u", d->kind->name, t->index);
  if (d->kind->family == TASK || d->kind->family == LOOP) return register_tasks(t);
  const scree_type_desc desc = {.size = sizeof desc,
                                .name = name,
                                .item = d->kind->size,
                                .flags = d->flags | d->kind->flags,
                                .fn = on_batch,
                                .arg = t,
                                .sort = !d->sorted          ? NULL
                                        : d->kind->size < 8 ? sort_key_of_byte
                                                            : sort_key,
                                .reduction = d->kind->reduction()};
  const scree_status status = scree_register(t->home->world, &desc, &t->id);
  t->is_there = status == SCREE_OK;
  return status;
}
