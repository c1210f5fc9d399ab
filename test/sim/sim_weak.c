/* sim_weak.c - the core over a simulated memory of C11 (test/weak): random programs, and epochs in which workers read
 * plain words of each other. Atomic loads may return older values, and plain accesses that nothing orders are findings.
 *
 * SCREE_TEST_ROW='seed=N ...' plays that program alone, SCREE_TEST_SEEDS=N changes their number, SCREE_TEST_SEED=N is
 * the first. */
#include <malloc.h>
#include <scree/bfs.h>
#include <scree/sssp.h>

#include "base/bytes.h"
#include "core/epoch.h"
#include "harness.h"
#include "kernels.h"
#include "thread/lock.h"
#include "traffic.h"
#include "weak.h"

enum { SEEDS = 5, SEEDS_FULL = 400, RANKS = 3, THREADS = 2, RUNS = 2, EPOCHS = 6, MANY = 12 };
enum { STEPS = 2000000 /* eight times what the longest run takes; more have hung */ };

/* Over the simulated MPI or, where that is not linked, over plain memory. */
void sim_mpi_deliver(void) __attribute__((weak));
#define WEAK_MPI (sim_mpi_deliver != NULL)

static uint64_t first_seed(void) {
  const char *first = getenv("SCREE_TEST_SEED");
  return first ? strtoull(first, NULL, 10) : 1;
}

/* From first_seed() on, until one fails. */
#define FOR_SEEDS(seed, count)                                                                                         \
  for (uint64_t seed = first_seed(), last_ = seed + (count); seed < last_ && harness_failures() == 0; seed++)

static void print_counts(void) {
  printf("%" PRIu64 " runs, %" PRIu64 " loads of which %" PRIu64 " stale, %" PRIu64 " stores of which %" PRIu64
         " earlier, %" PRIu64 " updates, %" PRIu64 " failed on a stale value, %" PRIu64 " plain accesses\n",
         weak_total.runs, weak_total.loads, weak_total.stale, weak_total.stores, weak_total.earlier, weak_total.updates,
         weak_total.failed, weak_total.plain);
}

/* The counts of the program are not checked: all virtual ranks share them. */
static bool play(const char *row, traffic_totals *totals, char *why) {
  uint64_t steps = 0;
  simulated *s = traffic_prepare(row, false, why);
  if (!s) return false;
  weak_ignore(s, malloc_usable_size(s));
  weak_ignore(totals, sizeof *totals);
  const scree_status status = scree_sim_run(&s->config, &s->p.drawn.user, traffic_virtual_rank, s, &steps);
  if (!traffic_judge(s, status, steps, totals, why)) return false;
  return !weak_finding();
}

static void programs(void **words) {
  const char *one = getenv("SCREE_TEST_ROW");
  const uint64_t count = one ? 1 : harness_seeds(SEEDS, SEEDS_FULL);
  static traffic_totals totals;
  scree__order = &weak_order;
  FOR_SEEDS(seed, count) {
    char why[WHY] = "", row[ROW];
    const int ranks = 1 + (int)(seed % 5);
    snprintf(row, ROW, "seed=%" PRIu64 " ranks=%d tasks=0 %s", seed, ranks, (const char *)*words);
    if (WEAK_MPI) snprintf(row + strlen(row), ROW - strlen(row), " nodes=%d", ranks);
    const bool good = play(one ? one : row, &totals, why);
    check_text(good, "%s; to replay: SCREE_TEST_ROW='%s'", weak_finding() ? weak_finding() : why, one ? one : row);
  }
  scree__order = NULL;
  print_totals(&totals);
  print_counts();
}

/* ---- plain words ---- */

SCREE_MESSAGE(ping, uint64_t);

typedef struct {
  ping_type ping[RANKS];
  scree_world *world[RANKS];
  uint32_t progress; /* additional endpoints in each rank */
  bool fails;
  bool one_way;            /* to the last rank alone, so that senders learn of each other by its inbox only */
  uint64_t written[RANKS]; /* by the rank's first worker, before each run */
  uint64_t begun[RANKS][THREADS][EPOCHS];       /* by the worker, before it begins */
  uint64_t handled[RANKS][THREADS + 1][EPOCHS]; /* by its handlers */
} words;

/* All workers of this rank have begun, in an epoch that each of them begins. */
static void on_ping(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  words *s = arg;
  for (uint32_t i = 0; i < batch->count; i++) {
    for (uint32_t t = 0; t < THREADS; t++) check_equal(s->begun[w->rank][t][items[i]], items[i] + 1);
    s->handled[w->rank][w->index][items[i]]++;
  }
}
SCREE_HANDLER(ping, uint64_t, on_ping);

