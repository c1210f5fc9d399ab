/* litmus.c - litmus tests of global memory over the simulated memory: four ranks of one node access the words directly,
 * on their own stacks, so that loads may be stale wherever a barrier is missing. */
#include <scree/global.h>
#include <scree/scree_sim.h>
#include <stdlib.h>

#include "global/operation.h"
#include "global_litmus.h"
#include "harness.h"
#include "weak.h"

/* Over the simulated MPI. */
void sim_mpi_deliver(void) __attribute__((weak));

enum { SEEDS = 8 /* ./dev weak plays more */, SEEDS_FULL = 3000, ADDS = 4 };

typedef struct {
  const litmus *of; /* NULL: all add */
  scree_global words;
  const scree_global_map *map;
  volatile uint32_t here; /* ranks that are about to begin */
  uint64_t got[LITMUS_THREADS][LITMUS_STEPS], last[2], old;
} shared;

static scree_address word(const shared *s, uint32_t i) {
  return scree_global_at(s->map, &s->words, i, 0);
}

static bool take_step(shared *s, scree_worker *w, const step *of, uint64_t *got) {
  const scree_address at = word(s, of->word);
  if (!of->value) return scree_get_poll(w, got, at, 8) == SCREE_OK;
  if (of->by == WAITS) return scree_put_value_poll(w, at, of->value, 8) == SCREE_OK;
  scree_put_value_nbi(w, at, of->value, 8);
  return (of->by == FENCED ? scree_fence_poll(w, at) : scree_quiet_poll(w)) == SCREE_OK;
}

/* Old values are all different: a bit for each. */
static bool add(shared *s, scree_worker *w) {
  uint64_t old = 0;
  const bool well = scree_atomic_fetch_add_poll(w, word(s, 1), 1, 8, &old) == SCREE_OK;
  if (!check_text((s->old >> old & 1) == 0, "two adds have seen %" PRIu64, old)) return false;
  s->old |= UINT64_C(1) << old;
  return well;
}

scree_worker *weak_open_words(scree_world *world, const scree_global_map **map, scree_global *words) {
  scree_worker *w = scree_worker_of(world, 0);
  scree_global_options options = SCREE_GLOBAL_OPTIONS_INIT;
  options.global_heap = 1 << 16;
  options.global_direct = SCREE_GLOBAL_DIRECT_ON;
  if (scree_global_open(world, &options)) return NULL;
  if (w->rank == 0) *map = scree_global_map_of(world);
  scree_global own;
  if (scree_symmetric_alloc(world, 64, &own)) return NULL;
  if (w->rank == 0) *words = own;
  if (scree_begin(w) || scree_end(w, NULL)) return NULL;
  scree__global_world *of = scree__globals_of(scree__worker_of(w))->of;
  for (uint32_t r = 0; w->rank > 0 && r < w->ranks; r++)
    if (of->memory.area[r] && (*map)->area[r])
      of->memory.area[r] = (*map)->area[r]; /* one address for each word: objects are known by it */
  return scree_begin(w) ? NULL : w;
}

static void rank(scree_world *world, void *arg) {
  shared *s = arg;
  scree_worker *w = scree_tasks_open(world, NULL) ? NULL : weak_open_words(world, &s->map, &s->words);
  if (!w) return;
  for (uint32_t i = 0; w->rank == 0 && i < 2; i++) check_equal(scree_put_value_poll(w, word(s, i), 0, 8), SCREE_OK);
  if (scree_end(w, NULL) || scree_begin(w)) return;
  s->here++;
  while (s->here < LITMUS_THREADS) weak_step(); /* at once, and nothing orders them */
  for (uint32_t i = 0; s->of && i < LITMUS_STEPS; i++)
    if (!take_step(s, w, &s->of->thread[w->rank][i], &s->got[w->rank][i])) return;
  for (uint32_t i = 0; !s->of && i < ADDS && add(s, w);) i++;
  if (scree_end(w, NULL) || scree_begin(w)) return;
  for (uint32_t i = 0; w->rank == 0 && i < 2; i++) check_equal(scree_get_poll(w, &s->last[i], word(s, i), 8), SCREE_OK);
  scree_end(w, NULL);
}

