/* forward_station.c - the worlds of forward_station.h, and the blocks that arrive there. */
#include "forward_station.h"

#include <string.h>

/* ---- the blocks that arrive ---- */

/* Items of one origin, a rank of the row. To this rank: they are handled here. */
static void make_block(const station *s, uint32_t i, bool to_me, uint64_t *draws) {
  scree__block *block = bench_station_block(s, i);
  char *at = scree__block_data(block);
  const uint32_t n = bench_station_items(s), origin = ME - 1;
  *block =
      (scree__block){.capacity = BLOCK, .storage = SCREE__STORAGE_SHM, .wire = {.segments = 1, .kind = SCREE__DATA}};
  block->wire.segment = (scree__segment){s->type, ME, origin, n, n * s->record};
  for (uint32_t k = 0; k < n; k++, at += s->record) {
    const uint64_t value = bench_draw(draws);
    const uint32_t tag = (to_me ? ME : bench_station_dest(value)) | origin << 16;
    memcpy(at, &value, sizeof value);
    if (s->record > sizeof value) memcpy(at + sizeof value, &tag, sizeof tag);
  }
}

uint64_t bench_station_supply(const station *s, bool to_me) {
  uint64_t draws = 88172645463325252u, sum = 0;
  for (uint32_t i = 0; i < s->blocks; i++) make_block(s, i, to_me, &draws);
  for (uint32_t i = 0; i < s->blocks; i++)
    for (uint32_t k = 0; k < bench_station_items(s); k++) {
      uint64_t value;
      memcpy(&value, scree__block_data(bench_station_block(s, i)) + (size_t)k * s->record, sizeof value);
      sum += value;
    }
  return sum;
}

/* ---- worlds ---- */

static void on_item(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  station *s = arg;
  uint64_t sum = 0;
  (void)w;
  for (uint32_t i = 0; i < batch->count; i++) sum += items[i];
  s->handled_sum += sum;
  s->handled += batch->count;
}
SCREE_HANDLER(plain, uint64_t, on_item);
SCREE_HANDLER(routed, uint64_t, on_item);

static bool read_options(station *s, uint64_t route) {
  char why[200];
  s->options = (scree_options)SCREE_OPTIONS_INIT;
  s->options.route = route;
  s->options.coalesce_bytes = BLOCK;
  s->options.memory = 4 << 20;
  if (scree_options_resolve(&s->options, NULL, why, sizeof why) == 0) return true;
  fprintf(stderr, "route: %s\n", why);
  return false;
}

static bool register_type(station *s, bool is_routed) {
  plain_type p = {0};
  routed_type r = {0};
  const bool good =
      is_routed ? routed_register(s->world, s, &r) == SCREE_OK : plain_register(s->world, s, &p) == SCREE_OK;
  s->type = is_routed ? r.id : p.id;
  return good;
}

bool bench_station_open(station *s, uint64_t route, uint64_t n) {
  scree__transport *paths[CLASSES] = {&s->paths[0].base, &s->paths[1].base};
  if (!read_options(s, route)) return false;
  s->classes = scree__route_classes(route, RANKS, 1);
  s->record = sizeof(uint64_t) + (s->classes > 1 ? SCREE__TAG : 0);
  bench_nil_rank(&s->rank, RANKS, s->record);
  if (s->classes > CLASSES) return false;
  for (uint32_t c = 0; c < s->classes; c++) {
    s->arenas[c] = bench_alloc(s->options.memory, false);
    if (!s->arenas[c]) return false;
    bench_nil_path(&s->paths[c], &s->rank, &s->options, s->arenas[c], LANES);
  }
  s->world = scree__world_new(1, 1, scree__features);
  if (!s->world || scree__world_init(s->world, &s->options, s->classes, paths) != SCREE_OK) return false;
  s->w = scree_worker_of(s->world, 0);
  if (!register_type(s, s->classes > 1)) return false;
  s->blocks = (uint32_t)((n + bench_station_items(s) - 1) / bench_station_items(s));
  s->supply = bench_alloc(s->blocks * (sizeof(scree__block) + BLOCK), true);
  return s->supply;
}

bool bench_station_close(station *s) {
  const bool good = !s->world || scree_close(s->world) == SCREE_OK;
  scree_huge_free(s->supply);
  for (uint32_t c = 0; c < CLASSES; c++) scree_huge_free(s->arenas[c]);
  return good;
}

/* ---- arrival ---- */

/* Whoever has sent the blocks counts them. */
void bench_station_arrive(station *s, uint32_t hop_class) {
  const uint32_t parity = scree__worker_of(s->w)->end.epoch & 1;
  for (uint32_t i = 0; i < s->blocks; i++) bench_station_block(s, i)->wire.parity = (uint8_t)parity;
  s->arrived += s->blocks;
  AO_store(&s->rank.slots[1].created, s->arrived);
  nil_path *from = &s->paths[hop_class];
  from->next = s->supply;
  from->stride = sizeof(scree__block) + BLOCK;
  from->end = s->supply + s->blocks * from->stride;
  scree_begin(s->w);
  scree_end(s->w, NULL);
}
