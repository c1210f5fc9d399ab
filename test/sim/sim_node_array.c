/* sim_node_array.c - arrays of a node on drawn worlds of 1 to 3 nodes: what a rank writes in one epoch the others of
 * its node read in the next, words that all change lose no change, and arrays that are opened again are zero. */
#include <atomic_ops.h>
#include <scree/memory.h>
#include <sys/resource.h>

#include "base/random.h"
#include "drawn_world.h"
#include "harness.h"

enum { SEEDS = 60, SEEDS_FULL = 500, ROUNDS = 3, LEVELS = 4, RANKS = 9, TALLIES = 7 };

/* What all virtual ranks share, since one thread runs them. */
typedef struct {
  uint64_t arrays[ROUNDS], seed; /* arrays: words in a part of a rank, in each round */
  uint64_t added[RANKS];         /* to the tallies, by the first rank of the node */
  uint32_t shared;               /* ranks that share with others */
  scree_status expected;
  bool alone;
} shared;

static uint64_t value_of(const shared *s, uint32_t rank, uint64_t level, uint64_t i) {
  return scree__hash(s->seed ^ rank << 24 ^ level << 16 ^ i) | 1;
}

static void describe(const shared *s, scree_world *world, const scree_node_array *a) {
  const uint32_t rank = scree_worker_of(world, 0)->rank, ranks = scree_worker_of(world, 0)->ranks;
  uint32_t here = 0;
  check_equal(a->index_of[rank], a->index);
  check_equal(!a->alone, !s->alone);
  for (uint32_t r = 0; r < ranks; r++) {
    if (a->index_of[r] == UINT32_MAX) continue;
    check_equal(a->index_of[r], here++);
    check_equal(a->leader_of[r], a->leader_of[rank]);
  }
  check_equal(here, a->ranks);
  check_equal(a->ranks, s->alone ? 1 : scree_node_ranks(world));
  check_equal(a->index_of[a->leader_of[rank]], 0);
}

/* Adds by compare-and-swap, in steps between which others run. */
static void add(shared *s, const scree_node_array *a, scree_worker *w, volatile AO_t *tally, uint64_t value) {
  AO_t old;
  do {
    old = AO_load(tally);
    scree_node_array_step(a, w);
  } while (!AO_compare_and_swap(tally, old, old + value));
  s->added[a->leader_of[w->rank]] += value;
}

/* In an array: the tallies, and parts of `words`, of which the owner writes one level in each epoch. */
static void play_levels(shared *s, scree_worker *w, const scree_node_array *a, uint64_t words) {
  volatile AO_t *tally = (volatile AO_t *)(void *)a->at, *part = tally + TALLIES;
  for (uint64_t level = 0; level < LEVELS; level++) {
    if (!check_equal(scree_begin(w), SCREE_OK)) return;
    for (uint64_t i = 0; i < words; i++) {
      AO_store(&part[(level % 2 * a->ranks + a->index) * words + i], value_of(s, w->rank, level, i));
      scree_node_array_step(a, w);
      if (i % 3 == 0) add(s, a, w, &tally[i % TALLIES], i + 1);
    }
    for (uint32_t r = 0; level && r < w->ranks; r++)
      for (uint64_t i = 0; a->index_of[r] != UINT32_MAX && i < words; i++)
        if (!check_equal(AO_load(&part[((level - 1) % 2 * a->ranks + a->index_of[r]) * words + i]),
                         value_of(s, r, level - 1, i)))
          return;
    check_equal(scree_end(w, NULL), SCREE_OK);
  }
}

static bool is_zero(const scree_node_array *a) {
  for (size_t i = 0; i < a->bytes; i++)
    if (a->at[i]) return false;
  return true;
}

