/* hybrid.h - shared memory to endpoints of this node, MPI to the others. */
#ifndef SCREE__HYBRID_H
#define SCREE__HYBRID_H
#include "transport/mpi.h"

/* One endpoint's paths. Takes over `near` on success, and with the first worker's the `far` paths of all; NULL: no
 * memory. `near` is what scree__shm_open made. */
scree__transport *scree__hybrid_open(scree__transport *near, scree__transport *far, const scree__peers *peers);
#endif
