/* kinds.c - the kinds of messages: how their items are made, sent, handled and hashed. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "traffic.h"

enum { SPAWNED_MAX = 32 << 20 }; /* bytes that a worker's handlers send in an epoch: overflow holds no more */

/* The first byte of an item of two or more: generations that follow, whether a handler has sent it, random bits. */
enum { DEPTH = 7, BY_HANDLER = 8, LONG = 4096 /* records of more bytes */ };

/* ---- items: random bytes, or what adds up, or what has a highest value ---- */

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
    {"large task", TASK, SCREE_TASK_ARGS_MAX, 0, no_reduction, NULL}};
const uint32_t traffic_kind_count = sizeof traffic_kinds / sizeof *traffic_kinds - 2;

/* ---- hashes ---- */

static const drawn_type *type_of(const live_type *t) {
  return &t->home->p->type[t->index];
}

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

static uint64_t place_of(const live_type *t, uint32_t epoch, uint32_t rank, uint32_t worker, uint64_t key) {
  const uint64_t to = type_of(t)->flags & SCREE_TO_WORKER ? worker : 0;
  return scree__hash(t->home->p->epoch[epoch].key + rank + to * MOST_RANKS + t->index * UINT64_C(0x10001) +
                     (key << 20));
}

static uint64_t seal_of(const high_item *h) {
  return hash_bytes(h->key + ((uint64_t)h->from << 32) + h->worker + ((uint64_t)h->depth << 16), h,
                    offsetof(high_item, seal));
}

static void enter(player *me, const live_type *t, uint64_t hash, bool handled) {
  if (me->home->driver->enter) me->home->driver->enter(me, t->index, hash, handled);
}

/* ---- handling ---- */

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
  enter(me, t, hash, true);
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

