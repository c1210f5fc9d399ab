/* unit_tsan_epochs.c - counters, detector, inbox and pools of the real core, under real threads.
 *
 * The simulator runs one thread at a time and cannot show a wrong memory order; the thread sanitizer can. */
#include <stdatomic.h>

#include "base/random.h"
#include "core/world.h"
#include "harness.h"
#include "threads_transport.h"

#if defined(__SANITIZE_THREAD__)
enum { EPOCHS = 150 };
#else
enum { EPOCHS = 3000 };
#endif
enum { RANKS = 4 };

SCREE_MESSAGE(hop, uint64_t); /* how often it still hops */
SCREE_VARIABLE(words);

typedef struct {
  threads_node node;
  _Atomic uint64_t sent[EPOCHS];
  uint64_t handled[EPOCHS][RANKS]; /* plain: written by the rank's handlers, read by all behind the epoch's end */
} contest;

typedef struct {
  contest *all;
  hop_type hop;
  words_type words;
  uint64_t random, epoch;
} racer;

static void send_on(scree_worker *w, racer *me, uint64_t hops) {
  uint32_t dest = (uint32_t)(scree__draw(&me->random) % RANKS);
  static const char record[6000];
  atomic_fetch_add_explicit(&me->all->sent[me->epoch], 1, memory_order_relaxed);
  if (scree__one_in(&me->random, 8))
    words_send(w, me->words, dest, record, scree__draw(&me->random) % sizeof record);
  else
    hop_send(w, me->hop, dest, hops);
}

static void note(const scree_worker *w, racer *me, uint32_t count) {
  me->all->handled[me->epoch][w->rank] += count;
}

static void on_hop(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  note(w, arg, batch->count);
  for (uint32_t i = 0; i < batch->count; i++)
    if (items[i] > 0) send_on(w, arg, items[i] - 1);
}

static void on_words(scree_worker *w, const scree_batch *batch, const void *items, void *arg) {
  (void)items;
  note(w, arg, batch->count);
}

SCREE_HANDLER(hop, uint64_t, on_hop);
SCREE_VARIABLE_HANDLER(words, on_words);

static void one_epoch(scree_worker *w, racer *me) {
  contest *c = me->all;
  scree_reduce contribution = {{0, 1}, w->rank, w->rank};
  check_equal(scree_begin(w), SCREE_OK);
  for (uint64_t i = scree__draw(&me->random) % 20; i > 0; i--) send_on(w, me, i % 5);
  if (me->epoch & 1) {
    while (!scree_test(w, true, &contribution)) {
    }
  } else {
    scree_end(w, &contribution);
  }
  check_equal(scree_error(scree_world_of(w)), SCREE_OK);
  uint64_t handled = 0;
  for (int i = 0; i < RANKS; i++) handled += c->handled[me->epoch][i];
  check_equal(handled, atomic_load_explicit(&c->sent[me->epoch], memory_order_relaxed));
  check_equal(contribution.sum[1], RANKS);
  check_equal(contribution.min, 0);
  check_equal(contribution.max, RANKS - 1);
}

static void race(void *context, uint32_t rank) {
  contest *c = context;
  scree_world *world;
  racer me = {.all = c, .random = rank + 1};
  world = scree__world_new(1);
  if (!check(world != NULL) || !check_equal(scree__world_init(world, threads_rank(&c->node, rank)), SCREE_OK)) return;
  check_equal(hop_register(world, &me, &me.hop), SCREE_OK);
  check_equal(words_register(world, &me, &me.words), SCREE_OK);
  for (; me.epoch < EPOCHS && harness_failures() == 0; me.epoch++) one_epoch(scree_worker_of(world, 0), &me);
  check_equal(scree_close(world), SCREE_OK);
}

static void run(uint64_t memory, uint64_t pool_blocks, uint64_t coalesce_bytes) {
  contest *c = calloc(1, sizeof *c);
  scree_options options = SCREE_OPTIONS_INIT;
  options.memory = memory;
  options.pool_blocks = pool_blocks;
  options.coalesce_bytes = coalesce_bytes;
  options.batch_max = 3;
  if (check(c && threads_open(&c->node, RANKS, &options))) threads_run(RANKS, race, c);
  if (c) threads_close(&c->node);
  free(c);
}

static void roomy(void **unused) {
  (void)unused;
  run(1 << 20, 0, 0);
}

static void one_block(void **unused) {
  (void)unused;
  run(4096, 1, 8);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(roomy),
    cmocka_unit_test(one_block),
};
HARNESS_MAIN(tests)
