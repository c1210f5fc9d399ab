/* hybrid.h - shared memory to ranks of this node, MPI to the others. */
#ifndef SCREE__HYBRID_H
#define SCREE__HYBRID_H
#include "transport/mpi.h"

/* Takes over both on success; NULL: no memory. `near` is what scree__shm_open returned. */
scree__transport *scree__hybrid_open(scree__transport *near, scree__mpi *far);
#endif
