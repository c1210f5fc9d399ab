/* kinds.h - what senders and handlers of messages both know: items, and what is hashed. */
#ifndef KINDS_H
#define KINDS_H
#include <string.h>

#include "traffic.h"

/* The first byte of an item of two or more: generations that follow, whether a handler has sent it, random bits. */
enum { DEPTH = 7, BY_HANDLER = 8, LONG = 4096 /* records of more bytes */ };

/* Items are random bytes, or what adds up, or what has a highest value. */
typedef struct {
  uint64_t key, place, hash; /* place: of the epoch, the destination and the key; hash: of its messages, a sum */
  uint32_t count, from;      /* count: of them */
  uint8_t worker, depth, mixed, wrong; /* the largest depth; of several senders; combined with what it may not be */
} sum_item;

typedef struct {
  uint64_t place, value, random, seal;
  uint32_t key, from;
  uint8_t worker, depth;
} high_item;

static inline const drawn_type *type_of(const live_type *t) {
  return &t->home->p->type[t->index];
}

uint64_t place_of(const live_type *t, uint32_t epoch, uint32_t rank, uint32_t worker, uint64_t key);
uint64_t seal_of(const high_item *h);
/* The highest value of a key. */
uint64_t *slot_of(uint64_t table[MOST_RANKS][SLOTS], const live_type *t, uint32_t rank, uint32_t key);
/* In the ledger of single messages, where there is one. */
void note_in_ledger(player *me, const live_type *t, uint64_t hash, bool handled);
#endif
