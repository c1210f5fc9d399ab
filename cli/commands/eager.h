/* eager.h - scree limits: the eager limit between two ranks, measured and as the MPI library states it. */
#ifndef CLI_EAGER_H
#define CLI_EAGER_H
#include "args/args.h"

/* Collective; returns the exit code, the same on all ranks. */
int cli_limits(const cli_args *args, scree_world *world);

enum { CLI_EAGER_MOST = 4 << 20 }; /* bytes that are tried */

/* Ranks 0 and 1 of MPI_COMM_WORLD. Rank 0: the largest size up to CLI_EAGER_MOST that MPI_Isend completes before its
 * receive is posted, the smallest of three searches; 0 if none does. Rank 1 takes part and returns 0. `buffer` has
 * CLI_EAGER_MOST bytes. */
int64_t cli_find_eager(int rank, char *buffer);

#endif
