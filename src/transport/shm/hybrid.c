/* hybrid.c - shared memory to endpoints of this node, MPI to the others: selects by destination, or by the block's
 * owner, and has no path of its own. The path by MPI is the endpoint's own or, where another thread calls MPI, one that
 * passes blocks to it. */
#include "transport/shm/hybrid.h"

#include <stdlib.h>

#include "transport/shm/shm.h"

typedef struct {
  scree__transport base; /* must be first */
  scree__transport *near, *far;
  const uint32_t *index_on_node;
  bool far_next; /* the inbox to poll first */
} hybrid;

static hybrid *of(scree__transport *t) {
  return (hybrid *)t;
}

static bool is_near(const hybrid *h, uint32_t endpoint) {
  return h->index_on_node[endpoint] != UINT32_MAX;
}

static scree__block *take(scree__transport *t, uint32_t dest, size_t want) {
  hybrid *h = of(t);
  return is_near(h, dest) ? scree__shm_take(h->near, dest, want) : h->far->ops->take(h->far, dest, want);
}

static void put(scree__transport *t, scree__block *block) {
  hybrid *h = of(t);
  SCREE__INVARIANT(block->storage == SCREE__STORAGE_SHM || block->storage == SCREE__STORAGE_MPI);
  if (block->storage == SCREE__STORAGE_SHM)
    scree__shm_put(h->near, block);
  else
    h->far->ops->put(h->far, block);
}

static bool accepts(scree__transport *t, uint32_t dest) {
  hybrid *h = of(t);
  return is_near(h, dest) ? scree__shm_accepts(h->near, dest) : h->far->ops->accepts(h->far, dest);
}

static scree_status push(scree__transport *t, uint32_t dest, scree__block *block) {
  hybrid *h = of(t);
  return is_near(h, dest) ? scree__shm_push(h->near, dest, block) : h->far->ops->push(h->far, dest, block);
}

/* The inboxes take turns, so that a busy node does not starve messages from other nodes. */
static scree__block *peek(scree__transport *t) {
  hybrid *h = of(t);
  h->far_next = !h->far_next;
  scree__block *block = h->far_next ? h->far->ops->peek(h->far) : scree__shm_peek(h->near);
  if (!block) block = h->far_next ? scree__shm_peek(h->near) : h->far->ops->peek(h->far);
  return block;
}

static void pop(scree__transport *t, scree__block *block) {
  hybrid *h = of(t);
  if (is_near(h, block->wire.owner))
    scree__shm_pop(h->near, block);
  else
    h->far->ops->pop(h->far, block);
}

static void release(scree__transport *t, scree__block *block) {
  hybrid *h = of(t);
  if (is_near(h, block->wire.owner))
    scree__shm_release(h->near, block);
  else
    h->far->ops->release(h->far, block);
}

static void set_min_block(scree__transport *t, uint32_t bytes) {
  hybrid *h = of(t);
  scree__shm_set_min_block(h->near, bytes);
  h->far->ops->set_min_block(h->far, bytes);
}

static uint64_t in_flight(const scree__transport *t) {
  const hybrid *h = (const hybrid *)t;
  return scree__shm_in_flight(h->near) + h->far->ops->in_flight(h->far);
}

static uint32_t load(const scree__transport *t, uint32_t dest) {
  const hybrid *h = (const hybrid *)t;
  return is_near(h, dest) ? scree__shm_load(h->near, dest) : h->far->ops->load(h->far, dest);
}

static void memory(const scree__transport *t, scree__memory *add) {
  const hybrid *h = (const hybrid *)t;
  scree__shm_memory(h->near, add);
  h->far->ops->memory(h->far, add);
}

/* The communicators are the near transport's. With the first worker's path those of all workers are closed. */
static void close_hybrid(scree__transport *t) {
  hybrid *h = of(t);
  if (scree__topology_worker(t->topology) == 0) h->far->ops->close(h->far);
  h->near->ops->close(h->near);
  free(h);
}

static const scree__transport_ops ops = SCREE__TRANSPORT_OPS("shm+mpi", , peek, close_hybrid),
                                  between_ranks = SCREE__TRANSPORT_OPS("mpi", , peek, close_hybrid);

scree__transport *scree__hybrid_open(scree__transport *near, scree__transport *far, const scree__peers *peers) {
  hybrid *h = calloc(1, sizeof *h);
  if (!h) return scree__fault_no_memory(peers->fault, sizeof *h, "the hybrid transport"), NULL;
  h->base = *near;
  h->base.collective = far->collective;
  h->base.lock = far->lock;
  h->base.service = far->service;
  h->base.ops = !peers->node ? &between_ranks : &ops;
  h->near = near;
  h->far = far;
  h->index_on_node = peers->index_on_node;
  return &h->base;
}
