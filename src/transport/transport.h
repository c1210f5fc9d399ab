/* transport.h - how blocks travel: one ops record per transport.
 *
 * Room: what the core asks of shared memory, of MPI, of their composite, and of the simulator. Every call is made by
 * the rank's one worker thread, takes no lock, and never blocks, but for `gather`, which is for open, registration
 * and close. The core never asks who is behind it. */
#ifndef SCREE__TRANSPORT_H
#define SCREE__TRANSPORT_H
#include <scree/scree.h>

#include "block/block.h"
#include "block/node.h"

typedef struct scree__transport scree__transport;

/* Bytes that a world holds on this rank, by what for. */
typedef struct {
  uint64_t blocks;   /* carved from the pools; of shared memory, reserved for them */
  uint64_t overflow; /* private blocks, and large records that are being put together */
  uint64_t inbox;    /* of shared memory, with this rank's share of the counters' pages */
  uint64_t receives; /* posted to MPI */
  uint64_t tables;   /* lanes, queues, types: by rank, or fixed */
} scree__memory;

typedef struct {
  const char *name;
  /* An empty block that may travel to dest, of about `want` bytes; NULL: none now. */
  scree__block *(*take)(scree__transport *, uint32_t dest, size_t want);
  /* A block that was taken and not pushed. */
  void (*put)(scree__transport *, scree__block *);
  /* May a block be pushed to dest now? Stays true until the next push to dest. */
  bool (*accepts)(scree__transport *, uint32_t dest);
  /* Publishes a block; it is the transport's from here on. Only when dest accepts. On failure the block is back with
   * the transport all the same, and has reached nobody. */
  scree_status (*push)(scree__transport *, uint32_t dest, scree__block *);
  /* The oldest block that has arrived, NULL: none. It stays where it is until popped. */
  scree__block *(*peek)(scree__transport *);
  /* The block that peek showed leaves the inbox; the core reads it until it releases it. */
  void (*pop)(scree__transport *, scree__block *);
  void (*release)(scree__transport *, scree__block *);
  /* A nonblocking reduction among the leaders of nodes; only leaders call; one at a time. test: true once done. */
  scree_status (*wave_start)(scree__transport *, const scree__wave *);
  bool (*wave_test)(scree__transport *, scree__wave *out);
  /* Every rank's `bytes` bytes, in rank order, to every rank. Waits, without stopping other ranks. */
  scree_status (*gather)(scree__transport *, const void *mine, void *all, size_t bytes);
  /* Idle world: the smallest capacity that a block must have from now on. */
  void (*fit)(scree__transport *, uint32_t least_bytes);
  /* Blocks pushed and not yet back. */
  uint64_t (*in_flight)(const scree__transport *);
  /* Adds the bytes that it holds for this rank. */
  void (*memory)(const scree__transport *, scree__memory *);
  /* The worker has nothing to do; round counts its idle polls. May yield, nap, or pass the simulator's baton. */
  void (*relax)(scree__transport *, uint32_t round);
  /* A scheduling point: NULL but in the simulator. */
  void (*point)(scree__transport *);
  uint64_t (*now)(scree__transport *); /* nanoseconds */
  void (*close)(scree__transport *);
} scree__transport_ops;

struct scree__transport {
  const scree__transport_ops *ops;
  uint32_t rank, ranks;
  uint32_t node, nodes, index, size; /* of this rank's node; its place on it; ranks on it */
  const uint32_t *leaders;           /* rank of each node's leader */
  const uint32_t *node_ranks;        /* rank of each place on this node */
  scree__node_page *page;            /* shared by the ranks of the node */
  scree__node_slot *slots;           /* size of them */
  scree_options options;
  scree_status fault; /* what went wrong in a call that returns none; the core looks after each progress */
  char fault_text[160];
  uint32_t written_off;       /* pushed blocks that nobody will handle: the core makes good the count */
  bool lost;                  /* a peer is gone: waiting is pointless */
  char note[160];             /* for the statistics, "" if there is nothing to say */
  struct scree__group *group; /* of MPI transports */
};

static inline void scree__point(scree__transport *t) {
  if (t->ops->point) t->ops->point(t);
}
#endif