static void play_round(shared *s, scree_world *world, uint64_t words) {
  scree_worker *w = scree_worker_of(world, 0);
  const scree_node_array *a = NULL;
  const size_t bytes = (TALLIES + 2 * RANKS * words) * sizeof(AO_t);
  const scree_status status = scree_node_array_open(world, bytes, &a);
  if (!check_equal(status, s->expected) || status) return;
  describe(s, world, a);
  s->shared += !a->alone;
  check(is_zero(a));
  const uint32_t leader = a->leader_of[w->rank];
  s->added[leader] = 0;
  check(!scree_begin(w) && !scree_end(w, NULL)); /* all have examined it before one writes */
  play_levels(s, w, a, words);
  uint64_t sum = 0;
  for (uint32_t i = 0; i < TALLIES; i++) sum += AO_load((volatile AO_t *)(void *)a->at + i);
  check_equal(sum, s->added[leader]);
  scree_node_array_close(world, a);
}

static void play(scree_world *world, void *arg) {
  shared *s = arg;
  for (uint32_t i = 0; i < ROUNDS; i++) play_round(s, world, s->arrays[i]);
}

static uint64_t run(uint64_t seed, uint64_t option, scree_status expected, bool alone) {
  drawn_world d = draw_world(seed, 3, 1);
  shared s = {.seed = seed, .expected = expected, .alone = alone || d.config.nodes == d.config.ranks};
  for (uint32_t i = 0; i < ROUNDS; i++) s.arrays[i] = 1 + scree__draw(&d.random) % (i == 1 ? 3 : 900);
  d.options.node_arrays = option;
  if (!check_equal(scree_sim_run(&d.config, (scree_options *)&d.options, play, &s, NULL), SCREE_OK))
    fprintf(stderr, "seed %" PRIu64 "\n", seed);
  return s.shared;
}

HARNESS_TEST(others_of_the_node_see_what_a_rank_writes) {
  const uint64_t seeds = harness_seeds(SEEDS, SEEDS_FULL);
  uint64_t shared_by = 0;
  for (uint64_t seed = 1; seed <= seeds && !harness_failures(); seed++)
    shared_by += run(seed, SCREE_NODE_ARRAYS_AUTO, SCREE_OK, false);
  check(shared_by > seeds);
}

HARNESS_TEST(off_every_rank_is_alone) {
  for (uint64_t seed = 1; seed <= 10; seed++) check_equal(run(seed, SCREE_NODE_ARRAYS_OFF, SCREE_OK, true), 0);
}

/* A file may not grow: as where /dev/shm is full, the segment fails. Shared memory of virtual ranks' blocks is none. */
HARNESS_TEST(short_memory_switches_auto_off_and_is_an_error_of_on) {
  struct rlimit before;
  uint64_t seed = 1;
  for (;; seed++) {
    const drawn_world d = draw_world(seed, 3, 1);
    if (d.config.nodes < d.config.ranks) break;
  }
  check(getrlimit(RLIMIT_FSIZE, &before) == 0);
  const struct rlimit none = {4096, before.rlim_max};
  check(setrlimit(RLIMIT_FSIZE, &none) == 0);
  check_equal(run(seed, SCREE_NODE_ARRAYS_AUTO, SCREE_OK, true), 0);
  run(seed, SCREE_NODE_ARRAYS_ON, SCREE_ENOMEM, true);
  check(setrlimit(RLIMIT_FSIZE, &before) == 0);
}

static void open_unequal(scree_world *world, void *arg) {
  const scree_node_array *a = NULL;
  check_equal(scree_node_array_open(world, 64 + scree_worker_of(world, 0)->rank, &a), SCREE_EINVAL);
  check(!a);
  check_contains(scree_error_text(world), "64 bytes on rank 0, 65 on rank 1: pass the same on all ranks");
  check_equal(scree_node_array_open(world, SIZE_MAX / 2, &a), SCREE_ENOMEM);
  check_contains(scree_error_text(world), "free memory");
  check_equal(scree_begin(scree_worker_of(world, 0)), SCREE_OK);
  check_equal(scree_end(scree_worker_of(world, 0), NULL), SCREE_OK); /* the world is usable */
  check_equal(scree_node_array_open(world, 64, &a), SCREE_OK);
  scree_node_array_close(world, NULL);
}

HARNESS_TEST(wrong_sizes_are_refused) {
  const scree_sim_config config = {.seed = 1, .ranks = 3, .nodes = 2, .quiet = true};
  check_equal(scree_sim_run(&config, NULL, open_unequal, NULL, NULL), SCREE_OK);
}

HARNESS_MAIN
