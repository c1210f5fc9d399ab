/* sends.c - how a message is drawn, made and sent. */
#include <unistd.h>

#include "kinds.h"

enum { SPAWNED_MAX = 32 << 20 }; /* bytes that a worker's handlers send in an epoch: overflow holds no more */

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
  if (type_of(t)->kind->family == LOOP && me->w->index == h->p->threads) return &h->type[0]; /* of no progress thread */
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
  if (type_of(m->type)->kind->family < SUMMED) note_in_ledger(me, m->type, hash, false);
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
    add_to_word(me, m.rank, scree__hash(m.random));
  if (d->kind->family == SUMMED)
    send_sum(me, &m);
  else if (d->kind->family > SUMMED)
    send_high(me, &m);
  else if (d->kind->family == TASK)
    send_task(me, &m);
  else if (d->kind->family == LOOP)
    send_loop(me, m.type, NULL, 0, depth);
  else if (d->kind->family == TEXT)
    send_bytes(me, &m, me->like ? me->like_size : draw_length(me->home->p, m.random));
  else
    send_bytes(me, &m, d->kind->size);
  maybe_flush(me, &m);
}
