/* comm.h - the communicators of a world on MPI: the topology, gathers, and the reductions of detection rounds. Only
 * nonblocking calls wait here, in a loop that yields; the blocking calls of setup are made where a world opens. */
#ifndef SCREE__COMM_H
#define SCREE__COMM_H
#include <mpi.h>

#include "thread/lock.h"
#include "trace/ring.h"
#include "transport/collective.h"
#include "transport/fault.h"
#include "transport/topology.h"

/* Tags. They differ by the class of the hop on which a block travels. */
enum { SCREE__BLOCK_TAG = 1, SCREE__CREDIT_TAG = 2 };
static inline int scree__comm_tag(int tag, uint32_t hop_class) {
  return tag + 4 * (int)hop_class;
}

typedef struct scree__comm {
  scree__collective collective; /* must be first */
  scree__topology *topology;    /* of each worker of this rank */
  scree__fault *fault;          /* of each worker; the first's takes those of the calls here */
  scree__ring *rings;           /* of each worker: waits for the lock are recorded there */
  scree__lock *lock;            /* held during calls of MPI; NULL: one thread calls it, or MPI serves several at once */
  scree__lock_user *users;      /* of each worker, where there is a lock */
  scree__sockets *sockets;      /* by which entries of the lock are counted; NULL: they are not */
  uint64_t sample;              /* the option lock_sample; 0 without a lock */
  uint32_t rank, ranks, threads;    /* threads: endpoints of each rank */
  uint32_t index, size;             /* of this rank on its node; number of ranks there */
  uint32_t local_rank, local_ranks; /* the same, whether they form a node or not */
  scree__core_share core_share;     /* of these, by the cores that a launcher allows; only with the option pin */
  uint64_t spin;                    /* the option of that name */
  MPI_Comm comm;                    /* all ranks: gathers, and blocks and credits to first workers */
  MPI_Comm *to;          /* by worker: blocks and credits to the workers with that index; the first is comm */
  MPI_Comm node;         /* the ranks of this node; MPI_COMM_NULL if each rank is a node */
  MPI_Comm leaders_comm; /* of detection; MPI_COMM_NULL on other ranks */
  MPI_Datatype round_type;
  MPI_Op round_op;
  MPI_Request round; /* the open one */
  scree__round mine, sum;
  uint32_t failed_tests;    /* of rounds */
  uint32_t *leaders;        /* node -> endpoint */
  uint32_t *node_endpoints; /* index on this node -> endpoint */
  uint32_t *node_of;        /* rank -> node */
  uint32_t *index_on_node;  /* endpoint -> index on this node, UINT32_MAX: on another node */
} scree__comm;

/* Collective, on a duplicate of comm. by_memory: ranks that can share memory form a node; else each rank is a node, and
 * those ranks are only counted.
 * Of the options it reads threads, progress, thread_level, spin, lock, lock_sample, pin and detector. `fault` and `rings` have one for each worker. NULL: the reason
 * is in the first one's text. */
scree__comm *scree__comm_open(MPI_Comm comm, bool by_memory, const scree_options *options, scree__fault *fault,
                              scree__ring *rings);
/* No worker of this rank spins from now on. */
void scree__comm_never_spin(scree__comm *comm);
/* Frees; but the communicators of a lost world stay, and with them what requests on them that are still active point to:
 * then the fault sink says `abandoned`. */
void scree__comm_close(scree__comm *comm);

/* The worst status of all ranks of a communicator. What one rank alone may fail to do while a world opens is agreed on
 * before the next collective call. Collective; blocks. */
scree_status scree__comm_agree(MPI_Comm comm, scree_status mine);

/* Enters, and records the wait. */
void scree__comm_enter_traced(scree__comm *comm, uint32_t worker, scree__priority priority);

/* MPI is initialised for calls by one thread at a time: workers of one rank take turns. A rank with one worker enters
 * nothing, nor does one with thread_level=multiple (comm.c says why it may). `worker` is the caller's index; it leaves with
 * the priority that it entered with. */
static inline void scree__comm_enter(scree__comm *comm, uint32_t worker, scree__priority priority) {
  if (!comm->lock) return;
  if (comm->rings[worker].events)
    scree__comm_enter_traced(comm, worker, priority);
  else
    scree__lock_enter(comm->lock, &comm->users[worker], priority);
}
static inline void scree__comm_leave(scree__comm *comm, scree__priority priority) {
  if (comm->lock) scree__lock_leave(comm->lock, priority);
}
/* Leaves with low priority. `found`: the poll was not for nothing. */
static inline void scree__comm_polled(scree__comm *comm, uint32_t worker, bool found) {
  if (!comm->lock) return;
  comm->users[worker].wasted += !found;
  scree__lock_leave(comm->lock, SCREE__LOW);
}

/* Turns an MPI return code into SCREE_OK, or SCREE_EMPI with MPI's own words in the fault's text. */
scree_status scree__mpi_check(scree__fault *fault, const char *call, int code);
#endif
