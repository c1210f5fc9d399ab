/* indexed.c - gather and scatter: elements at many addresses in one call. Small ones need no slot each: a message names
 * the call, in a table of the sender, and the element's position; for scattered ones the owner answers with their
 * number. Others are operations of their own. */
#include <atomic_ops.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "global/operation.h"
#include "task/message.h"

/* Who: generation << 12 | number, 24 bits. */
enum {
  NUMBER_BITS = 12,
  NUMBERS = 1 << NUMBER_BITS,
  GENERATIONS = 1 << 12,
  POSITIONS = 1 << 24,
  WORD = 8,
  FAR_AHEAD = 32
};

/* One call, or so many elements of one as have positions. */
struct scree__indexed {
  scree__waiter *waiter; /* NULL: free */
  char *to;              /* of gathered elements, and their bytes */
  uint64_t bytes, left;  /* left: elements that are not answered, and 1 while it is being issued */
  uint32_t generation, next;
  bool counted; /* for global_outstanding */
};

typedef struct {
  uint64_t place; /* position << 40 | offset */
  uint64_t what;  /* bytes << 24 | who */
} gather_item;
typedef struct {
  uint64_t where; /* position << 24 | who */
  uint64_t value;
} gathered_item;
typedef struct {
  uint64_t place; /* who << 40 | offset */
  uint64_t value;
} scatter_item;
/* The answer to scattered ones: count << 24 | who. */

/* ---- the table ---- */

static bool grow(scree__globals *own) {
  const uint32_t room = own->indexed_room ? 2 * own->indexed_room : 64;
  struct scree__indexed *more = room <= NUMBERS ? realloc(own->indexed, room * sizeof *more) : NULL;
  if (!more) return false;
  own->indexed = more;
  const uint32_t first = (uint32_t)scree__first_number(&own->of->world->options, GENERATIONS - 1);
  for (uint32_t i = own->indexed_room; i < room; i++)
    more[i] = (struct scree__indexed){.generation = first, .next = i + 1};
  own->indexed_free = own->indexed_room;
  own->indexed_room = room;
  return true;
}

static void free_number(scree__globals *own, uint32_t number) {
  struct scree__indexed *x = &own->indexed[number];
  SCREE__INVARIANT(x->waiter && number < own->indexed_room);
  x->generation = (x->generation + 1) % GENERATIONS;
  x->waiter = NULL;
  x->next = own->indexed_free;
  own->indexed_free = number;
}

/* NUMBERS: all are in use, or there is no memory for more. */
static uint32_t take_number(scree__globals *own, scree__waiter *waiter, char *to, uint64_t bytes) {
  if (own->indexed_free >= own->indexed_room && !grow(own)) return NUMBERS;
  const uint32_t number = own->indexed_free;
  struct scree__indexed *x = &own->indexed[number];
  own->indexed_free = x->next;
  *x = (struct scree__indexed){.waiter = waiter, .to = to, .bytes = bytes, .left = 1, .generation = x->generation};
  waiter->left++;
  return number;
}

static void answered(scree__globals *own, uint32_t number, uint64_t count) {
  struct scree__indexed *x = &own->indexed[number];
  scree__waiter *waiter = x->waiter;
  const bool counted = x->counted;
  SCREE__INVARIANT(x->waiter && x->left >= count);
  if (x->left -= count) return;
  free_number(own, number);
  if (counted) scree__outstanding_less(own, 1);
  scree__waiter_release(own, waiter);
}

void scree__indexed_drop(scree__globals *own) {
  for (uint32_t i = 0; i < own->indexed_room; i++)
    if (own->indexed[i].waiter) free_number(own, i);
}

/* NULL: nothing of that name is outstanding, and the world fails. */
static struct scree__indexed *find(scree__globals *own, const scree_batch *batch, uint64_t who, uint64_t count) {
  const uint32_t number = who % NUMBERS;
  struct scree__indexed *x = number < own->indexed_room ? &own->indexed[number] : NULL;
  if (x && x->waiter && x->generation == who >> NUMBER_BITS && x->left >= count) return x;
  scree__global_stale(own, batch, who);
  return NULL;
}

/* ---- issuing ---- */

