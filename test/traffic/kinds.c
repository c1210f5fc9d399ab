/* kinds.c - the kinds of messages: their items, how these are sent, and what is hashed of them. */
#include <scree/task_loop.h>

#include "kinds.h"

/* ---- items ---- */

static inline void add_up(sum_item *kept, const sum_item *item) {
  kept->wrong |= item->wrong || kept->key != item->key || kept->place != item->place;
  kept->mixed |= item->mixed || kept->from != item->from || kept->worker != item->worker;
  kept->count += item->count;
  kept->hash += item->hash;
  if (item->depth > kept->depth) kept->depth = item->depth;
}
#define KEY_OF(item)         ((item)->key)
#define LOWNESS(item)        (~(item)->value)
#define NONE(item)           0u
#define ADDS_UP(name, T)     SCREE_MESSAGE_REDUCED(name, T, KEY_OF, add_up)
#define HAS_HIGHEST(name, T) SCREE_MESSAGE_FILTERED(name, T, KEY_OF, LOWNESS)
#define HAS_FIRST(name, T)   SCREE_MESSAGE_FILTERED(name, T, KEY_OF, NONE)

/* ---- the table. To add a kind: a line in one of these lists. X(name, what defines it, how it is tried at once)
 * ---- */

/* Of random bytes: X(name, bytes, what defines it). The first three are small. */
#define OF_BYTES(X)                                                                                                    \
  X(note, 16, SCREE_MESSAGE_ROUTED)                                                                                    \
  X(plain, 16, SCREE_MESSAGE)                                                                                          \
  X(word, 8, SCREE_MESSAGE_ROUTED)                                                                                     \
  X(byte, 1, SCREE_MESSAGE_ROUTED)                                                                                     \
  X(half, 4, SCREE_MESSAGE_ROUTED)                                                                                     \
  X(twelve, 12, SCREE_MESSAGE_ROUTED)                                                                                  \
  X(odd, 13, SCREE_MESSAGE)                                                                                            \
  X(twenty, 20, SCREE_MESSAGE_ROUTED)                                                                                  \
  X(wide, 72, SCREE_MESSAGE_ROUTED)                                                                                    \
  X(page, 4000, SCREE_MESSAGE_ROUTED)                                                                                  \
  X(largest, SCREE_ITEM_MAX, SCREE_MESSAGE)
_Static_assert(sizeof(sum_item) <= 40, "16 entries are legal: draw.c");
/* That are reduced, the last ones of the table: X(name, item, what defines it, family). */
#define REDUCED(X)                                                                                                     \
  X(tally, sum_item, ADDS_UP, SUMMED)                                                                                  \
  X(high, high_item, HAS_HIGHEST, HIGHEST)                                                                             \
  X(first, high_item, HAS_FIRST, FIRST)

#define ITEM(name, bytes, message)                                                                                     \
  typedef struct {                                                                                                     \
    unsigned char byte[bytes];                                                                                         \
  } name##_item;                                                                                                       \
  message(name, name##_item);                                                                                          \
  static void name##_by_number(scree_worker *w, name##_type t, uint32_t dest, name##_item item) {                      \
    scree_send(w, t.id, dest, &item);                                                                                  \
  }                                                                                                                    \
  static bool name##_try_by_number(scree_worker *w, name##_type t, uint32_t dest, name##_item item) {                  \
    return scree_try_send(w, t.id, dest, &item);                                                                       \
  }
OF_BYTES(ITEM)
#define DEFINE(name, T, message, family) message(name, T);
REDUCED(DEFINE)
SCREE_VARIABLE(text);

#define OUT_BY(name, T, once)                                                                                          \
  static bool name##_out(scree_worker *w, uint32_t id, uint32_t dest, const void *bytes, size_t size, way how) {       \
    const name##_type t = {id};                                                                                        \
    T item;                                                                                                            \
    (void)size;                                                                                                        \
    memcpy(&item, bytes, sizeof item);                                                                                 \
    if (how == TRY) return name##_try_send(w, t, dest, item);                                                          \
    if (how == TRY_ONCE) return name##_try_##once(w, t, dest, item);                                                   \
    if (how == TO_ALL)                                                                                                 \
      name##_send_all(w, t, item);                                                                                     \
    else if (how == SEND_ONCE)                                                                                         \
      name##_##once(w, t, dest, item);                                                                                 \
    else                                                                                                               \
      name##_send(w, t, dest, item);                                                                                   \
    return true;                                                                                                       \
  }
