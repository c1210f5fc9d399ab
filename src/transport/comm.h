/* comm.h - the communicators of a world on MPI: the topology, gathers, and the reductions of detection rounds. Only
 * nonblocking calls wait here, in a loop that yields; the blocking calls of setup are made where a world opens. */
#ifndef SCREE__COMM_H
#define SCREE__COMM_H
#include <mpi.h>

#include "thread/lock.h"
#include "transport/peers.h"

/* Tags. They differ by the class of the hop on which a block travels. */
enum { SCREE__BLOCK_TAG = 1, SCREE__CREDIT_TAG = 2, SCREE__STANDING_TAG = 3 };
static inline int scree__comm_tag(int tag, uint32_t hop_class) {
  return tag + 4 * (int)hop_class;
}

typedef struct {
  scree__meeting meeting; /* must be first */
  MPI_Comm comm;
} scree__mpi_meeting;

/* Bytes that a gather copies: MPI may read them after it was given up. A caller with more bytes keeps them, and all
 * callers keep the table. */
enum { SCREE__GATHER_COPY = 1024 };

/* See standing.c. */
typedef struct {
  scree__standing noted[SCREE__STANDINGS_MAX], out[SCREE__STANDINGS_MAX], in[SCREE__STANDINGS_MAX];
  uint32_t count, sent; /* in `noted`, in `out` */
  MPI_Request *sending; /* as many as ranks */
  uint32_t sends;
  MPI_Request receiving;
} scree__comm_standing;

typedef struct scree__comm {
  scree__peers peers;           /* must be first */
  scree__mpi_meeting all, node; /* node: MPI_COMM_NULL if each rank is a node */
  scree__ring *rings;           /* of each worker: waits for the lock are recorded there */
  scree__lock *lock;            /* held during calls of MPI; NULL: one thread calls it, or MPI serves several at once */
  scree__lock_user *users;      /* of each worker, where there is a lock */
  scree__sockets *sockets;      /* by which entries of the lock are counted; NULL: they are not */
  uint64_t hang_timeout;        /* the option of that name */
  uint64_t sample;              /* the option lock_sample; 0 without a lock */
  MPI_Comm *to; /* by worker: blocks and credits to the workers with that index; the first, of `all`, gathers too */
  MPI_Comm leaders_comm; /* of detection; MPI_COMM_NULL on other ranks */
  MPI_Datatype round_type;
  MPI_Op round_op;
  MPI_Request round; /* the open one */
  scree__round mine, sum;
  uint32_t failed_tests;             /* of rounds */
  MPI_Request gathering;             /* active where a gather was given up */
  char gathered[SCREE__GATHER_COPY]; /* what this rank contributes to it */
  scree__comm_standing standing;
} scree__comm;

enum { SCREE__TESTS_MAY_FAIL = 1000 }; /* of reductions, of receives, in the life of a world */

/* The ranks of a communicator of the caller's, which is duplicated when they open a world. The sink, which is for what
 * is raised until the world has its own, takes errors: then it is `lost`, and there are 0 ranks. Local. */
scree__mpi_meeting scree__mpi_meeting_of(MPI_Comm comm, scree__fault *fault);

static inline scree__comm *scree__comm_of(scree__peers *peers) {
  return (scree__comm *)peers;
}

/* Enters, and records the wait. */
void scree__comm_enter_traced(scree__comm *comm, uint32_t worker, scree__priority priority);

/* MPI is initialised for calls by one thread at a time: workers of one rank take turns. A rank with one worker enters
 * nothing, nor does one with thread_level=multiple (comm.c says why it may). `worker` is the caller's index; it leaves
 * with the priority that it entered with. */
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

/* standing.c; the first is the slot of a collective, the others are called by the thread that may call MPI */
void scree__comm_say(scree__collective *collective, const scree__standing *all, uint32_t count, bool send);
void scree__comm_send_standing(scree__comm *c);
void scree__comm_hear(scree__comm *c);
bool scree__comm_heard(scree__comm *c);

/* Turns an MPI return code into SCREE_OK, or SCREE_EMPI with MPI's own words in the fault's text. */
scree_status scree__mpi_check(scree__fault *fault, const char *call, int code);
#endif