typedef struct {
  scree__globals *own;
  const scree__global_op *op;
  scree__waiter *waiter;
  uint32_t number; /* NUMBERS: none */
  bool puts, gains, near;
} issue;

/* As an operation of its own: also an illegal one, which the error then names. */
static void issue_alone(const issue *i, scree_address a, char *local) {
  const scree__global_op op = {.call = i->op->call,
                               .address = a,
                               .local = local,
                               .bytes = i->op->bytes,
                               .checked = i->op->checked,
                               .kind = i->puts ? SCREE__GLOBAL_PUT : SCREE__GLOBAL_GET};
  if (scree__global_check(i->own, &op)) scree__global_issue(i->own, &op, i->waiter, local);
}

static void send(const issue *i, uint32_t owner, uint64_t offset, uint64_t position, const char *local) {
  scree__globals *own = i->own;
  struct scree__indexed *x = &own->indexed[i->number];
  const uint64_t who = (uint64_t)x->generation << NUMBER_BITS | i->number;
  const uint32_t to = scree__global_worker_for(own, owner, offset);
  x->left++; /* the table may move while the message is sent */
  if (i->puts) {
    scatter_item item = {.place = who << SCREE__OFFSET_BITS | offset};
    memcpy(&item.value, local, sizeof item.value);
    scree__send(own->me, own->of->scatter, to, &item, sizeof item);
  } else {
    const gather_item item = {position << SCREE__OFFSET_BITS | offset, i->op->bytes << 24 | who};
    scree__send(own->me, own->of->gather, to, &item, sizeof item);
  }
}

static void issue_small(const issue *i, scree_address a, uint64_t position, char *local) {
  scree__globals *own = i->own;
  const scree_global_map *map = &own->of->map;
  const uint64_t bytes = i->op->bytes, offset = scree_global_offset(map, a);
  const uint32_t owner = scree_global_owner(map, a);
  const bool inside = a && owner < map->ranks && bytes <= scree_global_span(map, a) && offset + bytes <= map->heap;
  const bool direct = inside && scree__is_direct(own, owner, i->gains);
  if (!inside || (direct && !scree__node_memory_has(&own->of->memory, owner, offset, bytes))) {
    issue_alone(i, a, local);
    return;
  }
  ++*(i->puts ? &own->stats.puts : &own->stats.gets);
  own->stats.bytes += bytes;
  if (!direct) {
    own->stats.requests++;
    send(i, owner, offset, position, local);
    return;
  }
  ++*(owner == own->me->head.rank ? &own->stats.local : &own->stats.direct);
  char *p = own->of->memory.area[owner] + offset;
  if (i->puts)
    scree__store(p, local, bytes);
  else
    scree__load(local, p, bytes);
}

/* It counts as one asynchronous operation from now on: elements that are operations of their own may have waited for
 * others. */
static void issued(const issue *i) {
  scree__globals *own = i->own;
  if (i->waiter->how != SCREE__BY_WAIT && own->indexed[i->number].left > 1) {
    if (!scree__wait_for_fewer(own, 1)) return;
    own->indexed[i->number].counted = true;
    own->outstanding++;
  }
  answered(own, i->number, 1);
}

/* Gathered words, in one loop. Where this rank accesses no others' parts all are messages, its own ones too, because a
 * branch by a random owner is mispredicted every other time. They count before they are sent: answers arrive
 * meanwhile. */
