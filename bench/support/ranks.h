/* ranks.h - how the ranks of a benchmark or a test start, and how they add up values: by a launcher and MPI, or without
 * either. */
#ifndef BENCH_RANKS_H
#define BENCH_RANKS_H
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The ranks have no MPI; this is rank 0. */
extern bool ranks_are_local, ranks_first;

/* Runs fn(arg, rank, ranks) on each rank. Under a launcher, or without the variable SCREE_RANKS, MPI is initialised
 * with the level, and fn finalises it. Else that many ranks are started here, without MPI; unless `bound`, they may run
 * on all cores. Returns what fn returns, of local ranks the highest, at most 13. The process has one thread. */
typedef int ranks_fn(void *arg, int rank, int ranks);
int ranks_run(int *argc, char ***argv, int level, bool bound, ranks_fn *fn, void *arg);

/* Each word over all ranks of `comm`, of local ranks over all. Collective; never waits inside MPI; the values to
 * compare are less than 2^63. */
typedef enum { RANKS_SUM, RANKS_MAX } ranks_op;
void ranks_reduce(MPI_Comm comm, const void *mine, void *all, size_t words, ranks_op op);

/* The greatest of all ranks' values, none of which is negative. Collective. */
double ranks_greatest(MPI_Comm comm, double mine);

/* Zeroed memory that the ranks, which are on one machine, share until they end. Collective; aborts if there is none. */
void *ranks_share(size_t bytes);

/* Waits for a request without occupying the core: an MPI may spin in its own waits. */
void ranks_wait(MPI_Request *request);
#endif
