/* meeting.h - ranks that meet to open a world, and agree: over a communicator of MPI (comm.c), or in memory that ranks
 * of one parent share (local.c). */
#ifndef SCREE__MEETING_H
#define SCREE__MEETING_H
#include <scree/scree.h>
#include <string.h>

#include "base/options.h"
#include "trace/ring.h"
#include "transport/fault.h"

typedef struct scree__meeting scree__meeting;
struct scree__peers;

typedef struct {
  /* Of each word the maximum over all of them. False: it is unknown, and the fault sink is `lost`. Collective;
   * blocks. */
  bool (*max)(scree__meeting *, const uint64_t *mine, uint64_t *out, size_t words);
  /* The topology of the ranks and their communication in the world that they open. by_memory: those that can share
   * memory form a node; else each is a node, and those are only counted. Of the options it reads threads, progress,
   * thread_level, spin, lock, lock_sample, pin and detector. `fault` and `rings` have one for each worker. NULL: the
   * reason is in the first one's text. Collective; blocks. The meeting of the ranks of a node has no such slot. */
  struct scree__peers *(*open)(scree__meeting *, bool by_memory, const scree__options *, scree__fault *fault,
                               scree__ring *rings);
  bool by_mpi; /* true if each may be a node */
} scree__meeting_ops;

struct scree__meeting {
  const scree__meeting_ops *ops;
  uint32_t rank, ranks;
  /* `lost`: a collective call has failed on this rank, which makes no further one: it would match a different call of
   * the others, which wait for this rank inside MPI. */
  scree__fault *fault;
};

/* The worst status of all. Whatever may fail on only one rank while a world opens is agreed on before the next
 * collective call. Collective; blocks. */
static inline scree_status scree__agree(scree__meeting *all, scree_status mine) {
  uint64_t worst;
  return all->ops->max(all, &(uint64_t){(uint64_t)mine}, &worst, 1) ? (scree_status)worst : SCREE_EMPI;
}

#endif