static void check_words(const words *s, uint64_t e, uint64_t sent) {
  uint64_t sum = 0;
  for (uint32_t r = 0; r < RANKS; r++) {
    for (uint32_t t = 0; t <= THREADS; t++) sum += s->handled[r][t][e];
    for (uint32_t t = 0; t < THREADS; t++) sum += 1000 * (s->begun[r][t][e] - e);
  }
  check_equal(sum, 1000 * RANKS * THREADS + sent);
}

/* In the first epoch all send, in the second one worker, in the others none. */
static void exchange(scree_worker *w, words *s, uint64_t e) {
  const uint64_t me = w->rank * THREADS + w->index, first = e % 3;
  scree_reduce total = {.sum = {me + e, 1}, .min = me + e, .max = me + e};
  s->begun[w->rank][w->index][e] = e + 1;
  scree_begin(w);
  const uint64_t many = s->one_way ? 5 * MANY : MANY;
  const uint64_t times = first == 0 ? many : first == 1 && w->index == 1 && w->rank == 0;
  for (uint64_t i = 0; i < times; i++) {
    if (!s->one_way)
      ping_send_all(w, s->ping[w->rank], e);
    else if (w->rank < RANKS - 1)
      ping_send(w, s->ping[w->rank], RANKS - 1, e);
  }
  check_equal(scree_end(w, &total), SCREE_OK);
  check_equal(total.sum[0], e * RANKS * THREADS + RANKS * THREADS * (RANKS * THREADS - 1) / 2);
  check_equal(total.sum[1], RANKS * THREADS);
  check_equal(total.min, e);
  check_equal(total.max, e + RANKS * THREADS - 1);
  const uint64_t each = s->one_way ? 1 : RANKS, senders = s->one_way ? RANKS - 1 : RANKS;
  check_words(s, e, each * (first == 0 ? many * senders * THREADS : first == 1));
}

static void work(scree_worker *w, void *arg) {
  words *s = arg;
  const uint64_t run = s->written[w->rank];
  for (uint64_t e = 0; e < EPOCHS / RUNS; e++) exchange(w, s, run * EPOCHS / RUNS + e);
  if (s->fails && run + 1 == RUNS) weak_fail_one(w, w->rank == 1 && w->index == 1);
}

static void rank(scree_world *world, void *arg) {
  words *s = arg;
  const uint32_t r = scree_worker_of(world, 0)->rank;
  s->world[r] = world;
  ping_register(world, s, &s->ping[r]);
  for (uint64_t run = 0; run < RUNS; run++) {
    s->written[r] = run;
    check_equal(scree_run_workers(world, THREADS, work, s), s->fails && run + 1 == RUNS ? SCREE_EMPI : SCREE_OK);
  }
}

/* A simulated MPI has a node for each rank: what ranks of one share has another address in each. */
HARNESS_TEST(plain_words) {
  const uint64_t count = harness_seeds(5 * SEEDS, 10 * SEEDS_FULL);
  scree__order = &weak_order;
  FOR_SEEDS(seed, count) {
    scree_options options = SCREE_OPTIONS_INIT;
    const uint32_t drawn = (uint32_t)(seed * 0x9E3779B9u) >> 16;
    words s = {.fails = drawn & 1, .progress = drawn >> 1 & 1, .one_way = drawn >> 5 & 1};
    options.memory = 1 << 20;
    if (s.one_way) options.coalesce_bytes = 8, options.in_flight = 1; /* inboxes of few cells, which are used again */
    if (s.progress)
      options.progress = SCREE_PROGRESS_FULL;
    else if (WEAK_MPI)
      options.progress = drawn & 4 ? SCREE_PROGRESS_COMM : SCREE_UNSET;
    if (drawn & 8) options.detector = SCREE_DETECTOR_FLAT;
    const scree_sim_config config = {.seed = seed,
                                     .ranks = RANKS,
                                     .nodes = WEAK_MPI ? RANKS : 1 + (drawn >> 4) % 2,
                                     .threads = THREADS,
                                     .max_steps = STEPS,
                                     .quiet = s.fails};
    check_equal(scree_sim_run(&config, &options, rank, &s, NULL), s.fails ? SCREE_EMPI : SCREE_OK);
    check_text(!weak_finding(), "%s; to replay: SCREE_TEST_SEED=%" PRIu64 " SCREE_TEST_SEEDS=1", weak_finding(), seed);
  }
  scree__order = NULL;
  print_counts();
}

