/* sim_mpi.h - a simulated MPI under the real transport.
 *
 * These sources define the MPI functions that scree calls, the clock and the idle calls of the system, and
 * scree_sim_run. A program that links them before the library runs its virtual ranks over the library's own code for
 * MPI, as it is shipped: scree_open, communicators, receive ring, credits, detection rounds; and, between the ranks of
 * a virtual node, over real shared memory. Nothing of a real MPI is called; its header gives the types.
 *
 * The seed decides when a message arrives, when a receive and a send complete (a send may long after its message was
 * handled, or not before it was received), and when a rank sees the end of a collective call. Messages of one pair of
 * ranks keep their order, those of different pairs do not. Each MPI call is a yield point.
 *
 * A buffer that MPI may still write or read must not be touched: receives are filled with rubbish until they complete,
 * and a send whose buffer has changed is reported. A send that fails has sent its message or not, by the seed, and may
 * read its buffer until the message arrives. The end of a run also reports messages that were not received, requests
 * and communicators that were not freed, and calls that the standard forbids, including two workers of a rank at
 * once. */
#ifndef SIM_MPI_H
#define SIM_MPI_H
#include <mpi.h>
#include <scree/scree_sim.h>

#include "base/options.h"
#include "base/random.h"
#include "sim/token.h"

enum { SIM_MPI_RUBBISH = 0xe5, SIM_MPI_BLOCK = 1 /* tag */ };

typedef enum { SIM_MPI_SEND, SIM_MPI_RECEIVE, SIM_MPI_COLLECTIVE } sim_mpi_kind;

typedef struct sim_mpi_comm sim_mpi_comm;
typedef struct sim_mpi_round sim_mpi_round; /* one collective call of all members */

typedef struct {
  sim_mpi_kind kind;
  uint32_t owner;
  uint64_t complete_at; /* step; UINT64_MAX: what it waits for has not happened */
  bool cancelled, may_fail;
  int error;
  sim_mpi_comm *comm;
  /* point to point; of a send: the buffer and what it held */
  int peer, tag;
  void *buffer;
  size_t bytes;
  char *copy;
  /* collective */
  sim_mpi_round *round;
} sim_mpi_request;

typedef struct {
  sim_mpi_comm *comm;
  uint32_t source; /* in the communicator */
  int tag;
  size_t bytes;
  char *data;
  uint64_t arrives_at;
  sim_mpi_request *waiting; /* the send, if it completes only when the message is received */
  const void *failed;       /* the buffer, if the call returned an error and the message arrives all the same */
} sim_mpi_message;

/* A growing array of pointers. */
typedef struct {
  void **at;
  size_t count, room;
} sim_mpi_list;

/* What is in flight to a rank, has arrived, and is waited for there. */
typedef struct {
  sim_mpi_list travelling, arrived, posted;
} sim_mpi_mailbox;

struct sim_mpi_comm {
  uint32_t size, freed;
  uint32_t *members;   /* rank in the communicator -> rank */
  uint64_t *calls;     /* by rank in the communicator: collective calls so far */
  sim_mpi_list rounds; /* call -> round */
};

typedef struct {
  scree__token token;
  scree_sim_config config;
  const scree_options *options;
  scree_sim_fn *fn;
  void *arg;
  scree_status worst;
  uint64_t random;
  uint64_t longest[3], eager; /* delays by kind, steps; bytes up to which a send completes by itself */
  uint64_t idle_limit;        /* steps without a message */
  uint64_t last_ns;           /* that the clock has shown */
  uint64_t read_at;           /* step in which it was last read, */
  uint32_t reads;             /* and how often */
  uint32_t errors_left, errors;
  uint64_t errors_from;  /* step */
  uint32_t failing_sums; /* calls of MPI_Ireduce_scatter_block of the last rank that return an error */
  bool reported;         /* what the ranks of a run that was given up wait for */
  bool multiple;         /* workers of a rank may call MPI at once */
  size_t bytes;          /* of the message of the last status */
  uint32_t last_caller;  /* of a rank's threads up to this one each may call MPI */
  bool *busy;            /* by rank: a worker of it is in a call of MPI */
  char wrong[300];
  sim_mpi_list requests, comms, types, ops; /* handle - 1 -> object; comms[0] is MPI_COMM_WORLD */
  sim_mpi_mailbox *mail;                    /* by rank */
} sim_mpi;

/* For the runs of this thread from now on: how many calls of a run may return an error. */
extern _Thread_local uint32_t sim_mpi_errors_max;
void sim_mpi_let_fail(uint32_t calls); /* the same */
/* Of its last run: how many did; and whether it was given up. */
extern _Thread_local uint32_t sim_mpi_errors;
extern _Thread_local bool sim_mpi_hung;

/* The run of this thread, NULL outside of one. */
extern _Thread_local sim_mpi *sim_mpi_here;

/* The rank that calls. */
static inline uint32_t sim_mpi_me(void) {
  return scree__token_rank(&sim_mpi_here->token);
}

/* Keeps the first thing that is wrong. */
void sim_mpi_wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A call of this rank begins: a yield point. Not MPI_SUCCESS: it fails. `may_fail`: an error may be drawn for it. */
int sim_mpi_enter(bool may_fail);
/* The error that was drawn for the call cannot happen to it. */
void sim_mpi_no_error(void);
/* A step from now on, drawn for this kind of delay. */
uint64_t sim_mpi_later(sim_mpi_kind kind);
bool sim_mpi_over(uint64_t at);

/* The caller's acts so far come before those of any thread that acquires this key; `last`: none will again. */
static inline void sim_mpi_release(const void *key) {
  if (scree__order) scree__order->release(key);
}
static inline void sim_mpi_acquire(const void *key, bool last) {
  if (!scree__order) return;
  scree__order->acquire(key);
  if (last) scree__order->forget(key);
}

size_t sim_mpi_push(sim_mpi_list *list, void *item);
void sim_mpi_remove(sim_mpi_list *list, size_t at);

sim_mpi_comm *sim_mpi_comm_of(MPI_Comm handle);
uint32_t sim_mpi_rank_in(const sim_mpi_comm *comm, uint32_t rank);
sim_mpi_comm *sim_mpi_new_comm(uint32_t size);
MPI_Comm sim_mpi_comm_handle(const sim_mpi_comm *comm);
size_t sim_mpi_bytes(int count, MPI_Datatype type);

/* sim_mpi_requests.c */
sim_mpi_request *sim_mpi_new_request(sim_mpi_kind kind, sim_mpi_comm *comm, MPI_Request *handle);
/* sim_mpi_messages.c: what may arrive at the calling rank does. */
void sim_mpi_deliver(void);
void sim_mpi_withdraw(sim_mpi_request *receive);
/* sim_mpi_collectives.c */
bool sim_mpi_round_done(sim_mpi_request *request);
void sim_mpi_free_rounds(sim_mpi_comm *comm);
#endif
