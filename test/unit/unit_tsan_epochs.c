/* unit_tsan_epochs.c - counters, detector, inbox and pools of the real core, under real threads.
 *
 * The simulator runs one thread at a time and cannot show a wrong memory order; the thread sanitizer can. */
#include <stdatomic.h>

#include "base/options.h"
#include "base/random.h"
#include "core/world.h"
#include "harness.h"
#include "threads_transport.h"

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { EPOCHS = 150 };
#else
enum { EPOCHS = 1500 };
#endif
enum { RANKS = 4, WORKERS_MAX = 8 };

SCREE_MESSAGE_ROUTED(hop, uint64_t);   /* how often it still hops */
SCREE_MESSAGE_ROUTED(owned, uint64_t); /* the same, to a worker */
SCREE_MESSAGE_ROUTED(lone, uint64_t);  /* the same, one handler at a time */
SCREE_VARIABLE(words);

typedef struct {
  threads_node node;
  uint32_t ranks, threads, endpoints; /* endpoints: of each rank, one more than threads with a progress thread */
  _Atomic uint64_t sent[EPOCHS];
  uint64_t handled[EPOCHS]
                  [WORKERS_MAX];      /* plain: written by the worker's handlers, read by all behind the epoch's end */
  uint64_t lone[EPOCHS][WORKERS_MAX]; /* the same, by the rank's serial handlers */
} contest;

typedef struct {
  contest *all;
  hop_type hop;
  owned_type owned;
  lone_type lone;
  words_type words;
  uint64_t last; /* epoch of the run */
} crew;

/* A worker. */
typedef struct {
  contest *all;
  uint32_t taking; /* workers of each rank in the epoch */
  uint64_t random, epoch, tally;
  uint64_t spare[8]; /* of another cache line */
} racer;

/* One rank's. */
typedef struct {
  crew crew;
  racer racer[WORKERS_MAX];
  uint64_t tally; /* messages: written by handlers of any worker, read by all between epochs, plainly */
} rank_state;

static void send_on(scree_worker *w, rank_state *r, uint64_t hops) {
  racer *me = &r->racer[w->index];
  uint32_t dest = (uint32_t)(scree__draw(&me->random) % w->ranks);
  static const char record[6000];
  atomic_fetch_add_explicit(&me->all->sent[me->epoch], 1, memory_order_relaxed);
  switch (scree__draw(&me->random) % 8) {
  case 0:
    words_send(w, r->crew.words, dest, record, scree__draw(&me->random) % sizeof record);
    break;
  case 1:
    lone_send(w, r->crew.lone, dest, hops);
    break;
  case 2:
    owned_send(w, r->crew.owned, scree_worker_number(w, dest, (uint32_t)(scree__draw(&me->random) % me->taking)), hops);
    break;
  default:
    hop_send(w, r->crew.hop, dest, hops);
  }
}

/* May come before all workers of the rank have begun the epoch. */
static void on_owned(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  rank_state *r = arg;
  racer *me = &r->racer[w->index];
  if (w->index == w->threads) { /* the progress thread, which has no loop of its own */
    me->epoch = r->racer[0].epoch;
    me->taking = r->racer[0].taking;
  }
  me->all->handled[me->epoch][w->rank * me->all->endpoints + w->index] += batch->count;
  for (uint32_t i = 0; i < batch->count; i++)
    if (items[i] > 0) send_on(w, arg, items[i] - 1);
}

static void on_hop(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  rank_state *r = arg;
  __atomic_fetch_add(&r->tally, batch->count, __ATOMIC_RELAXED); /* handlers of an epoch know nothing of each other */
  on_owned(w, batch, items, arg);
}

static void on_lone(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  const rank_state *r = arg;
  r->crew.all->lone[r->racer[0].epoch][w->rank] += batch->count;
  on_hop(w, batch, items, arg);
}

static void on_words(scree_worker *w, const scree_batch *batch, const void *items, void *arg) {
  static const uint64_t none[3]; /* batch_max */
  (void)items;
  on_hop(w, batch, none, arg);
}