static uint64_t *slot_of(uint64_t table[MOST_RANKS][SLOTS], const live_type *t, uint32_t rank, uint32_t key) {
  return &table[rank][(key + t->index * 5) % SLOTS];
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
  if (d->kind->family == TASK) return register_tasks(t, name);
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

/* ---- sending ---- */

/* The fault that SCREE_TEST_PLANT requests, to check that it is noticed: the first message that this process sends
 * after the first epoch is lost, doubled or damaged, its world fails, or its last rank stops. */
static bool plant(player *me, const live_type *t, uint32_t dest, unsigned char *item, size_t n) {
  static bool done;
  const char *what = me->home->planted;
  if (!what || done || me->epoch == 0 || n == 0 || type_of(t)->kind->family > TEXT) return false;
  done = true;
  if (strcmp(what, "twice") == 0) type_of(t)->kind->out(me->w, t->id, dest, item, n, SEND);
  if (strcmp(what, "damage") == 0) item[n - 1] ^= 1;
  if (strcmp(what, "fail") == 0) scree_fail(me->w, SCREE_EINVAL, "planted");
  while (strcmp(what, "hang") == 0 && me->w->rank + 1 == me->w->ranks) pause();
  return strcmp(what, "lose") == 0;
}

static uint32_t pick_rank(const player *me, uint64_t random) {
  const drawn_epoch *e = &me->home->p->epoch[me->epoch];
  const uint32_t ranks = me->w->ranks, rank = me->w->rank;
  switch (e->pattern) {
  case TO_ONE:
    return e->one;
  case NEXT:
    return (rank + 1) % ranks;
  case PAIRS:
    return (rank ^ 1) < ranks ? rank ^ 1 : rank;
  case SELF:
    return rank;
  default:
    return (uint32_t)((random >> 32) * ranks >> 32);
  }
}

/* Of those that are there; few are large, the fewer the more messages there are. */
static live_type *pick_type(player *me, bool reduced) {
  home *h = me->home;
  const uint32_t types = h->p->types, drawn = below(&me->random, types);
  live_type *t = &h->type[drawn];
  if (reduced || below(&me->random, 8) < h->p->reduced)
    for (uint32_t i = 0; i < types; i++) {
      live_type *other = &h->type[(drawn + i) % types];
      if (other->is_there && type_of(other)->kind->family >= SUMMED) return other;
    }
  return !t->is_there || (type_of(t)->kind->size >= 4000 && below(&me->random, UINT64_C(8) << h->p->scale / 2))
             ? &h->type[0]
             : t;
}

void count_bytes(player *me, size_t n) {
  me->bytes += n / 8 + 16;
  if (me->in_handler) me->spawned += n;
  if (me->bytes > me->home->p->quota || me->spawned > SPAWNED_MAX) me->over = true;
  if (me->home->driver->tick && me->home->driver->tick(me, 0)) me->over = true;
}

void count_sent(player *me, const message *m, const void *bytes, size_t n) {
  const uint64_t start = hash_start(m->type, me->epoch, m->rank, m->worker, me->w->rank, me->w->index);
  const uint64_t hash = hash_bytes(start, bytes, n);
  epoch_sums *e = &me->account->sum.epoch[me->epoch];
  if (type_of(m->type)->kind->family < SUMMED) enter(me, m->type, hash, false);
  e->sent++;
  e->sent_hash += hash;
}

/* `name`_send_all: to each rank, or each worker that takes part. */
static void count_all(player *me, message m, const void *bytes, size_t n) {
  const bool workers = type_of(m.type)->flags & SCREE_TO_WORKER;
  for (m.rank = 0; m.rank < me->w->ranks; m.rank++)
    for (m.worker = 0; m.worker < (workers ? me->home->p->epoch[me->epoch].takers : 1); m.worker++)
      count_sent(me, &m, bytes, n);
}

static way pick_way(player *me, const kind *k) {
  const uint32_t drawn = below(&me->random, 32);
  if (drawn == 0 && k->family == FIXED && k->size < 100 && !me->home->p->scale) return TO_ALL;
  return drawn < 12 ? TRY : drawn < 14 ? TRY_ONCE : drawn < 16 ? SEND_ONCE : SEND;
}

/* A try that returns false is followed by a send. */
static void put(player *me, const message *m, void *item, size_t n) {
  const kind *k = type_of(m->type)->kind;
  const way how = pick_way(me, k);
  count_bytes(me, how == TO_ALL ? n * me->w->ranks : n);
  if (k->family <= TEXT && how == TO_ALL) count_all(me, *m, item, n);
  if (k->family <= TEXT && how != TO_ALL) count_sent(me, m, item, n);
  if (plant(me, m->type, m->dest, item, n)) return;
  if (!k->out(me->w, m->type->id, m->dest, item, n, how)) k->out(me->w, m->type->id, m->dest, item, n, SEND);
}

/* While a send outside a handler waits, handlers run and send: each has memory of its own. */
static void send_bytes(player *me, message *m, size_t n) {
  uint64_t few[12], *words = n <= sizeof few - 8 ? few : malloc(n + 8);
  if (!words) abort();
  for (size_t i = 0; i < (n + 7) / 8; i++) words[i] = scree__draw(&m->random);
  if (type_of(m->type)->sorted) words[0] >>= traffic_stream(me->home->p, "sorted bits", m->type->index) % 64;
  if (n >= 16) words[1] = me->id++;
  unsigned char *item = (unsigned char *)words;
  if (n > 1) item[0] = (unsigned char)((item[0] & 0xf0) | (me->in_handler ? BY_HANDLER : 0) | m->depth);
  me->account->sum.totals.records += n > LONG;
  put(me, m, item, n);
  if (words != few) free(words);
}

static void send_sum(player *me, message *m) {
  const uint64_t words[2] = {m->random, me->id++}, key = (m->random >> 8) % me->home->p->key_count;
  const uint64_t start = hash_start(m->type, me->epoch, m->rank, m->worker, me->w->rank, me->w->index);
  sum_item item = {.key = key * UINT64_C(0xd6e8feb86659fd93),
                   .hash = hash_bytes(start, words, sizeof words),
                   .count = 1,
                   .from = me->w->rank,
                   .worker = (uint8_t)me->w->index,
                   .depth = (uint8_t)m->depth};
  item.place = place_of(m->type, me->epoch, m->rank, m->worker, item.key);
  me->account->sum.saved[m->type->index]++;
  count_sent(me, m, words, sizeof words);
  put(me, m, &item, sizeof item);
}

/* The key determines the worker: of a type to workers each has keys of its own. */
static void send_high(player *me, message *m) {
  const drawn_type *d = type_of(m->type);
  high_item item;
  memset(&item, 0, sizeof item);
  item.key = (uint32_t)((m->random >> 8) % SLOTS);
  item.value = d->kind->family == FIRST ? 1 : 1 + (m->random >> 16) % (me->home->p->keys & 1 ? 16 : 1 << 30);
  item.random = m->random;
  item.from = me->w->rank;
  item.worker = (uint8_t)me->w->index;
  item.depth = (uint8_t)m->depth;
  m->worker = item.key % me->home->p->epoch[me->epoch].takers;
  if (d->flags & SCREE_TO_WORKER) m->dest = scree_worker_number(me->w, m->rank, m->worker);
  item.place = place_of(m->type, me->epoch, m->rank, m->worker, item.key);
  item.seal = seal_of(&item);
  uint64_t *highest = slot_of(me->account->max.high_sent[me->epoch], m->type, m->rank, item.key);
  if (item.value > *highest) *highest = item.value;
  me->account->sum.saved[m->type->index]++;
  put(me, m, &item, sizeof item);
}

/* The more messages there are, the rarer. */
static void maybe_flush(player *me, const message *m) {
  switch (below(&me->random, UINT64_C(48) << me->home->p->scale / 2)) {
  case 0:
    scree_flush(me->w, SCREE_ALL);
    break;
  case 1:
    scree_flush(me->w, m->type->id);
    break;
  case 2:
    scree_flush_lane(me->w, m->type->id, m->dest);
    break;
  }
}

/* Few are long, unless they are answered by records of their size. */
static size_t draw_length(const program *p, uint64_t random) {
  return random % ((p->text_max >> (random >> 40) % (p->echo ? 3 : 8 + p->scale / 2)) + 1);
}

void send_one(player *me, uint32_t depth, bool reduced) {
  if (me->over) return;
  message m = {
      .type = me->like ? me->like : pick_type(me, reduced), .depth = depth, .random = scree__draw(&me->random)};
  const drawn_type *d = type_of(m.type);
  m.rank = m.dest = pick_rank(me, m.random);
  if (d->flags & SCREE_TO_WORKER) {
    m.worker = below(&me->random, me->home->p->epoch[me->epoch].takers);
    m.dest = scree_worker_number(me->w, m.rank, m.worker);
  }
  me->account->sum.totals.to_self += m.rank == me->w->rank;
  if (me->home->p->global && m.random & 1 && me->w->index < me->home->p->threads)
    add_to_word(me, NULL, m.rank, scree__hash(m.random));
  if (d->kind->family == SUMMED)
    send_sum(me, &m);
  else if (d->kind->family > SUMMED)
    send_high(me, &m);
  else if (d->kind->family == TASK)
    send_task(me, &m);
  else if (d->kind->family == TEXT)
    send_bytes(me, &m, me->like ? me->like_size : draw_length(me->home->p, m.random));
  else
    send_bytes(me, &m, d->kind->size);
  maybe_flush(me, &m);
}
