/* sim_addressed.c - sends by key: each item reaches the owner of its key with the local index in its field, for each
 * kind of distribution, for a map of the program's own, for routed types and types to workers; and maps that do not fit
 * are refused.
 *
 * It also tests scree_distribution_last. */
#include <scree/addressed.h>
#include <scree/routed.h>
#include <scree/scree_sim.h>

#include "harness.h"

enum { RANKS = 5, THREADS = 2, KEYS = 1003 };

typedef struct {
  uint16_t at;
  uint64_t key;
} narrow;
typedef struct {
  uint8_t at;
} byte;

/* Keys in rows of ten; row r is on rank r % ranks. */
typedef struct {
  uint32_t ranks, rows;
} table;
static inline scree_location table_locate(const table *t, uint64_t key) {
  const uint64_t row = key / 10;
  return scree_location_make((uint32_t)(row % t->ranks), row / t->ranks * 10 + key % 10);
}
static inline scree_location table_last(const table *t) {
  return scree_location_make(t->ranks - 1, (uint64_t)(t->rows - 1) / t->ranks * 10 + 9);
}

SCREE_MESSAGE(plain, narrow);
SCREE_ADDRESSED(plain, narrow, at);
SCREE_MESSAGE_ROUTED(routed, narrow);
SCREE_ADDRESSED(routed, narrow, at);
SCREE_MESSAGE(rows, narrow);
SCREE_ADDRESSED_BY(rows, narrow, at, table, table_locate, table_last);
SCREE_MESSAGE(tiny, byte);
SCREE_ADDRESSED(tiny, byte, at);

typedef struct {
  scree_distribution map;
  table own;
  uint32_t got[KEYS], own_got[KEYS];
} state;

static void on_plain(scree_worker *w, const scree_batch *batch, const narrow *items, void *arg) {
  state *s = arg;
  const uint32_t owner = s->map.ranks > RANKS ? scree_worker_number(w, w->rank, w->index) : w->rank;
  for (uint32_t i = 0; i < batch->count; i++) {
    check_equal(scree_distribution_global(&s->map, owner, items[i].at), items[i].key);
    s->got[items[i].key]++;
  }
}
static void on_rows(scree_worker *w, const scree_batch *batch, const narrow *items, void *arg) {
  for (uint32_t i = 0; i < batch->count; i++) {
    check_equal((items[i].at / 10u * RANKS + w->rank) * 10 + items[i].at % 10u, items[i].key);
    ((state *)arg)->own_got[items[i].key]++;
  }
}
static void on_tiny(scree_worker *w, const scree_batch *batch, const byte *items, void *arg) {}
SCREE_HANDLER(plain, narrow, on_plain);
SCREE_HANDLER(routed, narrow, on_plain);
SCREE_HANDLER(rows, narrow, on_rows);
SCREE_HANDLER(tiny, byte, on_tiny);

/* All keys from each worker, by sends and tries in turn. */
typedef struct {
  state *s;
  plain_type plain, owned;
  plain_map map;
  routed_type routed;
  routed_map routed_map;
  rows_type rows;
  rows_map rows_map;
} sender;

static void send_all(scree_worker *w, void *arg) {
  const sender *from = arg;
  scree_begin(w);
  for (uint64_t k = w->rank; k < KEYS; k += w->ranks) {
    const narrow item = {UINT16_MAX, k};
    if (from->s->map.ranks > RANKS) {
      plain_send_to(w, from->owned, from->map, k, item);
    } else {
      if (k % 2 || !plain_try_send_to(w, from->plain, from->map, k, item))
        plain_send_to(w, from->plain, from->map, k, item);
      routed_send_to(w, from->routed, from->routed_map, k, item);
    }
    rows_send_to(w, from->rows, from->rows_map, k, item);
  }
  check_equal(scree_end(w, NULL), SCREE_OK);
}

static void play(scree_world *world, void *arg) {
  sender from = {.s = arg};
  state *s = arg;
  check_equal(plain_register(world, s, &from.plain), SCREE_OK);
  check_equal(routed_register(world, s, &from.routed), SCREE_OK);
  check_equal(rows_register(world, s, &from.rows), SCREE_OK);
  check_equal(plain_register_with(world, SCREE_TO_WORKER, s, &from.owned), SCREE_OK);
  const bool to_workers = s->map.ranks > RANKS;
  check_equal(plain_address(world, to_workers ? from.owned : from.plain, &s->map, &from.map), SCREE_OK);
  if (!to_workers) check_equal(routed_address(world, from.routed, &s->map, &from.routed_map), SCREE_OK);
  check_equal(rows_address(world, from.rows, &s->own, &from.rows_map), SCREE_OK);
  check_equal(scree_run_workers(world, THREADS, send_all, &from), SCREE_OK);
}