SCREE_HANDLER(hop, uint64_t, on_hop);
SCREE_HANDLER(owned, uint64_t, on_owned);
SCREE_HANDLER(lone, uint64_t, on_lone);
SCREE_VARIABLE_HANDLER(words, on_words);

/* What handlers wrote in the epoch before is read before the next one begins, when others may be in that already. */
static void check_sums(const contest *c, uint64_t epoch) {
  uint64_t handled = 0;
  for (uint32_t i = 0; i < c->ranks * c->endpoints; i++) handled += c->handled[epoch][i];
  check_equal(handled, atomic_load_explicit(&c->sent[epoch], memory_order_relaxed));
}

static void one_epoch(scree_worker *w, rank_state *r) {
  racer *me = &r->racer[w->index];
  const contest *c = me->all;
  scree_reduce contribution = {{0, 1}, w->rank, w->rank};
  check_equal(scree_begin(w), SCREE_OK);
  for (uint64_t i = scree__draw(&me->random) % 20; i > 0; i--) send_on(w, r, i % 5);
  if (me->epoch & 1) {
    while (!scree_test(w, true, &contribution)) {
    }
  } else {
    scree_end(w, &contribution);
  }
  check_equal(scree_error(scree_world_of(w)), SCREE_OK);
  check_sums(c, me->epoch);
  check(r->tally >= me->tally);
  me->tally = r->tally;
  check_equal(contribution.sum[1], c->ranks * me->taking);
  check_equal(contribution.min, 0);
  check_equal(contribution.max, c->ranks - 1);
}

static void run_epochs(scree_worker *w, void *arg) {
  rank_state *r = arg;
  racer *me = &r->racer[w->index];
  for (; me->epoch < r->crew.last && harness_failures() == 0; me->epoch++) one_epoch(w, r);
}

/* A rank's turns: some of the library's workers, and then threads that join as all of them. */
enum { EPOCHS_A_TURN = 5, TURNS = EPOCHS / EPOCHS_A_TURN };

static bool joins_at(const contest *c, uint32_t turn) {
  return turn / c->threads % 2;
}

static uint32_t taking_at(const contest *c, uint32_t turn) {
  return joins_at(c, turn) ? c->threads : 1 + turn % c->threads;
}

static void run_some(scree_world *world, rank_state *r, uint32_t taking, bool joins) {
  for (uint32_t i = 0; i < taking; i++) {
    r->racer[i].epoch = r->racer[0].epoch;
    r->racer[i].taking = taking;
  }
  r->crew.last = r->racer[0].epoch + EPOCHS_A_TURN;
  if (joins)
    check_equal(scree_join_workers(world, taking, 0, run_epochs, r), SCREE_OK);
  else if (taking == 1 && (r->crew.all->endpoints == r->crew.all->threads || r->crew.last / EPOCHS_A_TURN % 3 == 0))
    run_epochs(scree_worker_of(world, 0), r);
  else
    check_equal(scree_run_workers(world, taking, run_epochs, r), SCREE_OK);
}

typedef struct {
  scree_world *world;
  rank_state *state;
  uint32_t index;
  pthread_t thread;
} joiner_thread;

/* Calls as soon as it can: while the turns before are under way. */
static void *join_all_turns(void *arg) {
  joiner_thread *j = arg;
  const contest *c = j->state->crew.all;
  for (uint32_t turn = 0; turn < TURNS; turn++)
    if (joins_at(c, turn))
      check_equal(scree_join_workers(j->world, taking_at(c, turn), j->index, run_epochs, j->state), SCREE_OK);
  return NULL;
}

/* Closes while the last turn's other threads may still be on their way out. */
static void run_turns(scree_world *world, rank_state *r) {
  const contest *c = r->crew.all;
  joiner_thread joiners[WORKERS_MAX];
  for (uint32_t i = 1; i < c->threads; i++) {
    joiners[i] = (joiner_thread){.world = world, .state = r, .index = i};
    if (pthread_create(&joiners[i].thread, NULL, join_all_turns, &joiners[i])) abort(); /* the others would wait */
  }
  for (uint32_t turn = 0; turn < TURNS; turn++) run_some(world, r, taking_at(c, turn), joins_at(c, turn));
  check_equal(scree_close(world), SCREE_OK);
  for (uint32_t i = 1; i < c->threads; i++) pthread_join(joiners[i].thread, NULL);
}

