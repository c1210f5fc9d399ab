/* traffic_ranks.h - random programs over real ranks. */
#ifndef TRAFFIC_RANKS_H
#define TRAFFIC_RANKS_H
#include "traffic.h"

/* Plays the program on all ranks (bench/support/ranks.h), and judges it. Collective; MPI, if there is one, gives
 * MPI_THREAD_MULTIPLE. `hooks` may have all but what meets other ranks. *all: what all ranks counted. False, on all
 * ranks: something is wrong, and why[WHY] has the reason, with more detail on a rank that knows more. */
bool traffic_over_ranks(const program *p, const driver *hooks, account *all, char *why);

/* The largest value on any rank; never waits inside MPI. Collective. */
uint64_t traffic_max(uint64_t mine);
#endif
