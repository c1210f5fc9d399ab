/* shm_open.h - the transports of a world whose endpoints on one node share memory. */
#ifndef SCREE__SHM_OPEN_H
#define SCREE__SHM_OPEN_H
#include "transport/comm.h"
#include "transport/transport.h"

/* Collective over the node of comm. False: shared memory is unavailable here; the same answer on all ranks of the node.
 * Takes over comm on success, and sets out[w] for each worker of this rank. */
bool scree__shm_open(scree__comm *comm, const scree_options *options, scree__transport **out);
#endif