static void issue_words(const issue *i, const scree_address *a, uint64_t count, char *local) {
  scree__globals *own = i->own;
  const scree_global_map *map = &own->front.map;
  const uint32_t type = own->of->gather;
  const uint64_t what = (uint64_t)WORD << 24 | (uint64_t)own->indexed[i->number].generation << NUMBER_BITS | i->number;
  uint64_t sent = 0, touched = 0, own_words = 0;
  own->indexed[i->number].left += count;
  for (uint64_t n = 0; n < count; n++) {
    const uint64_t offset = scree_global_offset(map, a[n]);
    const uint32_t owner = scree_global_owner(map, a[n]);
    const bool legal = a[n] && a[n] % WORD == 0 && owner < map->ranks && offset < map->heap;
    if (legal && i->near && scree__is_direct(own, owner, i->gains) &&
        scree__node_memory_has(&own->of->memory, owner, offset, WORD)) {
      const uint64_t value = AO_load((const volatile AO_t *)(const void *)(own->of->memory.area[owner] + offset));
      memcpy(local + n * WORD, &value, WORD);
      touched++;
      own_words += owner == own->me->head.rank;
      continue;
    }
    if (!legal || (i->near && scree__is_direct(own, owner, i->gains))) {
      issue_alone(i, a[n], local + n * WORD);
      if (own->me->failed) return;
      continue;
    }
    const uint64_t place = n << SCREE__OFFSET_BITS | offset; /* of a gather_item */
    scree__send_two(own->me, type, scree__global_worker_for(own, owner, offset), &place, WORD, &what, WORD);
    sent++;
  }
  own->stats.gets += sent + touched;
  own->stats.bytes += (sent + touched) * WORD;
  own->stats.requests += sent;
  own->stats.local += own_words;
  own->stats.direct += touched - own_words;
  if (!own->me->failed && sent < count) answered(own, i->number, count - sent);
}

/* Elements that have positions of one number. */
static void issue_some(issue *i, const scree_address *a, uint64_t count, char *local) {
  scree__globals *own = i->own;
  const uint64_t bytes = i->op->bytes;
  const bool small = bytes && !scree__global_is_checked(own, i->op) && (i->puts ? bytes == WORD : bytes <= WORD);
  i->number = small ? take_number(own, i->waiter, local, bytes) : NUMBERS;
  if (i->number < NUMBERS && !i->puts && bytes == WORD) {
    issue_words(i, a, count, local);
  } else {
    for (uint64_t n = 0; n < count && !own->me->failed; n++) {
      if (i->number == NUMBERS)
        issue_alone(i, a[n], local + n * bytes);
      else
        issue_small(i, a[n], n, local + n * bytes);
    }
  }
  if (i->number < NUMBERS && !own->me->failed) issued(i);
}

/* True if this rank accesses parts of others directly. As scree__is_direct. */
static bool is_near(const scree__globals *own, bool waits) {
  return own->of->shared && (own->of->options.global_direct == SCREE_GLOBAL_DIRECT_ON || waits);
}

/* Elements that are accessed directly are in program order as one operation is. */
void scree__issue_indexed(scree__globals *own, const scree__global_op *op, scree__waiter *waiter, char *to) {
  const bool waits = waiter->how == SCREE__BY_WAIT;
  issue i = {own, op, waiter, NUMBERS, op->kind == SCREE__GLOBAL_SCATTER, waits, is_near(own, waits)};
  char *local = i.puts ? op->local : to;
  const scree__global_kind kind = i.puts ? SCREE__GLOBAL_PUT : SCREE__GLOBAL_GET;
  if (waits || !i.puts) scree__begin_in_order(own, kind);
  for (uint64_t n = 0, some; n < op->value && !own->me->failed; n += some) {
    some = op->value - n < POSITIONS ? op->value - n : POSITIONS;
    issue_some(&i, (const scree_address *)op->args + n, some, local + n * op->bytes);
  }
  if (waits) scree__end_in_order(own, kind);
}

/* ---- at the owner ---- */

/* Items are sent as two words. A struct of both would be stored by words and loaded at once, and a load that covers two
 * stores waits until both have left the store buffer. */
