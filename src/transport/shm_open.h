/* shm_open.h - the transport of a world whose ranks on one node share memory. */
#ifndef SCREE__SHM_OPEN_H
#define SCREE__SHM_OPEN_H
#include "transport/comm.h"
#include "transport/transport.h"

/* Collective over the node of comm. NULL: shared memory is unavailable here; the same answer on all ranks of the node.
 * Takes over comm on success. */
scree__transport *scree__shm_open(scree__comm *comm, const scree_options *options);
#endif
