/* unit_inbox.c - inboxes and pools under real threads: a stress test in both directions.
 *
 * Every item arrives once, whole, in its sender's order, and every block returns to its owner once. The thread
 * sanitizer sees a memory order that is too weak as a data race. */
#include <sched.h>

#include "base/random.h"
#include "harness.h"
#include "threads_transport.h"

#if defined(__SANITIZE_THREAD__)
enum { MANY = 10000000, MANY_FULL = MANY, FEW = 1000000 };
#else
enum { MANY = 10000000, MANY_FULL = 100000000, FEW = 5000000 }; /* items in one test */
#endif
enum { RANKS = 4, LAST = RANKS - 1, WORDS = 100 }; /* the maximum items in a block */

#define STRIDE UINT64_C(0x9e3779b97f4a7c15) /* odd: no two items of a stream are equal */

typedef struct {
  threads_node node;
  bool to_all;    /* every rank sends to all others; else all others send to the last one */
  uint64_t items; /* from each sender to each of its receivers */
} contest;

typedef struct {
  const contest *all;
  scree__shm *shm;
  uint64_t random, to_send, to_get;
  uint64_t sent[RANKS], got[RANKS]; /* by peer */
} player;

static uint64_t item(uint32_t from, uint32_t to, uint64_t n) {
  return n * STRIDE + from * RANKS + to;
}

static uint64_t many(void) {
  return harness_full() ? MANY_FULL : MANY;
}

static bool sends(const contest *c, uint32_t from, uint32_t to) {
  return from != to && (c->to_all || to == LAST);
}

static uint32_t fill(scree__block *block, uint64_t value, uint64_t max) {
  uint64_t *words = (uint64_t *)(void *)scree__block_data(block), room = block->capacity / sizeof *words;
  uint32_t count = (uint32_t)(max < room ? max : room);
  for (uint32_t i = 0; i < count; i++, value += STRIDE) words[i] = value;
  return count;
}

static bool send_one(player *me) {
  scree__transport *t = &me->shm->base;
  uint32_t dest = (uint32_t)(scree__draw(&me->random) % RANKS);
  uint64_t want = 1 + scree__draw(&me->random) % WORDS, *sent = &me->sent[dest];
  if (!sends(me->all, t->topology->endpoint, dest) || *sent == me->all->items || !scree__shm_accepts(t, dest))
    return false;
  scree__block *block = scree__shm_take(t, dest, want * sizeof(uint64_t));
  if (!block) return false;
  if (want > me->all->items - *sent) want = me->all->items - *sent;
  uint32_t count = fill(block, item(t->topology->endpoint, dest, *sent), want);
  block->dest = dest;
  block->wire = (scree__wire){.segments = 1, .owner = t->topology->endpoint};
  block->wire.segment = (scree__segment){.dest = dest, .origin = t->topology->endpoint, .count = count};
  check_equal(scree__shm_push(t, dest, block), SCREE_OK);
  *sent += count;
  me->to_send -= count;
  return true;
}

static bool as_sent(const scree__block *block, uint64_t value) {
  const uint64_t *words = (const uint64_t *)(const void *)(block + 1);
  uint64_t wrong = 0;
  for (uint32_t i = 0; i < block->wire.segment.count; i++, value += STRIDE) wrong |= words[i] ^ value;
  return wrong == 0;
}

static bool get_one(player *me) {
  scree__transport *t = &me->shm->base;
  scree__block *block = scree__shm_peek(t);
  if (!block) return false;
  check(scree__shm_peek(t) == block); /* it stays until it is popped */
  scree__shm_pop(t, block);
  const scree__segment *segment = &block->wire.segment;
  if (!check(segment->origin < RANKS && segment->dest == t->topology->endpoint && segment->count <= me->to_get))
    return true;
  uint64_t *got = &me->got[segment->origin];
  check_text(as_sent(block, item(segment->origin, t->topology->endpoint, *got)),
             "rank %u: not item %llu of rank %u, or not whole", t->topology->endpoint, (unsigned long long)*got,
             segment->origin);
  *got += segment->count;
  me->to_get -= segment->count;
  scree__shm_release(t, block);
  return true;
}

/* Each block that was carved is in a free list, once. */
static void all_home(scree__pool *pool) {
  uint32_t count = 0;
  check_equal(pool->free_blocks, pool->blocks);
  for (int c = 0; c < SCREE__CLASSES; c++)
    for (scree__block *b = pool->free[c]; b && count <= pool->blocks; b = b->next, count++) {
      check_text(b->dest != UINT32_MAX, "block %td is in the lists twice", (char *)b - pool->arena);
      b->dest = UINT32_MAX;
    }
  check_equal(count, pool->blocks);
}

static void play(void *context, uint32_t rank) {
  const contest *c = context;
  player me = {.all = c, .shm = (scree__shm *)c->node.path[rank], .random = rank + 1};
  scree__transport *t = &me.shm->base;
  for (uint32_t i = 0; i < RANKS; i++) {
    if (sends(c, rank, i)) me.to_send += c->items;
    if (sends(c, i, rank)) me.to_get += c->items;
  }
  while ((me.to_send || me.to_get || scree__shm_in_flight(t)) && harness_failures() == 0) {
    bool moved = me.to_get && get_one(&me);
    if (me.to_send) moved |= send_one(&me);
    if (!me.to_send) scree__shm_set_min_block(t, 1); /* takes back what has returned */
    if (!moved) sched_yield();
  }
  check(scree__shm_peek(t) == NULL);
  all_home(&me.shm->pool);
}

/* As if so many blocks had come already: the count of claims is about to wrap around. */
static void age(threads_node *node, AO_t blocks) {
  for (uint32_t i = 0; i < RANKS; i++) {
    scree__shm_segment_inbox(&node->segment, i)->tail = blocks;
    ((scree__shm *)node->path[i])->head = blocks;
  }
}

static void exchange(bool to_all, uint64_t items, uint64_t in_flight, uint64_t pool_blocks) {
  uint64_t streams = to_all ? RANKS * (RANKS - 1) : RANKS - 1;
  contest c = {.to_all = to_all, .items = (items + streams - 1) / streams};
  scree__options options = SCREE__OPTIONS_INIT;
  options.memory = 1 << 18;
  options.in_flight = in_flight;
  options.test_pool_blocks = pool_blocks;
  if (check(threads_open(&c.node, RANKS, &options.user))) {
    age(&c.node, (AO_t)-1000);
    threads_run(RANKS, play, &c);
  }
  threads_close(&c.node);
}

HARNESS_TEST(to_one) {
  exchange(false, many(), 64, 0);
}

HARNESS_TEST(to_all) {
  exchange(true, many(), 4, 0);
}

/* The smallest pools: each block is waited for. */
HARNESS_TEST(two_blocks) {
  exchange(false, FEW, 2, 2);
}

/* As many cells as senders: the queue's end comes round all the time. */
HARNESS_TEST(one_in_flight) {
  exchange(true, FEW, 1, 1);
}

HARNESS_MAIN
