/* credit.h - how many blocks an endpoint may have in flight to another node: as many as the receiver permits.
 *
 * A block that is sent spends a credit; the credit is due at its receiver when the block has been handled. Credits
 * return in the header of the next block that goes the other way, or in a credit message of their own, once half of
 * them are due: so a sender that waits always gets some. The unhandled blocks at a receiver are bounded by the senders'
 * credits, whether it makes progress or not. */
#ifndef SCREE__CREDIT_H
#define SCREE__CREDIT_H
#include <mpi.h>

#include "transport/comm.h"

enum {
  SCREE__CREDIT_MESSAGES = 8, /* in flight at once */
  SCREE__CREDIT_BYTES = 6     /* of tables, by endpoint */
};

/* What a credit message carries. */
typedef struct {
  uint32_t from; /* endpoint */
  uint32_t count;
} scree__credits;

typedef struct {
  scree__comm *comm;
  scree__fault *fault;
  uint32_t endpoint;
  MPI_Comm receives;   /* the communicator on which this endpoint receives */
  int tag;             /* of credit messages */
  uint64_t window;     /* blocks in flight to one endpoint: the option in_flight */
  uint8_t *spent;      /* by endpoint: blocks sent whose credit has not returned */
  uint8_t *due;        /* by endpoint: credits to return */
  unsigned *returned;  /* by endpoint: credits that have returned; another thread reads them. NULL: none does */
  uint32_t *sent;      /* by endpoint: credit messages sent; by worker and rank */
  uint32_t received;   /* credit messages */
  uint32_t expected;   /* of them, known when the world closes */
  MPI_Request summing; /* of `expected` */
  scree__credits out[SCREE__CREDIT_MESSAGES], in[SCREE__CREDIT_MESSAGES];
  uint32_t dests[SCREE__CREDIT_MESSAGES];
  MPI_Request sending[SCREE__CREDIT_MESSAGES], receiving[SCREE__CREDIT_MESSAGES];
  uint32_t doubtful; /* bit i: the send of out[i] has failed, and MPI may still read it: it is never used again */
  uint32_t overdue;  /* endpoints to which half of the window is due, and no message could be sent yet */
  uint32_t turn;     /* endpoint to begin with at the next search for one of them */
} scree__credit;

/* Of blocks that travel on hops of that class. Local. */
scree_status scree__credit_open(scree__credit *c, scree__comm *comm, uint32_t worker, uint32_t hop_class,
                                const scree__options *options);
/* Frees the credits of all workers of the rank. `together`, collective: receives all credit messages that were sent to
 * them. False: requests are still active, which point to some of them; nothing is freed. */
bool scree__credit_close(scree__credit *const *all, bool together);

/* A block is sent to dest: the credits that its header returns. */
uint32_t scree__credit_spend(scree__credit *c, uint32_t dest);
/* Credits have returned; 1: a block was not sent. */
void scree__credit_returned(scree__credit *c, uint32_t from, uint32_t count);
/* So many blocks of that endpoint's have been handled. */
void scree__credit_add_due(scree__credit *c, uint32_t to, uint32_t count);
/* A message was lost, and credits with it: the world fails, and what it still has to send is not held back. */
void scree__credit_write_off(scree__credit *c);
/* Receives the credit messages that have arrived, and sends those that are pending. */
void scree__credit_poll(scree__credit *c);

static inline bool scree__credit_left(const scree__credit *c, uint32_t dest) {
  return c->spent[dest] < c->window;
}
#endif
