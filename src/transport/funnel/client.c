/* client.c - the path of an endpoint that does not call MPI. No call here, except close, calls MPI or waits. */
#include "transport/funnel/funnel.h"

static scree__client *of(scree__transport *t) {
  return (scree__client *)t;
}

static uint32_t outstanding(const scree__client *c, uint32_t dest) {
  return c->handed[dest] - AO_int_load(&c->returned[dest]); /* relaxed: see scree__credit_returned */
}

static void reclaim(scree__client *c) {
  for (scree__block *block = scree__stack_take(&c->sent, NULL), *next; block; block = next) {
    next = block->next;
    SCREE__INVARIANT(c->in_flight > 0 && block->wire.owner == c->base.topology->endpoint);
    c->in_flight--;
    if (block->storage == SCREE__STORAGE_MPI) scree__pool_put(&c->path->pool, block); /* else a failure notice */
  }
}

static void want(AO_t *hint) {
  if (!AO_load(hint)) AO_store(hint, 1);
}

static scree__block *take(scree__transport *t, uint32_t dest, size_t bytes) {
  (void)dest;
  scree__client *c = of(t);
  reclaim(c);
  scree__block *block = scree__mpi_carve(c->path, bytes);
  if (!block) want(&c->wants_blocks);
  return block;
}

static void put(scree__transport *t, scree__block *block) {
  scree__pool_put(&of(t)->path->pool, block);
}

/* A credit that has returned is spent by the next block passed over, which the caller sends without a further check. */
static bool accepts(scree__transport *t, uint32_t dest) {
  scree__client *c = of(t);
  if (outstanding(c, dest) < t->options.in_flight) return true;
  want(&c->wants_credits);
  return false;
}

static scree_status push(scree__transport *t, uint32_t dest, scree__block *block) {
  scree__client *c = of(t);
  SCREE__INVARIANT(outstanding(c, dest) < t->options.in_flight && block->dest == dest);
  c->handed[dest]++;
  c->in_flight++;
  scree__stack_push(&c->funnel->outbox, NULL, block);
  return SCREE_OK;
}

static void take_faults(scree__client *c) {
  if (AO_load(&c->funnel->lost)) c->base.fault->lost = true;
  if (scree__topology_worker(c->base.topology) == 0) scree__server_take_faults(c->funnel);
}

/* Acquire: pairs with the caller's store, which comes after what arrived. */
static scree__block *peek(scree__transport *t) {
  scree__client *c = of(t);
  take_faults(c);
  return (scree__block *)AO_load_acquire(&c->arrived[c->head % SCREE__RECEIVES_MAX]);
}

/* Relaxed: the caller fills this cell again when as many blocks have come as there are receives, so after it has taken
 * back this one, which the push of the release orders after this. */
static void pop(scree__transport *t, scree__block *block) {
  scree__client *c = of(t);
  const uint32_t bytes = block->wire.segment.bytes;
  if (bytes > c->touched) c->touched = bytes;
  AO_store(&c->arrived[c->head++ % SCREE__RECEIVES_MAX], 0);
}

/* The caller knows by dest whose receive it is. */
static void release(scree__transport *t, scree__block *block) {
  block->dest = t->topology->endpoint;
  scree__stack_push(&of(t)->funnel->outbox, NULL, block);
}

/* In an idle world by the first worker, else by the client. */
static void set_min_block(scree__transport *t, uint32_t bytes) {
  scree__client *c = of(t);
  if (scree__topology_worker(t->topology) == 0) c->path->begun = true;
  reclaim(c);
  scree__pool_reset(&c->path->pool, bytes);
}

static uint64_t in_flight(const scree__transport *t) {
  return ((const scree__client *)t)->in_flight;
}

static uint32_t load(const scree__transport *t, uint32_t dest) {
  return outstanding((const scree__client *)t, dest);
}

static void memory(const scree__transport *t, scree__memory *add) {
  const scree__client *c = (const scree__client *)t;
  scree__mpi_add_memory(c->path, c->touched, AO_load(&c->requests), add);
  add->tables += sizeof *c + t->topology->endpoints * (sizeof *c->handed + sizeof *c->returned);
}

/* The first worker's. */
static void close_client(scree__transport *t) {
  scree__client *c = of(t);
  scree__mpi *paths = c->funnel->paths;
  scree__funnel_close(c->funnel);
  scree__mpi_close(paths);
}

const scree__transport_ops scree__client_ops = SCREE__TRANSPORT_OPS("mpi", , peek, close_client);
