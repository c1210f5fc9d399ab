/* collective.h - collective operations of ranks, besides blocks: gathering records while a world opens or a type is
 * registered, and, between the leaders of detection, a reduction. Leaders are the first worker of each node or, where
 * the option detector says so, of each rank. */
#ifndef SCREE__COLLECTIVE_H
#define SCREE__COLLECTIVE_H
#include <scree/scree.h>

#include "block/node.h"

typedef struct scree__collective scree__collective;

/* The state of a rank: the call that its first worker waits in, or waited in last (0: none), and the epochs in which it
 * was idle. */
typedef struct {
  uint32_t rank, call;
  uint64_t idle;
} scree__standing;
enum { SCREE__STANDINGS_MAX = 64 }; /* that are sent at once */

/* The same, as received from a rank of another node. Relaxed, for reports, which conclude nothing. */
typedef struct {
  AO_t call; /* and 1; 0: nothing received */
  AO_t idle;
} scree__heard;

/* All slots are called by the worker's thread. Their errors leave a text in the fault sink. */
typedef struct {
  /* Every rank's `bytes` bytes, in rank order, to every rank. Called in an idle world, by all ranks. Blocks until all
   * have called it, without stopping the progress of MPI. */
  scree_status (*gather)(scree__collective *, const void *mine, void *all, size_t bytes);
  /* Starts the reduction of a detection round. Called by leaders only, one round at a time. Never blocks. */
  scree_status (*round_start)(scree__collective *, const scree__round *mine);
  /* True once, when the round is complete; then *out is its sum. Called by leaders until it is true. Never blocks. */
  bool (*round_test)(scree__collective *, scree__round *out);
  /* Notes the states of the ranks of this node, this one first. `send`: also sends them to the ranks of other nodes,
   * which receive them while they do the same, or close; and receives what these have sent. Called by the first worker,
   * in any state of the world, where there are several nodes. Never blocks. */
  void (*say)(scree__collective *, const scree__standing *all, uint32_t count, bool send);
} scree__collective_ops;

struct scree__collective {
  const scree__collective_ops *ops;
  scree__heard *heard; /* by rank */
  /* Called by a gather after each poll that found nothing; sleeps. False: the gather is given up. NULL while the world
   * opens. */
  bool (*wait)(void *context);
  void *context;
};
#endif
