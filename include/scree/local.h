/* local.h - a job without a launcher: ranks that the program starts itself, on this machine, over shared memory and
 * without MPI. Worlds are opened, used and closed as under a launcher. */
#ifndef SCREE_LOCAL_H
#define SCREE_LOCAL_H
#include <scree/scree.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SCREE_LOCAL_RANKS_MAX 1024

/* What each rank does with its world, which is closed when it returns. A status that is not SCREE_OK is for the caller
 * of scree_local_run; the world need not have failed. */
typedef scree_status scree_rank_fn(scree_world *world, void *arg);

/* Runs fn(world, arg) in `ranks` new processes, copies of this one as after fork(2), which are ranks 0 to ranks - 1 of
 * one world, and waits for them; one rank alone is this process itself. Returns the highest status of all: of opening,
 * of fn, of closing. What the ranks change in memory is theirs, unless it was shared before by mmap. Local; blocks; not
 * inside an epoch, by a program of one thread.
 *   - `options`: as of scree_open, or NULL. Each rank is bound to cores of its own where the process may use enough of
 *     them.
 *   - Standard input is rank 0's; the others read an empty one. Their standard outputs are this process's, a line (of
 *     up to 4096 bytes) at a time. What was printed before is flushed. Functions of atexit run in this process alone.
 *   - In a rank scree_open opens further worlds of the same ranks, at most 15 at once, on one thread; MPI must not be
 *     used.
 *   - A rank that ends in another way than by returning from fn (a signal, exit) is named on standard error, the others
 *     are given 2 s to notice, and are ended: SCREE_EPEER. So are all, at once, if this process dies; Linux forgets
 *     that of a rank that has changed its user (prctl(2), PR_SET_PDEATHSIG).
 *   - SIGINT, SIGTERM, SIGHUP and SIGQUIT, unless they are ignored, go to all ranks, which end; then this process gets
 *     the signal too, and SCREE_EPEER is returned if it goes on. SIGUSR1 goes to all ranks.
 *   - Sanitizers and valgrind (--trace-children=yes) watch each rank as a process. That for threads does not see what
 *     another process orders, and reports a race, falsely, where several threads of a rank give blocks back.
 * Errors, with the reason on standard error, before any rank runs fn: SCREE_EINVAL (`ranks` is not in
 * 1 .. SCREE_LOCAL_RANKS_MAX; an option, among them transport=mpi and progress=comm, which need MPI), SCREE_ESTATE (MPI
 * is initialised; inside a rank of scree_local_run; this process has several threads, unless it is the one rank),
 * SCREE_ENOMEM (no process, no shared memory). */
scree_status scree_local_run(const scree_options *options, uint32_t ranks, scree_rank_fn *fn, void *arg);

/* How many ranks use what this process may use of the machine: its cores, by affinity and by the quota of its control
 * groups, over the threads of a rank (the options threads and progress); at least 1. `options` as of scree_open. Local;
 * any time. */
uint32_t scree_local_ranks(const scree_options *options);

#ifdef __cplusplus
}
#endif
#endif
