/* threads.h - several workers in a rank, each a thread: docs/threads.md. Included by scree.h. C11 and C++11. */
#ifndef SCREE_THREADS_H
#define SCREE_THREADS_H
#include <scree/world.h>
#ifdef __cplusplus
extern "C" {
#endif

#define SCREE_THREADS_MAX 64 /* workers of a rank, at most */

/* The level that scree_open requests from MPI, unless the option thread_level names a level: only one thread of a
 * process calls MPI; and, with the option threads above 1: several do, one at a time. */
#define SCREE_THREAD_LEVEL         "funneled"
#define SCREE_THREAD_LEVEL_WORKERS "serialized"

/* The level of MPI when the world was opened: "single", "funneled", "serialized", "multiple", or "none" where no MPI is
 * called. Local; any time. */
const char *scree_thread_level(const scree_world *world);

/* Runs fn(worker, arg) on the workers 0 to n - 1 of every rank, each on its own thread, and returns when those of this
 * rank have returned. The ranks wait for each other before fn runs. Epochs that are begun inside belong to all n
 * workers of each rank, which begin and end the same ones in the same order; epochs begun elsewhere to worker 0 alone.
 * Inside, a worker registers and closes nothing, waits for others only in an epoch by scree_progress, and leaves no
 * epoch open. The caller may read afterwards what a worker wrote, and workers may read what the caller wrote before.
 * Collective, with the same n; idle world; the thread of worker 0. Errors: SCREE_EINVAL (n is not in 1 .. threads, or
 * differs between ranks; no function: nothing runs), SCREE_ESTATE (an epoch is open; a handler, fn, another thread), or
 * the world's. */
typedef void scree_work_fn(scree_worker *worker, void *arg);
scree_status scree_run_workers(scree_world *world, uint32_t n, scree_work_fn *fn, void *arg);

/* The same by n threads of the program, an OpenMP team for instance: each of them calls it and runs as the worker
 * `index`,
 * 0 <= index < n, which it owns until the call returns; index 0 is the thread of worker 0. Other ranks may call
 * scree_run_workers. All return the same status. They wait for each other before and after fn, without end and without
 * a report for one that does not come. A wrong call is refused on all threads when all have called; scree_error_text,
 * on the thread of worker 0, says why (docs/threads.md, section 6). The program places its threads: not the option pin.
 * Errors: SCREE_EINVAL (n out of range, at once, or differing; an index out of range or passed twice), SCREE_ESTATE
 * (index 0 by another thread than worker 0's; an open epoch; a handler or worker that runs; the simulator), or the
 * world's. */
scree_status scree_join_workers(scree_world *world, uint32_t n, uint32_t index, scree_work_fn *fn, void *arg);

/* The number of a worker as a destination of SCREE_TO_WORKER types; for the index of a progress thread, to which
 * nothing is sent, that of worker 0 of its rank. Local; any time. */
static inline uint32_t scree_worker_number(const scree_worker *worker, uint32_t rank, uint32_t index) {
  return rank * worker->threads + (index < worker->threads ? index : 0);
}

#ifdef __cplusplus
}
#endif
#endif