#define OUT_OF_BYTES(name, bytes, message)    OUT_BY(name, name##_item, by_number)
#define OUT_REDUCED(name, T, message, family) OUT_BY(name, T, send_at_once)
OF_BYTES(OUT_OF_BYTES)
REDUCED(OUT_REDUCED)

static bool text_out(scree_worker *w, uint32_t id, uint32_t dest, const void *bytes, size_t size, way how) {
  const text_type t = {id};
  if (how == TRY || how == TRY_ONCE) return text_try_send(w, t, dest, bytes, size);
  if (how == SEND_ONCE)
    scree_send_bytes(w, id, dest, bytes, size);
  else
    text_send(w, t, dest, bytes, size);
  return true;
}
static const scree__reduction *no_reduction(void) {
  return NULL;
}

const kind traffic_kinds[] = {
#define ROW_OF_BYTES(name, bytes, message)    {#name, FIXED, bytes, name##_flags, name##__reduction, name##_out},
#define ROW_REDUCED(name, T, message, family) {#name, family, sizeof(T), name##_flags, name##__reduction, name##_out},
    OF_BYTES(ROW_OF_BYTES){"text", TEXT, 0, 0, no_reduction, text_out},
    REDUCED(ROW_REDUCED){"task", TASK, 24, 0, no_reduction, NULL},
    {"large task", TASK, SCREE_TASK_ARGS_MAX, 0, no_reduction, NULL},
    {"loop", LOOP, 24, 0, no_reduction, NULL},
    {"large loop", LOOP, SCREE_LOOP_ARGS_MAX, 0, no_reduction, NULL}};
const uint32_t traffic_kind_count = sizeof traffic_kinds / sizeof *traffic_kinds - 4;

/* ---- hashes ---- */

/* The destination of a message, and its source, unless its handler does not get that. */
uint64_t hash_start(const live_type *t, uint32_t epoch, uint32_t rank, uint32_t worker, uint32_t source, uint32_t by) {
  const drawn_type *type = type_of(t);
  const uint64_t to = type->flags & SCREE_TO_WORKER ? worker : 0;
  const uint64_t from = type->flags & SCREE_ANY_SOURCE ? 0 : 1 + (uint64_t)source * (MOST_THREADS + 1) + by;
  return t->home->p->epoch[epoch].key + (rank + to * MOST_RANKS) * UINT64_C(0xd6e8feb86659fd93) +
         from * UINT64_C(0x9fb21c651e98df25) + t->index * UINT64_C(0xa0761d6478bd642f);
}

uint64_t hash_bytes(uint64_t h, const void *from, size_t n) {
  const char *bytes = from;
  uint64_t word = 0;
  h += n;
  for (; n >= 8; n -= 8, bytes += 8) {
    memcpy(&word, bytes, 8);
    h = (h ^ word) * UINT64_C(0xe7037ed1a0b428db);
    h ^= h >> 32;
  }
  word = 0;
  memcpy(&word, bytes, n);
  return scree__hash(h ^ word);
}

uint64_t place_of(const live_type *t, uint32_t epoch, uint32_t rank, uint32_t worker, uint64_t key) {
  const uint64_t to = type_of(t)->flags & SCREE_TO_WORKER ? worker : 0;
  return scree__hash(t->home->p->epoch[epoch].key + rank + to * MOST_RANKS + t->index * UINT64_C(0x10001) +
                     (key << 20));
}

uint64_t seal_of(const high_item *h) {
  return hash_bytes(h->key + ((uint64_t)h->from << 32) + h->worker + ((uint64_t)h->depth << 16), h,
                    offsetof(high_item, seal));
}

uint64_t *slot_of(uint64_t table[MOST_RANKS][SLOTS], const live_type *t, uint32_t rank, uint32_t key) {
  return &table[rank][(key + t->index * 5) % SLOTS];
}

void note_in_ledger(player *me, const live_type *t, uint64_t hash, bool handled) {
  if (me->home->driver->enter) me->home->driver->enter(me, t->index, hash, handled);
}
