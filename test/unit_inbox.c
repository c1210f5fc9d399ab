/* unit_inbox.c - the inbox and the way back, under real threads: several producers, one consumer.
 *
 * Room: each block arrives once, whole, in its producer's order, and comes home. Also for the thread sanitizer. */
#include <sched.h>

#include "harness.h"
#include "threads_transport.h"

#if defined(__SANITIZE_THREAD__)
enum { BLOCKS = 20000 };
#else
enum { BLOCKS = 300000 }; /* of each producer */
#endif
enum { PRODUCERS = 3, CONSUMER = PRODUCERS, WORDS = 16 };

static void produce(scree__shm *s) {
  scree__transport *t = &s->base;
  for (uint64_t n = 0; n < BLOCKS;) {
    scree__block *block = scree__shm_accepts(t, CONSUMER) ? scree__shm_take(t, CONSUMER, 1024) : NULL;
    if (!block) {
      sched_yield();
      continue;
    }
    uint64_t *words = (uint64_t *)(void *)scree__block_data(block);
    for (int i = 0; i < WORDS; i++) words[i] = n;
    block->dest = CONSUMER;
    block->wire = (scree__wire){.runs = 1};
    block->wire.run = (scree__run_head){.dest = CONSUMER, .origin = t->rank, .bytes = WORDS * sizeof *words};
    check_equal(scree__shm_push(t, CONSUMER, block), SCREE_OK);
    n++;
  }
  while (scree__shm_in_flight(t) > 0) {
    scree__shm_accepts(t, CONSUMER); /* takes back what has returned, once the limit is reached */
    scree__shm_fit(t, 1024);
    sched_yield();
  }
  check_equal(s->pool.home, s->pool.blocks);
}

static void consume(scree__transport *t) {
  uint64_t next[PRODUCERS] = {0};
  for (uint64_t n = 0; n < (uint64_t)BLOCKS * PRODUCERS && harness_failures() == 0;) {
    scree__block *block = scree__shm_peek(t);
    if (!block) {
      sched_yield();
      continue;
    }
    check(scree__shm_peek(t) == block); /* it stays until it is popped */
    scree__shm_pop(t, block);
    const uint64_t *words = (const uint64_t *)(const void *)scree__block_data(block);
    uint32_t from = block->wire.run.origin;
    if (!check(from < PRODUCERS)) return;
    for (int i = 0; i < WORDS; i++) check_equal(words[i], next[from]);
    next[from]++;
    scree__shm_release(t, block);
    n++;
  }
  check(scree__shm_peek(t) == NULL);
}

static void play(void *context, uint32_t rank) {
  threads_node *node = context;
  if (rank == CONSUMER)
    consume(threads_rank(node, rank));
  else
    produce(node->rank[rank]);
}

static void exchange(uint64_t in_flight, uint64_t pool_blocks) {
  threads_node node;
  scree_options options = SCREE_OPTIONS_INIT;
  options.memory = 1 << 20;
  options.in_flight = in_flight;
  options.pool_blocks = pool_blocks;
  if (check(threads_open(&node, PRODUCERS + 1, &options))) threads_run(PRODUCERS + 1, play, &node);
  threads_close(&node);
}

static void many_blocks(void **unused) {
  (void)unused;
  exchange(64, 0);
}

/* The smallest pool: each block is waited for. */
static void two_blocks(void **unused) {
  (void)unused;
  exchange(2, 2);
}

/* The queue's end comes round: 4 producers' worth of cells, many times over. */
static void one_in_flight(void **unused) {
  (void)unused;
  exchange(1, 1);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(many_blocks),
    cmocka_unit_test(two_blocks),
    cmocka_unit_test(one_in_flight),
};
HARNESS_MAIN(tests)
