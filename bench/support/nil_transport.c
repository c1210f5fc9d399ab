/* nil_transport.c - the operations of nil_transport.h. */
#include "nil_transport.h"

#include <string.h>

static nil_transport *nil_of(scree__transport *t) {
  return (nil_transport *)t;
}

static scree__block *take(scree__transport *t, uint32_t dest, size_t want) {
  (void)dest;
  return scree__pool_take(&nil_of(t)->pool, want);
}

static void put(scree__transport *t, scree__block *block) {
  scree__pool_put(&nil_of(t)->pool, block);
}

static bool accepts(scree__transport *t, uint32_t dest) {
  (void)t, (void)dest;
  return true;
}

static void sum_items(nil_transport *n, scree__block *block) {
  for (uint32_t i = 0; i < block->wire.segment.count; i++) {
    uint64_t value;
    memcpy(&value, scree__block_data(block) + (size_t)i * sizeof value, sizeof value);
    n->sum += value;
  }
}

/* The block is never handled: counting it as written off keeps the core's counts balanced. */
static scree_status push(scree__transport *t, uint32_t dest, scree__block *block) {
  nil_transport *n = nil_of(t);
  (void)dest;
  n->items += block->wire.segment.count;
  if (n->check_items) sum_items(n, block);
  n->fault.written_off++;
  scree__queue_add(&n->in_flight_blocks, block);
  if (++n->in_flight_count <= n->in_flight_max) return SCREE_OK;
  put(t, scree__queue_pop(&n->in_flight_blocks));
  n->in_flight_count--;
  return SCREE_OK;
}

static scree__block *peek(scree__transport *t) {
  (void)t;
  return NULL;
}

static uint64_t in_flight(const scree__transport *t) {
  return ((const nil_transport *)t)->in_flight_count;
}

/* Every epoch starts with a new pool, because worlds may share an arena. */
static void set_min_block(scree__transport *t, uint32_t min_bytes) {
  nil_transport *n = nil_of(t);
  const uint64_t bytes = t->options.memory;
  n->in_flight_blocks = (scree__queue){NULL, NULL};
  n->in_flight_count = 0;
  n->pool = (scree__pool){.arena = n->arena, .bytes = bytes, .granted = bytes, .storage = SCREE__STORAGE_SHM};
  scree__pool_reset(&n->pool, min_bytes);
}

static void close_transport(scree__transport *t) {
  (void)t;
}

static scree_status gather(scree__collective *c, const void *mine, void *all, size_t bytes) {
  const nil_transport *n = SCREE__CONTAINER(c, nil_transport, collective);
  for (uint32_t i = 0; i < n->topology.endpoints; i++) memcpy((char *)all + i * bytes, mine, bytes);
  return SCREE_OK;
}

/* The others add their tokens as soon as this rank has. */
static void backoff(scree__scheduler *s, uint32_t polls) {
  nil_transport *n = SCREE__CONTAINER(s, nil_transport, scheduler);
  (void)polls;
  AO_store(&n->slots[1].completed, (n->topology.endpoints - 1) * AO_load(&n->slots[0].contributed));
  AO_store(&n->slots[1].contributed, AO_load(&n->slots[0].contributed));
}

static uint64_t now(scree__scheduler *s) {
  (void)s;
  return (uint64_t)(1e9 * bench_now());
}

/* Absent, because never called: taking from an inbox, where nothing arrives; detection rounds between nodes (there is
 * one), load and memory. */
static const scree__collective_ops collective_ops = {.gather = gather};
static const scree__scheduler_ops scheduler_ops = {.backoff = backoff, .now = now};
static const scree__transport_ops ops = {
    .name = "nil",
    .take = take,
    .put = put,
    .accepts = accepts,
    .push = push,
    .peek = peek,
    .set_min_block = set_min_block,
    .in_flight = in_flight,
    .close = close_transport,
};

void bench_nil_transport(nil_transport *n, uint32_t ranks, const scree__options *options, char *arena) {
  static const uint32_t node_endpoints[2] = {0, 0}, node_of[NIL_RANKS_MAX] = {0};
  *n = (nil_transport){.base = {.ops = &ops,
                                .topology = &n->topology,
                                .collective = &n->collective,
                                .scheduler = &n->scheduler,
                                .fault = &n->fault,
                                .page = &n->page,
                                .slots = n->slots,
                                .options = *options,
                                .note = ""},
                       .topology = {.endpoint = ranks - 1,
                                    .endpoints = ranks,
                                    .threads = 1,
                                    .nodes = 1,
                                    .node_size = 2,
                                    .local_ranks = 2,
                                    .leaders = node_endpoints,
                                    .node_endpoints = node_endpoints,
                                    .node_of = node_of},
                       .collective.ops = &collective_ops,
                       .scheduler.ops = &scheduler_ops,
                       .arena = arena,
                       .in_flight_max = ranks - 1,
                       .check_items = true};
  set_min_block(&n->base, 1024);
}
