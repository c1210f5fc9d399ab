/* eager.h - scree limits: the eager limit between two ranks, measured and as the MPI library states it. */
#ifndef CLI_EAGER_H
#define CLI_EAGER_H
#include "args/args.h"

/* Collective; returns the exit code, the same on all ranks. */
int cli_limits(const cli_args *args, scree_world *world);

enum { CLI_EAGER_MAX = 4 << 20 }; /* the largest size tried, in bytes */

/* Called by ranks 0 and 1 of MPI_COMM_WORLD. Returns on rank 0 the largest size up to CLI_EAGER_MAX that MPI_Isend
 * completes before its receive is posted, as the minimum of three searches, 0 if there is none; on rank 1 returns 0.
 * `buffer` has CLI_EAGER_MAX bytes. */
int64_t cli_find_eager(int rank, char *buffer);

#endif