static void race(void *context, uint32_t rank) {
  contest *c = context;
  rank_state *r = calloc(1, sizeof *r);
  scree_world *world = threads_world(&c->node, rank);
  if (!check(world && r)) return;
  for (uint32_t i = 0; i < c->endpoints; i++)
    r->racer[i] = (racer){.all = c, .taking = 1, .random = 100 * rank + i + 1};
  r->crew.all = c;
  check_equal(hop_register(world, r, &r->crew.hop), SCREE_OK);
  check_equal(words_register(world, r, &r->crew.words), SCREE_OK);
  check_equal(owned_register_with(world, SCREE_TO_WORKER, r, &r->crew.owned), SCREE_OK);
  check_equal(lone_register_with(world, SCREE_SERIAL, r, &r->crew.lone), SCREE_OK);
  run_turns(world, r);
  free(r);
}

static void run_by(uint64_t route, uint64_t progress, uint32_t ranks, uint32_t threads, uint64_t memory,
                   uint64_t pool_blocks, uint64_t coalesce_bytes) {
  contest *c = calloc(1, sizeof *c);
  scree__options options = SCREE__OPTIONS_INIT;
  options.route = route;
  options.aggregate = route ? SCREE_AGGREGATE_RANK : SCREE_AGGREGATE_WORKER;
  options.progress = progress;
  options.threads = threads;
  options.memory = memory;
  options.test_pool_blocks = pool_blocks;
  options.coalesce_bytes = coalesce_bytes;
  options.batch_max = 3;
  if (c) c->ranks = ranks, c->threads = threads, c->endpoints = scree__options_endpoints(&options);
  if (check(c && threads_open(&c->node, ranks, &options.user))) threads_run(ranks, race, c);
  if (c) threads_close(&c->node);
  free(c);
}

static void run_with(uint64_t progress, uint32_t ranks, uint32_t threads, uint64_t memory, uint64_t pool_blocks,
                     uint64_t coalesce_bytes) {
  run_by(SCREE_ROUTE_DIRECT, progress, ranks, threads, memory, pool_blocks, coalesce_bytes);
}

static void run(uint32_t ranks, uint32_t threads, uint64_t memory, uint64_t pool_blocks, uint64_t coalesce_bytes) {
  run_with(SCREE_PROGRESS_NONE, ranks, threads, memory, pool_blocks, coalesce_bytes);
}

static void roomy(void **unused) {
  (void)unused;
  run(RANKS, 1, 1 << 20, 0, 0);
}

static void one_block(void **unused) {
  (void)unused;
  run(RANKS, 1, 4096, 1, 8);
}

static void workers(void **unused) {
  (void)unused;
  run(2, 2, 1 << 20, 0, 0);
  run(1, 4, 1 << 20, 0, 0);
}

static void workers_one_block(void **unused) {
  (void)unused;
  run(2, 3, 4096, 1, 8);
}

static void progress_thread(void **unused) {
  (void)unused;
  run_with(SCREE_PROGRESS_FULL, 2, 1, 1 << 20, 0, 0);
  run_with(SCREE_PROGRESS_FULL, 2, 2, 1 << 20, 0, 0);
  run_with(SCREE_PROGRESS_FULL, 2, 3, 4096, 1, 8);
}

/* What is passed on, and dealt out to workers. */
static void by_routes(void **unused) {
  (void)unused;
  run_by(SCREE_ROUTE_ROOK, SCREE_PROGRESS_NONE, RANKS, 2, 1 << 20, 0, 0);
  run_by(SCREE_ROUTE_RING, SCREE_PROGRESS_NONE, RANKS, 1, 8192, 1, 8);
  run_by(SCREE_ROUTE_ROOK, SCREE_PROGRESS_FULL, 2, 3, 8192, 2, 8);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(progress_thread),   cmocka_unit_test(roomy),
    cmocka_unit_test(one_block),         cmocka_unit_test(workers),
    cmocka_unit_test(workers_one_block), cmocka_unit_test(by_routes),
};
HARNESS_MAIN(tests)