HARNESS_TEST(arrive) {
  static const scree_distribution_kind kinds[] = {SCREE_DISTRIBUTION_BLOCK, SCREE_DISTRIBUTION_CYCLIC,
                                                  SCREE_DISTRIBUTION_HASH};
  for (uint64_t seed = 1; seed <= 12; seed++) {
    const bool to_workers = seed > 6;
    state s = {.own = {RANKS, (KEYS + 9) / 10}};
    scree_options options = SCREE_OPTIONS_INIT;
    options.route = seed % 2 ? SCREE_ROUTE_ROOK : SCREE_ROUTE_DIRECT;
    options.checked = seed % 4 == 0;
    scree_distribution_init(&s.map, kinds[seed % 3], KEYS, to_workers ? RANKS * THREADS : RANKS);
    scree_sim_config config = {.seed = seed, .ranks = RANKS, .nodes = 2, .threads = THREADS};
    check_equal(scree_sim_run(&config, &options, play, &s, NULL), SCREE_OK);
    for (int k = 0; k < KEYS; k++) {
      check_equal(s.got[k], to_workers ? THREADS : 2 * THREADS);
      check_equal(s.own_got[k], THREADS);
    }
  }
}

/* ---- maps that do not fit ---- */

static scree_status address(scree_world *world, tiny_type t, uint64_t n, uint32_t parts, tiny_map *m) {
  static scree_distribution map;
  scree_distribution_init(&map, SCREE_DISTRIBUTION_BLOCK, n, parts);
  return tiny_address(world, t, &map, m);
}

static void refuse(scree_world *world, void *unused) {
  scree_worker *w = scree_worker_of(world, 0);
  tiny_type t;
  tiny_map m = {NULL};
  check_equal(tiny_register(world, NULL, &t), SCREE_OK);
  check_equal(address(world, t, 256 * 2 + 1, 2, &m), SCREE_EINVAL); /* 257 on rank 0 */
  check_contains(scree_error_text(world),
                 "tiny_address: the map has local indices 0..256, and the field of type 'tiny' "
                 "that carries them has 1 bytes");
  check_equal(address(world, t, 10, 3, &m), SCREE_EINVAL);
  check_contains(scree_error_text(world), "the map has owners 0..2, type 'tiny' destinations 0..1");
  check_equal(address(world, (tiny_type){7}, 10, 2, &m), SCREE_EINVAL);
  check(m.map_ == NULL);
  check_equal(address(world, t, 256 * 2, 2, &m), SCREE_OK);
  check(m.map_ != NULL);
  check_equal(address(world, t, 0, 1, &m), SCREE_OK); /* without keys */
  check_equal(scree_begin(w), SCREE_OK);
  check_equal(address(world, t, 10, 2, &m), SCREE_ESTATE);
  check_equal(scree_end(w, NULL), SCREE_ESTATE);
  check_contains(scree_error_text(world), "tiny_address: an epoch is open");
}

HARNESS_TEST(refused) {
  scree_sim_config config = {.seed = 1, .ranks = 2, .nodes = 1, .quiet = true};
  check_equal(scree_sim_run(&config, NULL, refuse, NULL, NULL), SCREE_ESTATE);
}

HARNESS_TEST(last_is_the_maximum) {
  for (uint32_t kind = 0; kind <= SCREE_DISTRIBUTION_HASH; kind++)
    for (uint32_t ranks = 1; ranks < 8; ranks++)
      for (uint64_t n = 1; n < 40; n++) {
        scree_distribution d;
        uint64_t max = 0;
        scree_distribution_init(&d, (scree_distribution_kind)kind, n, ranks);
        for (uint64_t v = 0; v < n; v++) {
          const uint64_t local = scree_distribution_local(&d, v);
          if (local > max) max = local;
        }
        check_equal(scree_distribution_last(&d), scree_location_make(ranks - 1, max));
      }
}

HARNESS_MAIN