static void play(uint64_t seed, const litmus *of) {
  static shared s;
  scree_options options = SCREE_OPTIONS_INIT;
  const scree_sim_config config = {.seed = seed, .ranks = LITMUS_THREADS, .nodes = 1, .threads = 1};
  options.memory = 1 << 20;
  s = (shared){.of = of};
  weak_ignore(&s, sizeof s);
  check_equal(scree_sim_run(&config, &options, rank, &s, NULL), SCREE_OK);
  check_text(!weak_finding(), "seed %" PRIu64 ": %s", seed, weak_finding());
  if (of)
    check_text(!of->forbidden(s.got, s.last), "%s, seed %" PRIu64 ": a forbidden outcome", of->name, seed);
  else
    check_equal(s.last[1], LITMUS_THREADS * ADDS);
}

/* ---- an atomic operation passes a word on, between a rank that touches both directly and one of another node, by
 * messages ---- */

typedef struct {
  shared words;
  uint64_t seed;
} passing;
enum { DIRECT = 1, REMOTE = 2, POLLS = 12 };

static uint64_t modify(const passing *p, scree_worker *w, scree_address at, uint32_t bytes) {
  uint64_t old = 0;
  const uint64_t value = p->seed / 2 % 2 ? 1 : 2;
  const scree_status status = p->seed / 4 % 2 ? scree_atomic_fetch_add_poll(w, at, value, bytes, &old)
                                              : scree_atomic_or_poll(w, at, value, bytes, &old);
  check_equal(status, SCREE_OK);
  return old;
}

static uint64_t get(scree_worker *w, scree_address at, uint32_t bytes) {
  uint64_t value = 0;
  check_equal(scree_get_poll(w, &value, at, bytes), SCREE_OK);
  return value;
}

/* One stores the data, then the flag; the other sees the flag, and must see the data. */
static void pass_rank(scree_world *world, void *arg) {
  passing *p = arg;
  scree_worker *w = scree_tasks_open(world, NULL) ? NULL : weak_open_words(world, &p->words.map, &p->words.words);
  if (!w) return;
  const bool by_message = p->seed / 2 % 2; /* that rank stores */
  const uint32_t bytes = p->seed % 2 ? 8 : 4;
  const scree_address data = scree_global_at(p->words.map, &p->words.words, 0, 0), flag = data + 8;
  if (w->rank == 0) check(!scree_put_value_poll(w, data, 0, 8) && !scree_put_value_poll(w, flag, 0, 8));
  if (scree_end(w, NULL) || scree_begin(w)) return;
  if (w->rank == (by_message ? REMOTE : DIRECT)) {
    check_equal(scree_put_value_poll(w, data, 1, bytes), SCREE_OK);
    if (by_message)
      modify(p, w, flag, bytes);
    else
      check_equal(scree_put_value_poll(w, flag, 1, bytes), SCREE_OK);
  } else if (w->rank == (by_message ? DIRECT : REMOTE)) {
    for (int i = 0; i < POLLS; i++) {
      const uint64_t seen = by_message ? get(w, flag, bytes) : modify(p, w, flag, bytes);
      if (seen & 1) check_text(get(w, data, bytes) == 1, "the flag is seen, the data is not: seed %" PRIu64, p->seed);
    }
  }
  scree_end(w, NULL);
}

void weak_atomics(void **unused) {
  if (sim_mpi_deliver) harness_skip("ranks of a node have memory at different addresses");
  const char *first = getenv("SCREE_TEST_SEED");
  const uint64_t from = first ? strtoull(first, NULL, 10) : 1, count = (harness_seeds(4 * SEEDS, SEEDS_FULL) + 3) / 4;
  uint64_t seed = from;
  scree__order = &weak_order;
  for (; seed < from + count && harness_failures() == 0; seed++) {
    static passing p;
    scree_options options = SCREE_OPTIONS_INIT;
    const scree_sim_config config = {.seed = seed, .ranks = 4, .nodes = 2, .threads = 1, .max_steps = 4000000};
    options.memory = 1 << 20;
    p = (passing){.seed = seed};
    weak_ignore(&p, sizeof p);
    check_equal(scree_sim_run(&config, &options, pass_rank, &p, NULL), SCREE_OK);
    check_text(!weak_finding(), "seed %" PRIu64 ": %s", seed, weak_finding());
  }
  scree__order = NULL;
  printf("%" PRIu64 " runs\n", seed - from);
}

void weak_litmus(void **unused) {
  if (sim_mpi_deliver) harness_skip("ranks of a node have memory at different addresses");
  const uint64_t count = harness_seeds(SEEDS / 4, SEEDS_FULL);
  scree__order = &weak_order;
  for (uint64_t seed = 1; seed <= count && harness_failures() == 0; seed++) {
    for (uint32_t i = 0; i < LITMUS_TESTS; i++) play(seed, &litmus_tests[i]);
    play(seed, NULL);
  }
  scree__order = NULL;
}
