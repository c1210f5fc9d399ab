/* requests.h - lists of MPI requests: ends the remaining ones when a world closes, without waiting for a dead peer, and
 * counts those that are complete. */
#ifndef SCREE__REQUESTS_H
#define SCREE__REQUESTS_H
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* Tests the requests that are active, a bounded number of times. False: some still are. Those must be kept, with their
 * buffers and their communicator, which MPI may still read and write: it is erroneous to free an active request of a
 * collective, and freeing that of a send does not release its buffer. */
bool scree__requests_end(MPI_Request *requests, int count);
/* The same for receives, which it cancels first. */
bool scree__receives_end(MPI_Request *receives, int count);

/* Adds to *active the requests that are active, and returns how many of these are complete. They stay as they are, but
 * MPI may make progress. */
uint64_t scree__requests_complete(const MPI_Request *requests, int count, uint64_t *active);
#endif