void scree__on_gather(scree_worker *worker, const scree_batch *batch, const void *items, void *unused) {
  scree__globals *own = scree__globals_of(scree__worker_of(worker));
  const scree__node_reserved *mine = own->of->memory.reserved[own->me->head.rank];
  const uint64_t within = SCREE_GLOBAL_HEAP_MAX - 1, high = own->of->memory.bytes - AO_load(&mine->high);
  const uint64_t low = AO_load(&mine->low), end = own->of->memory.bytes;
  const gather_item *item = items;
  const uint32_t to = scree__sender(own->me, batch), type = own->of->gathered;
  const char *part = own->of->memory.area[own->me->head.rank];
  (void)unused;
  for (uint32_t i = 0; i < batch->count && !own->me->failed; i++) {
    __builtin_prefetch(part + (item[scree_batch_ahead(batch, i, FAR_AHEAD)].place & within));
    const uint64_t bytes = item[i].what >> 24, at = item[i].place & within;
    const uint64_t where = item[i].place >> SCREE__OFFSET_BITS << 24 | (item[i].what & (POSITIONS - 1));
    uint64_t value = 0;
    if (bytes == WORD && at % WORD == 0 && (at < low || (at >= high && at < end))) {
      value = AO_load((const volatile AO_t *)(const void *)(part + at));
    } else {
      const char *p = scree__global_find(own, batch, at, bytes);
      if (!p || bytes > WORD) return;
      scree__load(&value, p, bytes);
    }
    scree__send_two(own->me, type, to, &where, WORD, &value, WORD);
  }
  if (!own->me->failed) scree_flush_lane(worker, type, to);
}

static void say_scattered(scree__globals *own, const scree_batch *batch, uint64_t who, uint64_t count) {
  const uint64_t item = count << 24 | who;
  if (count) scree__send(own->me, own->of->scattered, scree__sender(own->me, batch), &item, sizeof item);
}

void scree__on_scatter(scree_worker *worker, const scree_batch *batch, const void *items, void *unused) {
  scree__globals *own = scree__globals_of(scree__worker_of(worker));
  const scatter_item *item = items;
  uint64_t who = 0, count = 0;
  (void)unused;
  for (uint32_t i = 0; i < batch->count && !own->me->failed; i++) {
    scree__global_prefetch(own, (const char *)&item[scree_batch_ahead(batch, i, SCREE__AHEAD)].place);
    char *p = scree__global_find(own, batch, item[i].place & (SCREE_GLOBAL_HEAP_MAX - 1), WORD);
    if (!p) return;
    scree__store(p, &item[i].value, WORD);
    if (item[i].place >> SCREE__OFFSET_BITS != who) {
      say_scattered(own, batch, who, count);
      who = item[i].place >> SCREE__OFFSET_BITS;
      count = 0;
    }
    count++;
  }
  if (!own->me->failed) say_scattered(own, batch, who, count);
}

/* ---- at the sender ---- */

/* Those of one call that follow one another are counted together. */
void scree__on_gathered(scree_worker *worker, const scree_batch *batch, const void *items, void *unused) {
  scree__globals *own = scree__globals_of(scree__worker_of(worker));
  const gathered_item *item = items;
  (void)unused;
  for (uint32_t i = 0, first; i < batch->count && !own->me->failed;) {
    const uint64_t who = item[i].where & (POSITIONS - 1);
    const struct scree__indexed *x = find(own, batch, who, 1);
    if (!x) return;
    char *to = x->to;
    const uint64_t bytes = x->bytes;
    for (first = i; i < batch->count && (item[i].where & (POSITIONS - 1)) == who; i++) {
      if (bytes == WORD)
        memcpy(to + (item[i].where >> 24) * WORD, &item[i].value, WORD);
      else
        memcpy(to + (item[i].where >> 24) * bytes, &item[i].value, bytes);
    }
    if (!find(own, batch, who, i - first)) return;
    answered(own, who % NUMBERS, i - first);
  }
}

void scree__on_scattered(scree_worker *worker, const scree_batch *batch, const void *items, void *unused) {
  scree__globals *own = scree__globals_of(scree__worker_of(worker));
  const uint64_t *item = items;
  (void)unused;
  for (uint32_t i = 0; i < batch->count && !own->me->failed; i++) {
    const uint64_t who = item[i] & (POSITIONS - 1), count = item[i] >> 24;
    if (!find(own, batch, who, count)) return;
    answered(own, who % NUMBERS, count);
  }
}

/* A waiter whose number is not complete, from number *n on; as in fence.c. */
scree__waiter *scree__indexed_of(const scree__globals *own, uint64_t issuer, uint32_t *n) {
  for (; *n < own->indexed_room; ++*n) {
    scree__waiter *waiter = own->indexed[*n].waiter;
    if (waiter && waiter->key == issuer && waiter->how != SCREE__BY_WAIT) return waiter;
  }
  return NULL;
}
