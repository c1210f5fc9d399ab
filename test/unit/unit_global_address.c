/* unit_global_address.c - addresses of global memory against a model that counts stripes one by one. It needs no
 * world. */
#include <scree/global.h>

#include "base/hash.h"
#include "harness.h"

static const uint32_t rank_counts[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 64, 100};
enum { COUNTS = sizeof rank_counts / sizeof *rank_counts };

/* From linear address 0 on: who has the byte, and where. */
typedef struct {
  uint64_t a, offset; /* offset: of the stripe on its owner */
  uint32_t owner;
} model;

static void step(model *m, uint32_t ranks, uint64_t stripe) {
  m->a += stripe;
  if (++m->owner < ranks) return;
  m->owner = 0;
  m->offset += stripe;
}

static bool check_byte(const scree_global_map *map, const model *m, uint64_t within) {
  const scree_address a = m->a + within;
  const uint64_t stripe = UINT64_C(1) << map->shift;
  return check_equal(scree_global_owner(map, a), m->owner) &&
         check_equal(scree_global_offset(map, a), m->offset + within) &&
         check_equal(scree_global_linear(map, m->owner, m->offset + within), a) &&
         check_equal(scree_global_span(map, a), stripe - within);
}

static void check_map(uint32_t ranks, uint64_t stripe) {
  scree_global_map map;
  model m = {0, 0, 0};
  scree_global_map_init(&map, ranks, 1 << 20, stripe);
  for (uint32_t i = 0; i < 4 * ranks + 3; i++, step(&m, ranks, stripe))
    if (!check_byte(&map, &m, 0) || !check_byte(&map, &m, stripe / 2) || !check_byte(&map, &m, stripe - 1)) return;
}

HARNESS_TEST(owner_and_offset) {
  for (uint32_t i = 0; i < COUNTS; i++)
    for (uint64_t stripe = 8; stripe <= 4096; stripe *= 2) check_map(rank_counts[i], stripe);
}

/* Bytes of each rank, counted one by one. */
static void check_below(uint32_t ranks, uint64_t stripe) {
  scree_global_map map;
  uint64_t seen[128] = {0};
  scree_global_map_init(&map, ranks, 1 << 20, stripe);
  for (scree_address a = 0; a < 3 * ranks * stripe; a++) {
    for (uint32_t r = 0; r < ranks; r++)
      if (!check_equal(scree_global_below(&map, a, r), seen[r])) return;
    seen[scree_global_owner(&map, a)]++;
  }
}

HARNESS_TEST(share_of_each_rank) {
  for (uint32_t i = 0; i < COUNTS && rank_counts[i] <= 12; i++)
    for (uint64_t stripe = 8; stripe <= 64; stripe *= 2) check_below(rank_counts[i], stripe);
}

HARNESS_TEST(walk_over_ranks) {
  for (uint32_t i = 0; i < COUNTS; i++) {
    scree_global_map map;
    scree_global_map_init(&map, rank_counts[i], 1 << 20, 64);
    scree_address a = 0;
    for (uint64_t n = 0; n < 5000; n++) {
      const int64_t bytes = (int64_t)(scree__hash_draw(i, n) % 5000) - (int64_t)(a < 5000 ? a : 1000);
      const scree_address b = scree_global_add(a, bytes);
      check_equal(b - a, (uint64_t)bytes);
      check_equal(scree_global_linear(&map, scree_global_owner(&map, b), scree_global_offset(&map, b)), b);
      a = b;
    }
  }
}

/* The largest heaps, where a product of stripe and ranks does not fit 64 bits, and no reciprocal is used. */
HARNESS_TEST(large_addresses) {
  static const uint32_t ranks[] = {3, 1000, 4095, 1 << 20, (1 << 23) - 1, 1 << 23};
  for (uint32_t i = 0; i < sizeof ranks / sizeof *ranks; i++)
    for (uint64_t stripe = 8; stripe <= 4096; stripe *= 8) {
      scree_global_map map;
      scree_global_map_init(&map, ranks[i], SCREE_GLOBAL_HEAP_MAX, stripe);
      for (uint64_t n = 0; n < 1000; n++) {
        const scree_address a = scree__hash_draw(i, n) % (SCREE_GLOBAL_HEAP_MAX * ranks[i]);
        const uint64_t s = a / stripe;
        check_equal(scree_global_owner(&map, a), s % ranks[i]);
        check_equal(scree_global_offset(&map, a), s / ranks[i] * stripe + a % stripe);
      }
    }
}

HARNESS_TEST(two_dimensions) {
  char memory[3][64], *const area[4] = {memory[0], memory[1], NULL, memory[2]};
  scree_global_map map;
  scree_global_map_init(&map, 4, 64, 8);
  check(!scree_global_local(&map, scree_global_address(1, 5)));
  map.area = area;
  check(scree_global_local(&map, scree_global_address(1, 5)) == &memory[1][5]);
  check(!scree_global_local(&map, scree_global_address(2, 5)));
  check(scree_global_local(&map, scree_global_linear(&map, 3, 21)) == &memory[2][21]);
  const scree_address last = scree_global_address(SCREE_GLOBAL_RANKS_MAX - 1, SCREE_GLOBAL_HEAP_MAX - 1);
  check(!scree_global_is_linear(last) && scree_global_is_linear(scree_global_linear(&map, 3, 21)));
  check_equal(scree_global_owner(&map, last), SCREE_GLOBAL_RANKS_MAX - 1);
  check_equal(scree_global_offset(&map, last), SCREE_GLOBAL_HEAP_MAX - 1);
  check_equal(scree_global_span(&map, scree_global_address(1, 5)), 59);
  check_equal(scree_global_offset(&map, scree_global_add(scree_global_address(1, 5), 7)), 12);
  check_equal(scree_global_owner(&map, scree_global_add(scree_global_address(1, 5), -3)), 1);
}

HARNESS_MAIN
