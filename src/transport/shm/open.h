/* open.h - the transports of a world whose endpoints on one node share memory. */
#ifndef SCREE__SHM_OPEN_H
#define SCREE__SHM_OPEN_H
#include "transport/peers.h"
#include "transport/transport.h"

/* For hops of that class. Collective over the node. False: shared memory is unavailable here; the same answer on all
 * ranks of the node. Sets out[w] for each worker of this rank; the first one of class 0 takes over the peers. */
bool scree__shm_open(scree__peers *peers, uint32_t hop_class, const scree__options *options, scree__transport **out);
#endif
