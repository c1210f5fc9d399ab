/* both.h - the transports of a world on MPI, chosen when it opens.
 *
 * Room: MPI alone, or shared memory on the node and MPI beyond it. */
#ifndef SCREE__BOTH_H
#define SCREE__BOTH_H
#include "transport/mpi.h"
#include "transport/shm.h"

/* Each rank is a node of its own. Takes over the group on success. */
scree__transport *scree__mpi_alone_open(scree__transport *base);
/* Takes over both on success. */
scree__transport *scree__both_open(scree__transport *shm, scree__transport *mpi);
#endif