/* ---- one message that hops, so that no other message hides an error in what a detector reads of its workers ---- */

enum { HOPS = 6, HOP_EPOCHS = 30, HOP_RANKS = 4 };
SCREE_MESSAGE(hop, uint64_t);

typedef struct {
  hop_type hop[HOP_RANKS];
  scree_reduce *total[HOP_RANKS]; /* of the epoch that is open */
  AO_t mail[HOP_RANKS];      /* 1 + epoch: work that was passed on under a hold; stored by release, loaded by acquire */
  uint64_t created, handled; /* when the ranks have left the last epoch, which fails */
} hops;

static void on_hop(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  hops *s = arg;
  for (uint32_t i = 0; i < batch->count; i++) {
    s->total[w->rank]->sum[0]++;
    if (items[i]) hop_send(w, s->hop[w->rank], (uint32_t)(w->rank + 1 + items[i] % 2) % w->ranks, items[i] - 1);
  }
}
SCREE_HANDLER(hop, uint64_t, on_hop);

static bool open_mail(scree_worker *w, hops *s, uint64_t e) {
  if (AO_load_acquire(&s->mail[w->rank]) != e + 1) return false;
  AO_store(&s->mail[w->rank], 0);
  hop_send(w, s->hop[w->rank], (w->rank + 1) % w->ranks, HOPS);
  scree_release(w, 1);
  if (e == HOP_EPOCHS) scree_fail(w, SCREE_EMPI, "on purpose");
  return true;
}

/* The first rank of an epoch sends, or passes to the next one work that sends. */
static void hop_epoch(scree_worker *w, hops *s, uint64_t e) {
  scree_reduce total = {.sum = {0, w->rank}, .min = w->rank + e, .max = w->rank + e};
  const uint32_t next = (w->rank + 1) % w->ranks;
  s->total[w->rank] = &total;
  scree_begin(w);
  if (w->rank == e % w->ranks && (e % 2 || e == HOP_EPOCHS)) {
    scree_hold(w, 1);
    AO_store_release(&s->mail[next], e + 1);
  } else if (w->rank == e % w->ranks) {
    hop_send(w, s->hop[w->rank], next, HOPS);
  }
  for (bool worked = true; !scree_test(w, !worked, &total);) worked = open_mail(w, s, e);
  if (e == HOP_EPOCHS) {
    const scree__worker *me = scree__worker_of(w);
    s->created += me->end.created, s->handled += me->end.handled;
    return;
  }
  check_equal(total.sum[0], HOPS + 1);
  check_equal(total.sum[1], w->ranks * (w->ranks - 1) / 2);
  check_equal(total.min, e);
  check_equal(total.max, e + w->ranks - 1);
}

static void hop_rank(scree_world *world, void *arg) {
  hops *s = arg;
  scree_worker *w = scree_worker_of(world, 0);
  hop_register(world, s, &s->hop[w->rank]);
  for (uint64_t e = 0; e <= HOP_EPOCHS; e++) hop_epoch(w, s, e);
}

HARNESS_TEST(hopping) {
  const uint64_t count = harness_seeds(2 * SEEDS, 10 * SEEDS_FULL);
  scree__order = &weak_order;
  FOR_SEEDS(seed, count) {
    hops s = {.mail = {0}};
    weak_ignore(&s.created, sizeof s.created + sizeof s.handled);
    const uint32_t ranks = HOP_RANKS - seed % 2, nodes = WEAK_MPI ? ranks : 1 + seed / 2 % 2;
    const scree_sim_config config = {.seed = seed, .ranks = ranks, .nodes = nodes, .max_steps = STEPS, .quiet = true};
    check_equal(scree_sim_run(&config, NULL, hop_rank, &s, NULL), SCREE_EMPI);
    check_text(s.created == s.handled, "seed %" PRIu64 ": the epoch that fails has ended early", seed);
    check_text(!weak_finding(), "seed %" PRIu64 ": %s", seed, weak_finding());
  }
  scree__order = NULL;
  print_counts();
}

/* ---- the locks under which workers call MPI ---- */

enum { USERS = 4, ENTRIES = 40 };
typedef struct {
  scree__lock lock;
  scree__lock_user user[USERS];
  uint64_t entries; /* by the thread inside */
  scree__priority priority[USERS];
} locked;

