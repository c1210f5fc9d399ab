/* global.h - global memory: a heap that spans all ranks, in libscree-task (docs/global-memory.md).
 *
 * A put by address is not bound to an allocation: one that leaves its part of an array overwrites the next one, and
 * returns SCREE_OK. Only checked worlds, and calls compiled with SCREE_CHECK_INLINE, refuse it.
 *
 * Each rank has a part of `global_heap` bytes, of which memory is taken as it is allocated. Ranks of one node map all
 * parts of the node. A byte is named by an address, an allocation by a handle, scree_global: both are values that may
 * be sent and stored. Functions that wait take a scree_task and wait for nothing but their own purpose; other tasks run
 * meanwhile. C11 and C++11 (gcc, clang). */
#ifndef SCREE_GLOBAL_H
#define SCREE_GLOBAL_H
#include <scree/global/delegate.h>
#ifdef __cplusplus
extern "C" {
#endif

/* ---- statistics
 * --------------------------------------------------------------------------------------------------- */

/* Operations of these workers, by kind, and their bytes; those that were done directly, in this rank's part or in
 * another part of the node; requests for the others; implicit words and name_cast, which need none; waits because too
 * many were outstanding (global_outstanding); requests that were answered, and the sum of the times until then, by the
 * clock that a worker reads once per progress call. */
typedef struct {
  size_t size; /* as in scree_tasks_stats, and read by a function that works as scree_tasks_stats_read */
  uint64_t gets, puts, atomics, calls, bytes, local, direct, requests, words, waits, answered, wait_ns;
} scree_global_stats;
scree_status scree_global_stats_read(const scree_world *world, scree_global_stats *stats);

#ifdef __cplusplus
}
#endif
#endif
