/* traffic_mpi.h - random programs over MPI. */
#ifndef TRAFFIC_MPI_H
#define TRAFFIC_MPI_H
#include <scree/scree_mpi.h>

#include "traffic.h"

/* Plays the program, whose ranks are those of MPI_COMM_WORLD, and judges it. Collective; MPI gives MPI_THREAD_MULTIPLE. `hooks`
 * may have all but what meets other ranks. *all: what all ranks counted. False, on all ranks: something is wrong, and why[WHY]
 * says what, on a rank that knows more, more. */
bool traffic_over_mpi(const program *p, const driver *hooks, account *all, char *why);

/* The largest value on any rank; never waits inside MPI. Collective. */
uint64_t traffic_most(uint64_t mine);
#endif
