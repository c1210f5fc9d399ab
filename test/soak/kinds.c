/* kinds.c - the message types of generated programs: how they are filled, sent, handled and hashed. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "soak.h"

enum { SPAWNED_MAX = 32 << 20 }; /* bytes that a rank's handlers send in an epoch: overflow holds no more */

bool planted(const char *what) {
  const char *plant = getenv("SCREE_TEST_SOAK_PLANT");
  return plant && strcmp(plant, what) == 0;
}

/* ---- the hash of a message ---- */

static inline uint64_t hash_start(const player *me, kind k, uint32_t source, uint32_t dest) {
  return me->epoch_key + source * UINT64_C(0x9fb21c651e98df25) + dest * UINT64_C(0xd6e8feb86659fd93) +
         (uint64_t)k * UINT64_C(0xa0761d6478bd642f);
}

static inline uint64_t hash_bytes(uint64_t h, const char *bytes, size_t n) {
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

static inline uint32_t pick_dest(const player *me, uint64_t random) {
  const uint32_t ranks = me->w->ranks, rank = me->w->rank;
  switch (me->pattern) {
  case TO_ONE:
    return me->one;
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

/* ---- handling ---- */

/* The second word of an item of 16 bytes or more: how many generations follow, in its low byte. */
static inline uint32_t depth_of(const char *bytes, size_t n) {
  return n < 16 ? 0 : (unsigned char)bytes[8];
}

static void count_batch(player *me, uint64_t n, uint64_t hash) {
  epoch_count *c = &me->count[me->epoch];
  c->handled += n;
  c->handled_hash += hash;
  me->part.sum[0] += n;
  me->part.sum[1] += hash;
  board_messages(n);
  if (!me->over && scree__clock_ns() >= me->stop_at) me->over = true;
}

static void spawn(player *me, uint32_t depth, uint64_t hash) {
  for (uint32_t i = 0; i < me->plan->fanout; i++) {
    uint64_t random = scree__hash_draw(hash, i);
    if (random % me->plan->odds == 0) send_one(me, depth - 1, random);
  }
}

void answer(player *me, uint32_t depth, uint64_t hash) {
  if (me->over || me->spawned > SPAWNED_MAX || depth > me->plan->depth) return;
  if (me->plan->postpones && me->tested && me->queued < QUEUE && hash & 1)
    me->queue[me->queued++] = (struct postponed){hash, depth};
  else
    spawn(me, depth, hash);
}

static inline void take_fixed(player *me, kind k, const scree_batch *batch, const char *items, size_t size) {
  const uint64_t start = hash_start(me, k, batch->source, me->w->rank);
  uint64_t sum = 0;
  me->in_handler = true;
  for (uint32_t i = 0; i < batch->count; i++) {
    const char *item = items + i * size;
    const uint64_t hash = hash_bytes(start, item, size);
    sum += hash;
    if (depth_of(item, size)) answer(me, depth_of(item, size), hash);
  }
  count_batch(me, batch->count, sum);
  me->in_handler = false;
}

static void on_text(scree_worker *w, const scree_batch *batch, const void *items, void *arg) {
  player *me = arg;
  const uint64_t start = hash_start(me, TEXT, batch->source, w->rank);
  uint64_t sum = 0;
  me->in_handler = true;
  for (uint32_t i = 0; i < batch->count; i++) {
    size_t n;
    const char *record = scree_record_next(&items, &n);
    const uint64_t hash = hash_bytes(start, record, n);
    sum += hash;
    if (depth_of(record, n)) answer(me, depth_of(record, n), hash);
  }
  count_batch(me, batch->count, sum);
  me->in_handler = false;
}

/* ---- types ---- */

SCREE_VARIABLE(text);
SCREE_VARIABLE_HANDLER(text, on_text);

static void send_text(player *me, uint32_t dest, const char *bytes, size_t n, bool try) {
  text_type t = {me->type[TEXT]};
  if (!try || !text_try_send(me->w, t, dest, bytes, n)) text_send(me->w, t, dest, bytes, n);
}

#define FIXED_KINDS(X)                                                                                                 \
  X(note, NOTE, 16, SCREE_MESSAGE_ROUTED)                                                                              \
  X(byte, BYTE, 1, SCREE_MESSAGE_ROUTED)                                                                               \
  X(word, WORD, 8, SCREE_MESSAGE_ROUTED)                                                                               \
  X(odd, ODD, 13, SCREE_MESSAGE)                                                                                       \
  X(wide, WIDE, 72, SCREE_MESSAGE_ROUTED)                                                                              \
  X(page, PAGE, 4000, SCREE_MESSAGE_ROUTED)                                                                            \
  X(largest, LARGEST, SCREE_ITEM_MAX, SCREE_MESSAGE)

#define DEFINE(name, k, size, message)                                                                                 \
  typedef struct {                                                                                                     \
    char bytes[size];                                                                                                  \
  } name##_item;                                                                                                       \
  message(name, name##_item);                                                                                          \
  static void on_##name(scree_worker *w, const scree_batch *batch, const name##_item *items, void *arg) {              \
    (void)w;                                                                                                           \
    take_fixed(arg, k, batch, items->bytes, size);                                                                     \
  }                                                                                                                    \
  SCREE_HANDLER(name, name##_item, on_##name);                                                                         \
  static void send_##name(player *me, uint32_t dest, const char *bytes, size_t n, bool try) {                          \
    name##_type t = {me->type[k]};                                                                                     \
    name##_item item;                                                                                                  \
    memcpy(&item, bytes, n);                                                                                           \
    if (!try || !name##_try_send(me->w, t, dest, item)) name##_send(me->w, t, dest, item);                             \
  }                                                                                                                    \
  static scree_status register_##name(player *me) {                                                                    \
    name##_type t = {0};                                                                                               \
    scree_status status = name##_register(me->world, me, &t);                                                          \
    me->type[k] = t.id;                                                                                                \
    return status;                                                                                                     \
  }
FIXED_KINDS(DEFINE)

static scree_status register_text(player *me) {
  text_type t = {0};
  scree_status status = text_register(me->world, me, &t);
  me->type[TEXT] = t.id;
  return status;
}

/* ---- types that are reduced: both are sent as 16 bytes, an id and a depth with random bits above ---- */

typedef struct {
  uint64_t key, place;          /* place: of the epoch, the destination and the key */
  uint32_t count, from;         /* count: of messages that it stands for */
  uint16_t depth, mixed, wrong; /* the largest; of several ranks; combined with what it may not be */
  uint64_t hash;                /* of these messages: a sum */
} tally_item;

typedef struct {
  uint64_t place, value, words[2], seal;
  uint32_t key;
} high_item;

static inline void add_tally(tally_item *kept, const tally_item *item) {
  kept->wrong |= item->wrong || kept->key != item->key || kept->place != item->place;
  kept->mixed |= item->mixed || kept->from != item->from;
  kept->count += item->count;
  kept->hash += item->hash;
  if (item->depth > kept->depth) kept->depth = item->depth;
}

#define KEY_OF(item)  ((item)->key)
#define LOWNESS(item) (~(item)->value)
SCREE_MESSAGE_REDUCED(tally, tally_item, KEY_OF, add_tally);
SCREE_MESSAGE_FILTERED(high, high_item, KEY_OF, LOWNESS);

_Static_assert(LEAST_CACHE == 16 * sizeof(tally__entry) && sizeof(tally__entry) >= sizeof(scree__sent),
               "what plan.c draws is legal");

static uint64_t place_of(const player *me, kind k, uint32_t dest, uint64_t key) {
  return scree__hash(hash_start(me, k, 0, dest) + key);
}

static uint64_t seal_of(const high_item *item) {
  return hash_bytes(item->place, (const char *)item, offsetof(high_item, seal));
}

static tally_item make_tally(player *me, uint32_t dest, const char *bytes) {
  uint64_t words[2];
  memcpy(words, bytes, sizeof words);
  me->saved[0]++;
  const uint64_t key = (words[1] >> 8) % me->plan->tally_keys;
  return (tally_item){.key = key,
                      .place = place_of(me, TALLY, dest, key),
                      .count = 1,
                      .from = me->w->rank,
                      .depth = (uint16_t)depth_of(bytes, sizeof words),
                      .hash = hash_bytes(hash_start(me, TALLY, me->w->rank, dest), bytes, sizeof words)};
}

static void send_tally(player *me, uint32_t dest, const char *bytes, size_t n, bool try) {
  const tally_type t = {me->type[TALLY]};
  const tally_item item = make_tally(me, dest, bytes);
  (void)n;
  if (!try || !tally_try_send(me->w, t, dest, item)) tally_send(me->w, t, dest, item);
}

/* Values have 63 bits, since the judge compares them by MPI_MAX: MPICH 4.0.2 takes MPI_UINT64_T for signed there. */
static void send_high(player *me, uint32_t dest, const char *bytes, size_t n, bool try) {
  const high_type t = {me->type[HIGH]};
  high_item item = {.value = hash_bytes(me->epoch_key + me->w->rank, bytes, n) >> 1};
  memcpy(item.words, bytes, sizeof item.words);
  item.key = (uint32_t)(item.words[1] >> 8) % HIGH_KEYS;
  item.place = place_of(me, HIGH, dest, item.key);
  item.seal = seal_of(&item);
  uint64_t *highest = &me->high_sent[me->epoch][dest][item.key];
  if (item.value > *highest) *highest = item.value;
  me->saved[1]++;
  if (!try || !high_try_send(me->w, t, dest, item)) high_send(me->w, t, dest, item);
}

static void on_tally(scree_worker *w, const scree_batch *batch, const tally_item *items, void *arg) {
  player *me = arg;
  uint64_t n = 0, sum = 0;
  me->in_handler = true;
  for (uint32_t i = 0; i < batch->count; i++) {
    const tally_item *t = &items[i];
    const bool one = batch->source != SCREE_NO_SOURCE;
    if (t->wrong || t->place != place_of(me, TALLY, w->rank, t->key) || (one && (t->mixed || t->from != batch->source)))
      me->count[me->epoch].flaws++;
    n += t->count;
    sum += t->hash;
    if (t->depth) answer(me, t->depth, t->hash);
  }
  me->saved[0] -= batch->count;
  count_batch(me, n, sum);
  me->in_handler = false;
}

static void on_high(scree_worker *w, const scree_batch *batch, const high_item *items, void *arg) {
  player *me = arg;
  me->in_handler = true;
  for (uint32_t i = 0; i < batch->count; i++) {
    const high_item *h = &items[i];
    if (h->key >= HIGH_KEYS || h->seal != seal_of(h) || h->place != place_of(me, HIGH, w->rank, h->key)) {
      me->count[me->epoch].flaws++;
      continue;
    }
    uint64_t *highest = &me->high_handled[me->epoch][h->key];
    if (h->value > *highest) *highest = h->value;
    const uint32_t depth = depth_of((const char *)h->words, sizeof h->words);
    if (depth) answer(me, depth, h->seal);
  }
  me->saved[1] -= batch->count;
  board_messages(batch->count);
  me->in_handler = false;
}
SCREE_HANDLER(tally, tally_item, on_tally);
SCREE_HANDLER(high, high_item, on_high);

static scree_status register_tally(player *me) {
  tally_type t = {0};
  scree_status status = tally_register_with(me->world, me->plan->flags[0], me, &t);
  me->type[TALLY] = t.id;
  return status;
}

static scree_status register_high(player *me) {
  high_type t = {0};
  scree_status status = high_register_with(me->world, me->plan->flags[1], me, &t);
  me->type[HIGH] = t.id;
  return status;
}

static const struct {
  size_t size;
  scree_status (*enter)(player *me);
  void (*send)(player *me, uint32_t dest, const char *bytes, size_t n, bool try);
} kinds[KINDS] = {
#define ROW(name, k, size, message) [k] = {size, register_##name, send_##name},
    FIXED_KINDS(ROW)[TEXT] = {0, register_text, send_text}, [TALLY] = {16, register_tally, send_tally},
    [HIGH] = {16, register_high, send_high}};

scree_status kind_register(player *me, kind k) {
  scree_status status = kinds[k].enter(me);
  if (status != SCREE_OK) return status;
  me->have[me->have_count++] = k;
  me->has_notes |= k == NOTE;
  me->has_words |= k == WORD;
  me->has_tallies |= k == TALLY;
  return status;
}

/* ---- sending ---- */

static void count_bytes(player *me, uint64_t bytes) {
  me->bytes += bytes;
  if (me->in_handler) me->spawned += bytes;
  if (me->bytes > me->plan->bytes_max || scree__clock_ns() >= me->stop_at) me->over = true;
}

static void count_sent(player *me, uint64_t n, uint64_t hash, uint64_t bytes) {
  epoch_count *c = &me->count[me->epoch];
  c->sent += n;
  c->sent_hash += hash;
  count_bytes(me, bytes);
}

/* What a test asks for: the first message that this rank sends after the first epoch is lost, doubled, ... */
static bool plant(player *me, kind k, uint32_t dest, char *bytes, size_t n) {
  static bool done;
  if (done || me->epoch == 0 || n == 0 || k == HIGH) return false;
  done = planted("lose") || planted("twice") || planted("damage") || planted("hang") || planted("fail");
  if (planted("twice")) kinds[k].send(me, dest, bytes, n, false);
  if (planted("damage")) bytes[n - 1] ^= 1;
  while (planted("hang") && me->w->rank + 1 == me->w->ranks) pause();
  if (planted("fail")) scree_fail(me->w, SCREE_EINVAL, "planted");
  return planted("lose");
}

static kind draw_kind(const player *me, uint64_t random) {
  kind k = me->have[(random >> 8) % me->have_count];
  return (k == PAGE || k == LARGEST) && (random >> 20) % 8 ? me->have[0] : k;
}

static size_t draw_size(const player *me, kind k, uint64_t random) {
  if (k != TEXT) return kinds[k].size;
  return (random >> 12) % ((me->plan->text_max >> (random >> 4) % 12) + 1);
}

/* While a send outside a handler waits, handlers run and send: each has a buffer of its own. */
static char *fill(player *me, uint32_t depth, size_t n, uint64_t random) {
  static uint64_t buffers[2][TEXT_MAX / 8 + 1];
  uint64_t *words = buffers[me->in_handler];
  for (size_t i = 0; i < (n + 7) / 8; i++) words[i] = scree__draw(&random);
  if (n >= 16) words[0] = me->id++, words[1] = (words[1] & ~(uint64_t)255) | depth;
  return (char *)words;
}

void send_one(player *me, uint32_t depth, uint64_t random) {
  const kind k = draw_kind(me, random);
  const size_t n = draw_size(me, k, random);
  const uint32_t dest = pick_dest(me, scree__hash(random));
  char *bytes = fill(me, depth, n, random);
  if (k == HIGH)
    count_bytes(me, n + 1); /* it may be needless */
  else
    count_sent(me, 1, hash_bytes(hash_start(me, k, me->w->rank, dest), bytes, n), n + 1);
  if (!plant(me, k, dest, bytes, n)) kinds[k].send(me, dest, bytes, n, random % 4 == 0);
}

static uint64_t burst_of_words(player *me, uint32_t n) {
  const word_type t = {me->type[WORD]};
  uint64_t sum = 0;
  for (uint32_t i = 0; i < n; i++) {
    uint64_t random = scree__draw(&me->random);
    word_item item;
    memcpy(item.bytes, &random, 8);
    const uint32_t dest = pick_dest(me, random);
    sum += hash_bytes(hash_start(me, WORD, me->w->rank, dest), item.bytes, 8);
    word_send(me->w, t, dest, item);
  }
  return sum;
}

/* One in 64 may be answered. */
static uint64_t burst_of_notes(player *me, uint32_t n) {
  const note_type t = {me->type[NOTE]};
  uint64_t sum = 0;
  for (uint32_t i = 0; i < n; i++) {
    uint64_t random = scree__draw(&me->random);
    uint64_t words[2] = {me->id++, (random & ~(uint64_t)255) | (random & 63 ? 0 : me->plan->depth)};
    note_item item;
    memcpy(item.bytes, words, 16);
    const uint32_t dest = pick_dest(me, random);
    sum += hash_bytes(hash_start(me, NOTE, me->w->rank, dest), item.bytes, 16);
    note_send(me->w, t, dest, item);
  }
  return sum;
}

/* As notes. */
static uint64_t burst_of_tallies(player *me, uint32_t n) {
  const tally_type t = {me->type[TALLY]};
  uint64_t sum = 0;
  for (uint32_t i = 0; i < n; i++) {
    uint64_t random = scree__draw(&me->random);
    const uint64_t words[2] = {me->id++, (random & ~(uint64_t)255) | (random & 63 ? 0 : me->plan->depth)};
    const uint32_t dest = pick_dest(me, random);
    const tally_item item = make_tally(me, dest, (const char *)words);
    sum += item.hash;
    tally_send(me->w, t, dest, item);
  }
  return sum;
}

void send_burst(player *me, uint32_t n) {
  const bool tallies = me->has_tallies && below(&me->random, 2);
  const bool notes = me->has_notes && (!me->has_words || below(&me->random, 2));
  if (tallies)
    count_sent(me, n, burst_of_tallies(me, n), n * UINT64_C(16));
  else if (notes)
    count_sent(me, n, burst_of_notes(me, n), n * UINT64_C(16));
  else if (me->has_words)
    count_sent(me, n, burst_of_words(me, n), n * UINT64_C(8));
  else
    for (uint32_t i = 0; i < n && !me->over; i++) send_one(me, 0, scree__draw(&me->random));
}
