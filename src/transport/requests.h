/* requests.h - lists of MPI requests: ends those that are left where a world closes, without waiting for a peer that is gone,
 * and counts those that are complete. */
#ifndef SCREE__REQUESTS_H
#define SCREE__REQUESTS_H
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* Tests the requests that are active, a bounded number of times. False: some still are. Those must be left alone with
 * their buffers and their communicator, which MPI may still read and write: to free an active request of a collective
 * is erroneous, and that of a send says nothing about its buffer. */
bool scree__requests_end(MPI_Request *requests, int count);
/* The same for receives, which it cancels first. */
bool scree__receives_end(MPI_Request *receives, int count);

/* Adds to *active the requests that are active, and returns how many of these are complete. They stay as they are, but MPI
 * may make progress. */
uint64_t scree__requests_complete(const MPI_Request *requests, int count, uint64_t *active);
#endif
