/* forward_station.c - the transport and the worlds of forward_station.h. Discarded blocks stay in flight until there is one per lane,
 * and are then reused. */
#include "forward_station.h"

#include <stdlib.h>
#include <string.h>

#include "base/container.h"

/* ---- the transport ---- */

static path *path_of(scree__transport *t) {
  return (path *)t;
}

static scree__block *take(scree__transport *t, uint32_t dest, size_t want) {
  (void)dest;
  return scree__pool_take(&path_of(t)->pool, want);
}

static void put(scree__transport *t, scree__block *block) {
  scree__pool_put(&path_of(t)->pool, block);
}

static bool accepts(scree__transport *t, uint32_t dest) {
  (void)t, (void)dest;
  return true;
}

static void sum_items(station *s, scree__block *block) {
  for (uint32_t i = 0; i < block->wire.segment.count; i++) {
    uint64_t value;
    memcpy(&value, scree__block_data(block) + (size_t)i * s->record, sizeof value);
    s->pushed_sum += value;
  }
}

/* The block is never handled: counting it as written off keeps the core's counts balanced. */
static scree_status push(scree__transport *t, uint32_t dest, scree__block *block) {
  path *p = path_of(t);
  (void)dest;
  p->at->pushed += block->wire.segment.count;
  if (p->at->check_items) sum_items(p->at, block);
  t->fault->written_off++;
  scree__queue_add(&p->in_flight_blocks, block);
  if (++p->in_flight_count <= LANES) return SCREE_OK;
  put(t, scree__queue_pop(&p->in_flight_blocks));
  p->in_flight_count--;
  return SCREE_OK;
}

static scree__block *peek(scree__transport *t) {
  const path *p = path_of(t);
  return p->hop_class == p->at->from && p->at->next < p->at->end ? bench_station_block(p->at, p->at->next) : NULL;
}

static void pop(scree__transport *t, scree__block *block) {
  (void)block;
  path_of(t)->at->next++;
}

static void release(scree__transport *t, scree__block *block) {
  (void)t, (void)block;
}

static uint64_t in_flight(const scree__transport *t) {
  return ((const path *)t)->in_flight_count;
}

static void set_min_block(scree__transport *t, uint32_t min_bytes) {
  scree__pool_reset(&path_of(t)->pool, min_bytes);
}

static void close_path(scree__transport *t) {
  scree_huge_free(path_of(t)->arena);
}

static scree_status gather(scree__collective *c, const void *mine, void *all, size_t bytes) {
  (void)c;
  for (uint32_t i = 0; i < RANKS; i++) memcpy((char *)all + i * bytes, mine, bytes);
  return SCREE_OK;
}

/* The others add their tokens as soon as this rank has. */
static void backoff(scree__scheduler *scheduler, uint32_t polls) {
  station *s = SCREE__CONTAINER(scheduler, station, scheduler);
  (void)polls;
  AO_store(&s->slots[1].completed, (RANKS - 1) * AO_load(&s->slots[0].contributed));
  AO_store(&s->slots[1].contributed, AO_load(&s->slots[0].contributed));
}

static uint64_t now(scree__scheduler *s) {
  (void)s;
  return (uint64_t)(1e9 * bench_now());
}

/* Absent, because never called: detection rounds between nodes (there is one), load and memory. */
static const scree__collective_ops collective_ops = {.gather = gather};
static const scree__scheduler_ops scheduler_ops = {.backoff = backoff, .now = now};
static const scree__transport_ops ops = {
    .name = "nil",
    .take = take,
    .put = put,
    .accepts = accepts,
    .push = push,
    .peek = peek,
    .pop = pop,
    .release = release,
    .set_min_block = set_min_block,
    .in_flight = in_flight,
    .close = close_path,
};

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

static bool open_path(station *s, uint32_t hop_class) {
  path *p = &s->paths[hop_class];
  p->at = s;
  p->hop_class = hop_class;
  p->base = (scree__transport){.ops = &ops,
                               .topology = &s->topology,
                               .collective = &s->collective,
                               .scheduler = &s->scheduler,
                               .fault = &s->fault,
                               .page = &s->page,
                               .slots = s->slots,
                               .options = s->options,
                               .note = ""};
  p->arena = bench_alloc(s->options.memory, false);
  p->pool = (scree__pool){
      .arena = p->arena, .bytes = s->options.memory, .granted = s->options.memory, .storage = SCREE__STORAGE_SHM};
  scree__pool_reset(&p->pool, 1024);
  return p->arena;
}

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
  s->record = sizeof(uint64_t) + (s->classes > 1 ? SCREE__TAG : 0);
  return good;
}

bool bench_station_open(station *s, uint64_t route, uint64_t n) {
  static const uint32_t node_endpoints[2] = {0, 0}, node_of[RANKS] = {0};
  scree__transport *paths[CLASSES] = {&s->paths[0].base, &s->paths[1].base};
  if (!read_options(s, route)) return false;
  s->classes = scree__route_classes(route, RANKS, 1);
  s->topology = (scree__topology){.endpoint = ME,
                                  .endpoints = RANKS,
                                  .threads = 1,
                                  .nodes = 1,
                                  .node_size = 2,
                                  .local_ranks = 2,
                                  .leaders = node_endpoints,
                                  .node_endpoints = node_endpoints,
                                  .node_of = node_of};
  s->collective.ops = &collective_ops;
  s->scheduler.ops = &scheduler_ops;
  bool good = s->classes <= CLASSES;
  for (uint32_t c = 0; good && c < s->classes; c++) good = open_path(s, c);
  s->world = good ? scree__world_new(1, 1, scree__features) : NULL;
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
  return good;
}

/* ---- arrival ---- */

/* Whoever has sent the blocks counts them. */
void bench_station_arrive(station *s, uint32_t hop_class) {
  const uint32_t parity = scree__worker_of(s->w)->end.epoch & 1;
  for (uint32_t i = 0; i < s->blocks; i++) bench_station_block(s, i)->wire.parity = (uint8_t)parity;
  s->arrived += s->blocks;
  AO_store(&s->slots[1].created, s->arrived);
  s->from = hop_class;
  s->next = 0;
  s->end = s->blocks;
  scree_begin(s->w);
  scree_end(s->w, NULL);
}
