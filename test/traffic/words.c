/* words.c - words of global memory beside the messages of a program: each epoch has some on every rank, to which
 * workers, handlers and tasks of all ranks add. When a rank leaves the epoch, its words hold what was added to them. */
#include <scree/global.h>
#include <string.h>

#include "traffic.h"

static scree_address word_of(const player *me, uint32_t rank, uint32_t slot) {
  return scree_global_at(me->home->map, &me->home->words, rank, 8 * (me->epoch * SLOTS + slot));
}

/* By its word, so that what was added to another one is noticed. */
static uint64_t weighed(uint64_t value, uint32_t rank, uint32_t slot) {
  return value * (scree__hash(rank * SLOTS + slot) | 1);
}

/* Adds to a word of that rank. self: the task waits; NULL: it is complete when the epoch has ended. */
scree_status add_to_word(player *me, scree_task *self, uint32_t rank, uint64_t value) {
  const uint32_t slot = (uint32_t)(value >> 32) % SLOTS;
  const scree_address at = word_of(me, rank, slot);
  uint64_t before;
  me->account->sum.totals.words++;
  me->account->sum.epoch[me->epoch].added += weighed(value, rank, slot);
  if (self) return scree_atomic_fetch_add(self, at, value, 8, &before);
  scree_atomic_fetch_add_nbi(me->w, at, value, 8, NULL);
  return SCREE_OK;
}

/* By one worker of a rank that has left the epoch. */
void count_words(player *me) {
  for (uint32_t slot = 0; slot < SLOTS; slot++) {
    const uint64_t *word = scree_global_local(me->home->map, word_of(me, me->w->rank, slot));
    me->account->sum.epoch[me->epoch].found += weighed(*word, me->w->rank, slot);
  }
}

scree_status open_words(home *h) {
  scree_global_options options = SCREE_GLOBAL_OPTIONS_INIT;
  options.global_heap = 1 << 16;
  options.global_direct = (traffic_stream(h->p, "direct", 0) >> 16) % 3;
  options.global_outstanding = 1 + (traffic_stream(h->p, "outstanding", 0) >> 16) % 8;
  const size_t bytes = sizeof(uint64_t[MOST_EPOCHS * SLOTS]);
  scree_status status = scree_global_open(h->world, &options);
  if (!status) status = scree_symmetric_alloc(h->world, bytes, &h->words);
  if (status) return status;
  h->map = scree_global_map_of(h->world);
  const scree_address first = scree_global_at(h->map, &h->words, h->player[0].w->rank, 0);
  memset(scree_global_local(h->map, first), 0, bytes); /* others add after the gather of the first type */
  return SCREE_OK;
}