static void use_lock(void *arg, uint32_t user) {
  locked *l = arg;
  for (int i = 0; i < ENTRIES; i++) {
    const scree__priority priority = (user + (uint32_t)i) % 3 ? SCREE__HIGH : SCREE__LOW;
    scree__lock_enter(&l->lock, &l->user[user], priority);
    l->entries++;
    weak_yield();
    scree__lock_leave(&l->lock, priority);
  }
}

HARNESS_TEST(locks) {
  static const uint64_t kinds[] = {SCREE_LOCK_MUTEX, SCREE_LOCK_TICKET, SCREE_LOCK_PRIORITY};
  const uint64_t count = harness_seeds(SEEDS, SEEDS_FULL);
  if (WEAK_MPI) harness_skip("without MPI");
  scree__order = &weak_order;
  FOR_SEEDS(seed, count) {
    for (int kind = 0; kind < 3; kind++) {
      locked *l = aligned_alloc(SCREE__LINE, (sizeof *l + SCREE__LINE - 1) / SCREE__LINE * SCREE__LINE);
      memset(l, 0, sizeof *l);
      scree__lock_init(&l->lock, kinds[kind], 4);
      scree__lock_start(&l->lock, 0 - seed % 8);
      scree__token token = {
          .threads = USERS, .of_rank = 1, .seed = seed, .max_steps = 1000000, .run = use_lock, .arg = l};
      check(scree__token_run(&token) && !token.hung);
      check_equal(l->entries, USERS * ENTRIES);
      check_text(!weak_finding(), "lock %d: %s", kind, weak_finding());
      scree__lock_destroy(&l->lock);
      free(l);
    }
  }
  scree__order = NULL;
}

/* ---- kernels whose workers share arrays ---- */

typedef struct {
  const char *algorithm;
  const void *how;
  const char *kernel;
} solved;

static void solve(scree_world *world, void *arg) {
  const solved *k = arg;
  kernel_layer layer;
  scree_graph *g = NULL;
  scree_answer answer = {0};
  scree_verdict verdict = {0};
  if (!kernels_open(world, &layer)) return;
  scree_solver *solver = layer.solver[kernel_row_find(k->kernel)];
  if (check(scree_graph_load(layer.graphs, "kron:6", NULL, &g) == SCREE_OK) &&
      check_equal(scree_solver_run(solver, g, 1, k->how, &answer), SCREE_OK)) {
    check_equal(scree_solver_validate(solver, g, 1, k->how, &answer, &verdict), SCREE_OK);
    check_text(verdict.valid, "%s: %s", k->algorithm, verdict.text);
  }
  scree_answer_free(&answer);
  scree_graph_free(g);
  kernels_close(&layer);
}

HARNESS_TEST(kernels) {
  scree_bfs_options bfs = SCREE_BFS_OPTIONS_INIT;
  scree_sssp_options sssp = SCREE_SSSP_OPTIONS_INIT;
  bfs.algorithm = "hybrid", sssp.algorithm = "dc-hybrid";
  const solved all[] = {{bfs.algorithm, &bfs, "bfs"}, {sssp.algorithm, &sssp, "sssp"}};
  const uint64_t count = harness_seeds(SEEDS, SEEDS_FULL);
  if (WEAK_MPI) harness_skip("without MPI");
  scree__order = &weak_order;
  FOR_SEEDS(seed, count) {
    const scree_sim_config config = {.seed = seed, .ranks = 1 + seed % 2, .nodes = 1, .threads = 3};
    solved k = all[seed / 2 % 2];
    check_equal(scree_sim_run(&config, NULL, solve, &k, NULL), SCREE_OK);
    check_text(!weak_finding(), "%s: %s", k.algorithm, weak_finding());
  }
  scree__order = NULL;
}

#define PROGRAMS(words)                                                                                                \
  { words, programs, NULL, NULL, (void *)(uintptr_t)(words) }
static const struct CMUnitTest tests[] = {
    cmocka_unit_test(weak_litmus),
    cmocka_unit_test(weak_atomics),
    cmocka_unit_test(weak_deque),
    cmocka_unit_test(weak_stolen),
    cmocka_unit_test(weak_texts),
    cmocka_unit_test(weak_foreign),
    cmocka_unit_test(weak_comm),
    cmocka_unit_test(weak_counters),
    cmocka_unit_test(weak_words),
    cmocka_unit_test(weak_program_order),
    cmocka_unit_test(weak_pauses),
    PROGRAMS("faults=0"),
    PROGRAMS(""),
    PROGRAMS("faults=0 tasks=1 loops=0 objects=1 global=0 types=3 epochs=2 roots=3 depth=2 scale=0 crowd=0"),
};
HARNESS_MAIN_OF(tests)
