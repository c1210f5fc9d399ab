/* transport.h - how blocks travel: what the core requires of shared memory, of MPI, of their hybrid, and of the
 * simulator. The core never checks which one it is. */
#ifndef SCREE__TRANSPORT_H
#define SCREE__TRANSPORT_H
#include <scree/scree.h>

#include "base/options.h"
#include "block/block.h"
#include "block/node.h"
#include "block/pool.h"
#include "thread/lock.h"
#include "transport/collective.h"
#include "transport/fault.h"
#include "transport/scheduler.h"
#include "transport/topology.h"

/* From the address of a member to the struct that holds it. */
#define SCREE__CONTAINER(pointer, type, member) ((type *)(void *)((char *)(pointer)-offsetof(type, member)))

typedef struct scree__transport scree__transport;

/* Where one thread of a rank calls MPI for all its endpoints: see src/transport/funnel. */
typedef struct scree__service scree__service;
struct scree__service {
  /* Called in turn by the first worker's thread, or the last one to leave a run: resume where epochs may begin, pause
   * where none is open. In between, the thread of the service calls MPI, and no other; elsewhere it does not. Neither
   * waits longer than for one nonblocking call of MPI. */
  void (*resume)(scree__service *);
  void (*pause)(scree__service *);
  const pthread_t *thread; /* of its own; NULL: the first worker serves the others, in peek */
  uint64_t moved;          /* blocks that the first worker has moved for the others; by its thread */
};

/* Bytes that a world holds on this rank, by purpose; each endpoint adds its own. */
typedef struct {
  uint64_t blocks;   /* carved from the pools; of shared memory, reserved for them */
  uint64_t overflow; /* private blocks, and large records under reassembly */
  uint64_t inbox;    /* of shared memory, with the endpoint's share of the counters' pages */
  uint64_t receives; /* posted to MPI */
  uint64_t tables;   /* lanes, queues, types: by rank, or fixed */
} scree__memory;

/* Operations on the blocks of one endpoint; `dest` and wire.owner are endpoints. All except close are called by the
 * endpoint's own thread, and none except close blocks. Those of the second group may be called in any state of the
 * world, those of the first in an epoch. An error in a slot that returns no status is put into the fault sink. */
typedef struct scree__transport_ops {
  const char *name;

  /* Sender. An empty block that may travel to dest, of about `want` bytes; NULL: none now. */
  scree__block *(*take)(scree__transport *, uint32_t dest, size_t want);
  /* Sender. Returns a block that was taken and not pushed. */
  void (*put)(scree__transport *, scree__block *);
  /* Sender. True if a block may be pushed to dest now. Idempotent; once true, it stays true until the next push to
   * dest. */
  bool (*accepts)(scree__transport *, uint32_t dest);
  /* Sender. Publishes a block, which the transport owns from then on. Only when dest accepts. On failure the block
   * is the transport's all the same, and the fault sink has the text and counts the block as `written_off` or
   * `doubtful`. */
  scree_status (*push)(scree__transport *, uint32_t dest, scree__block *);
  /* Receiver. The oldest block that has arrived, NULL: none. Idempotent: it stays in the inbox until it is popped. */
  scree__block *(*peek)(scree__transport *);
  /* Receiver. Takes the block that peek returned out of the inbox; the core reads it until it releases it. */
  void (*pop)(scree__transport *, scree__block *);
  /* Receiver. Returns a popped block, and with it one of its owner's places in the window, to wire.owner. */
  void (*release)(scree__transport *, scree__block *);

  /* Sets the smallest capacity that blocks have from now on. Called in an idle world; idempotent. */
  void (*set_min_block)(scree__transport *, uint32_t bytes);
  /* Blocks pushed and not yet returned. */
  uint64_t (*in_flight)(const scree__transport *);
  /* Those of them in flight to dest, as far as is known without a poll: a hint. */
  uint32_t (*load)(const scree__transport *, uint32_t dest);
  /* Adds the bytes that it holds for this endpoint. */
  void (*memory)(const scree__transport *, scree__memory *);
  /* Frees the transport and, with the first worker's, what the endpoints of the rank share: so that one comes last.
   * Called once for each, by the first worker's thread while the others' do nothing. Collective unless the first
   * worker's fault sink is `lost`; may block. */
  void (*close)(scree__transport *);
} scree__transport_ops;

/* A record of functions that are named as its slots, after a prefix, which may be empty; without those that depend on
 * what opens a data path. And their prototypes. */
#define SCREE__TRANSPORT_OPS(title, prefix, peeks, closes)                                                             \
  {                                                                                                                    \
    .name = title, .take = prefix##take, .put = prefix##put, .accepts = prefix##accepts, .push = prefix##push,         \
    .peek = peeks, .pop = prefix##pop, .release = prefix##release, .set_min_block = prefix##set_min_block,             \
    .in_flight = prefix##in_flight, .load = prefix##load, .memory = prefix##memory, .close = closes                    \
  }
#define SCREE__TRANSPORT_FUNCTIONS(prefix)                                                                             \
  scree__block *prefix##take(scree__transport *t, uint32_t dest, size_t want);                                         \
  void prefix##put(scree__transport *t, scree__block *block);                                                          \
  bool prefix##accepts(scree__transport *t, uint32_t dest);                                                            \
  scree_status prefix##push(scree__transport *t, uint32_t dest, scree__block *block);                                  \
  scree__block *prefix##peek(scree__transport *t);                                                                     \
  void prefix##pop(scree__transport *t, scree__block *block);                                                          \
  void prefix##release(scree__transport *t, scree__block *block);                                                      \
  void prefix##set_min_block(scree__transport *t, uint32_t bytes);                                                     \
  uint64_t prefix##in_flight(const scree__transport *t);                                                               \
  uint32_t prefix##load(const scree__transport *t, uint32_t dest);                                                     \
  void prefix##memory(const scree__transport *t, scree__memory *add)

/* A decorator copies its inner transport's and replaces what it decorates. */
struct scree__transport {
  const scree__transport_ops *ops;
  const scree__topology *topology;
  scree__collective *collective;
  scree__scheduler *scheduler;
  scree__fault *fault;          /* the worker's */
  scree__node_page *page;       /* shared by the endpoints of the node */
  scree__node_slot *slots;      /* one for each endpoint of the node */
  scree__options options;       /* resolved */
  const scree__lock_user *lock; /* the worker's record of the lock under which MPI is called; NULL: there is none */
  scree__service *service;      /* of the first worker's; NULL: each endpoint calls MPI for itself */
  const char *note;             /* for the statistics, "" if there is nothing to say */
};

/* Bytes of the largest block that a lane requests. */
static inline size_t scree__lane_block(const scree__options *options) {
  return options->coalesce_bytes ? (size_t)1 << scree__log2_up(options->coalesce_bytes) : SCREE__LARGE_BLOCK;
}

static inline void scree__yield_point(const scree__transport *t) {
  if (t->scheduler->ops->yield_point) t->scheduler->ops->yield_point(t->scheduler);
}
#endif
