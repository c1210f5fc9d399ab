/* unit_chaos.c - the decorator refuses, delays and reorders, but loses and doubles nothing.
 *
 * One thread sends and receives over the data path of shared memory. */
#include "harness.h"
#include "threads_transport.h"
#include "transport/chaos.h"

enum { BLOCKS = 3000 };

typedef struct {
  scree__transport *from, *to;
  uint32_t sent, received, refused, empty, hidden, reordered, last;
  uint8_t seen[BLOCKS];
} exchange;

static void send_one(exchange *x) {
  scree__transport *t = x->from;
  if (!t->ops->accepts(t, 1)) {
    x->refused++;
    return;
  }
  scree__block *block = t->ops->take(t, 1, 1024);
  if (!block) {
    x->empty++;
    return;
  }
  block->dest = 1;
  block->wire = (scree__wire){.segments = 1, .owner = 0};
  block->wire.segment = (scree__segment){.dest = 1, .origin = 0, .count = x->sent, .bytes = 8};
  check_equal(t->ops->push(t, 1, block), SCREE_OK);
  x->sent++;
}

static void receive_one(exchange *x) {
  scree__transport *t = x->to;
  x->from->ops->peek(x->from); /* the sender's progress lets held blocks go */
  scree__block *block = t->ops->peek(t);
  if (!block) {
    x->hidden++;
    return;
  }
  uint32_t n = block->wire.segment.count;
  t->ops->pop(t, block);
  if (!check(n < x->sent)) return;
  check_text(x->seen[n]++ == 0, "block %u came twice", n);
  x->reordered += n < x->last;
  x->last = n;
  x->received++;
  t->ops->release(t, block);
}

/* What a run did, as a number: the same seed draws the same. */
static uint64_t run(uint64_t seed) {
  threads_node node;
  exchange *x = calloc(1, sizeof *x);
  scree_options options = SCREE_OPTIONS_INIT;
  options.in_flight = 8;
  options.memory = 1 << 20;
  assert_non_null(x);
  if (!check(threads_open(&node, 2, &options))) return 0;
  x->from = scree__chaos_open(*threads_rank(&node, 0), seed, 0);
  x->to = scree__chaos_open(*threads_rank(&node, 1), seed, 0);
  assert_true(x->from && x->to);
  for (uint64_t turn = 0; x->received < BLOCKS && turn < 100 * BLOCKS; turn++) {
    if (x->sent < BLOCKS) send_one(x);
    receive_one(x);
  }
  check_equal(x->received, BLOCKS);
  check(x->refused > 0 && x->empty > 0 && x->hidden > 0 && x->reordered > 0);
  x->from->ops->set_min_block(x->from, 1024); /* takes back what has returned */
  check_equal(x->from->ops->in_flight(x->from), 0);
  uint64_t did = x->refused * 1000003ull + x->empty * 10007ull + x->hidden * 101ull + x->reordered;
  x->from->ops->close(x->from);
  x->to->ops->close(x->to);
  threads_close(&node);
  free(x);
  return did;
}

HARNESS_TEST(nothing_lost) {
  for (uint64_t seed = 1; seed <= 50; seed++) run(seed);
}

HARNESS_TEST(drawn_from_the_seed) {
  check_equal(run(7), run(7));
  check(run(7) != run(8));
}

/* The inner transport, which counts what it gets back. */
static const scree__transport_ops *inner_ops;
static uint64_t put_back;

static void count_and_put(scree__transport *t, scree__block *block) {
  put_back++;
  inner_ops->put(t, block);
}

/* A world that was lost closes with blocks held back. */
HARNESS_TEST(closed_with_blocks_held) {
  threads_node node;
  scree_options options = SCREE_OPTIONS_INIT;
  options.memory = 1 << 20;
  options.in_flight = 64;
  if (!check(threads_open(&node, 2, &options))) return;
  exchange *x = calloc(1, sizeof *x);
  assert_non_null(x);
  scree__transport *inner = *threads_rank(&node, 0);
  inner_ops = inner->ops;
  scree__transport_ops counting = *inner_ops;
  counting.put = count_and_put;
  inner->ops = &counting;
  x->from = scree__chaos_open(inner, 3, 0);
  assert_non_null(x->from);
  for (int i = 0; i < 200; i++) send_one(x);
  const uint64_t held = x->from->ops->in_flight(x->from) - inner->ops->in_flight(inner);
  check(held > 0);
  put_back = 0;
  x->from->ops->close(x->from);
  check_equal(put_back, held);
  inner->ops = inner_ops;
  threads_close(&node);
  free(x);
}

HARNESS_MAIN
