/* credit.h - how many blocks a rank may have on their way to another node: as many as the receiver lets it.
 *
 * Room: the counts and the notes. A block that leaves spends a credit; its receiver owes the credit from when the block
 * has been handled. Credits go back in the header of the next block that goes the other way, or in a note, a message
 * of their own, once half of them are owed: so a sender that waits always gets some. What lies unhandled at a receiver
 * is bounded by the senders' credits, whether it makes progress or not. */
#ifndef SCREE__CREDIT_H
#define SCREE__CREDIT_H
#include <mpi.h>

#include "transport/transport.h"

enum {
  SCREE__NOTES = 8,       /* on their way at once */
  SCREE__CREDIT_BYTES = 6 /* of tables, by rank */
};

typedef struct {
  scree__transport *transport; /* for its options, its communicator, and the text of faults */
  uint8_t *out;                /* by rank: blocks sent whose credit has not come back */
  uint8_t *owed;               /* by rank: credits to give back */
  uint32_t *notes;             /* by rank: notes sent */
  uint32_t came;               /* notes received */
  uint32_t text_out[SCREE__NOTES], text_in[SCREE__NOTES]; /* what a note says: how many credits */
  MPI_Request sending[SCREE__NOTES], receiving[SCREE__NOTES];
  bool late; /* a note was due, and could not be sent */
} scree__credit;

/* Local. The transport has its rank, ranks, options and group. */
scree_status scree__credit_open(scree__credit *c, scree__transport *t);
/* Frees. `together`, collective: takes in all notes that were sent to this rank. */
void scree__credit_close(scree__credit *c, bool together);

/* A block leaves for dest: what its header says about credits. */
uint32_t scree__credit_spend(scree__credit *c, uint32_t dest);
/* Credits have come back; 1: a block did not leave. */
void scree__credit_back(scree__credit *c, uint32_t from, uint32_t count);
/* So many blocks of that rank's have been handled. */
void scree__credit_owe(scree__credit *c, uint32_t from, uint32_t count);
/* A message was lost, and credits with it: the world fails, and what it still has to send is not held back. */
void scree__credit_forgive(scree__credit *c);
/* Takes in the notes that have come, and sends those that are late. */
void scree__credit_poll(scree__credit *c);

static inline bool scree__credit_left(const scree__credit *c, uint32_t dest) {
  return c->out[dest] < c->transport->options.in_flight;
}
#endif
