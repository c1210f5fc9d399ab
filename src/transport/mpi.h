/* mpi.h - blocks between nodes, as MPI messages: the data path over MPI, used alone or beside shared memory. */
#ifndef SCREE__MPI_H
#define SCREE__MPI_H
#include <mpi.h>

#include "block/pool.h"
#include "transport/comm.h"
#include "transport/credit.h"
#include "transport/transport.h"

enum { SCREE__RECEIVES_MAX = 64 }; /* of the option test_receives */

typedef struct {
  SCREE__OWN_LINE scree__transport base; /* must be first */
  scree__comm *comm;
  uint32_t hop_class;
  int tag; /* of its blocks */
  scree__pool pool;
  scree__credit credit;
  size_t largest;   /* bytes of records in the largest block that any rank sends */
  uint32_t touched; /* bytes of the largest one that has arrived: no more of a receive's memory is on pages */
  bool begun;       /* all ranks have the world */
  /* sends in flight: request i carries block i */
  MPI_Request *requests;
  scree__block **blocks;
  int *done;
  MPI_Status *statuses;
  int sends, sends_max;
  uint32_t doubtful; /* blocks whose send failed, which MPI may still read: they are never used again, nor freed */
  /* receives, a ring in the order of posting */
  int ring; /* as many */
  MPI_Request receives[SCREE__RECEIVES_MAX];
  scree__block *arrived[SCREE__RECEIVES_MAX];
  int oldest;            /* posted first */
  int free;              /* that is to be posted again before all others */
  uint64_t freed;        /* bit i: receive i may be posted again */
  bool is_here;          /* the oldest has arrived and has not been popped */
  uint32_t polls;        /* for blocks */
  uint32_t failed_tests; /* of receives that are still active */
  /* where one endpoint calls MPI for the others */
  AO_t *sent;                    /* of one of the others: where its blocks go when they are sent; NULL: to the pool */
  struct scree__funnel *serving; /* of that one; NULL: there is none */
} scree__mpi;

static inline scree__mpi *scree__mpi_of(scree__transport *t) {
  return (scree__mpi *)t;
}

/* mpi_receive.c: by the thread that has entered the lock, for the lock's statistics. */
void scree__mpi_sample(const scree__mpi *m);
/* Makes and posts the receives. False: no memory, or an error that the fault sink has. */
bool scree__mpi_make_receives(scree__mpi *m);

/* Around what calls MPI: the workers of a rank take turns. */
static inline void scree__mpi_lock(const scree__mpi *m, scree__priority priority) {
  scree__comm_enter(m->comm, scree__topology_worker(m->base.topology), priority);
  if (m->comm->sample) scree__mpi_sample(m);
}
static inline void scree__mpi_unlock(const scree__mpi *m, scree__priority priority) {
  scree__comm_leave(m->comm, priority);
}
static inline void scree__mpi_polled(const scree__mpi *m, bool found) {
  scree__comm_polled(m->comm, scree__topology_worker(m->base.topology), found);
}

/* The operations of a data path. Close ends all paths of the rank, and is the first worker's. */
extern const scree__transport_ops scree__mpi_ops;

/* The data paths alone, without scheduler and counters, for hops of that class: an array of one for each worker of the
 * rank. Local; NULL: no memory or an MPI error, text in the first worker's fault sink. Posts the receives. */
scree__mpi *scree__mpi_open(scree__comm *comm, uint32_t hop_class, const scree__options *options);
/* Ends the receives and the sends of all of them and frees; collective once an epoch has begun, unless the world is
 * lost. Requests that cannot be ended in a lost world stay with their memory, and the first worker's fault sink is
 * `abandoned`. The memory also stays if a send has failed. */
void scree__mpi_close(scree__mpi *all);

/* A block of the pool. By the thread that owns the pool. */
scree__block *scree__mpi_carve(scree__mpi *m, size_t want);
/* Tests for sends that are over. */
void scree__mpi_poll_sends(scree__mpi *m);
/* Adds the bytes of a path whose largest arrived block had `touched` bytes, with memory for `requests` sends. */
void scree__mpi_add_memory(const scree__mpi *m, uint32_t touched, size_t requests, scree__memory *add);

/* Those of a data path that its owner's thread calls. */
SCREE__TRANSPORT_FUNCTIONS(scree__mpi_);

/* The transport of a world in which all blocks travel by MPI and each rank, which has one worker, counts as a node; for
 * hops of that class. That of class 0 takes over comm on success. */
scree__transport *scree__mpi_alone_open(scree__comm *comm, uint32_t hop_class, const scree__options *options);
#endif
