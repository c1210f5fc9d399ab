/* memory.h - large tables on huge pages, and arrays that the ranks of a node share.
 *
 * A table needs no world, an array of a node belongs to one. C11 and C++11. */
#ifndef SCREE_MEMORY_H
#define SCREE_MEMORY_H
#include <scree/world.h>
#ifdef __cplusplus
extern "C" {
#endif

/* ---- tables ----
 *
 * Allocates zeroed memory for tables that handlers access at random. In tables larger than the caches, address
 * translation takes much of the time of such an access; pages of 2 MiB instead of 4 KiB save most of it. Uses
 * transparent huge pages of Linux, whose size the system says in /sys/kernel/mm/transparent_hugepage/hpage_pmd_size (2
 * MiB on x86-64). */

/* Returns `bytes` zero bytes that start on a page. An allocation of a huge page or more starts at a multiple of its
 * size, and requests huge pages (madvise) for all that it covers completely, and for a last one of up to 2 MiB that it
 * covers by half, which it then takes whole; scree_huge_bytes reports how many the system granted. Memory is committed
 * when it is first touched. NULL: out of memory, or `bytes` exceeds the address space.
 * 0 bytes: memory that must not be read, and is freed like any other. Owned by the caller, who frees it with
 * scree_huge_free (free and realloc: undefined). Each allocation takes an additional page, so do not use it for many
 * small ones. Local; any time, any thread, handlers too. */
void *scree_huge_alloc(size_t bytes);

/* Frees a table; NULL is legal. Undefined: a table freed before, or memory that scree_huge_alloc did not return. Local;
 * any time, any thread, handlers too. */
void scree_huge_free(void *table);

/* The number of bytes of the table that are on huge pages now. Untouched memory is on no page, so call this when the
 * table has been filled. 0 if the system has switched huge pages off (/sys/kernel/mm/transparent_hugepage/enabled is
 * "never", not "madvise" or "always"), if none are left, for tables smaller than one, for NULL, and without /proc. Slow
 * (it reads /proc/self/smaps): intended for reports. Local; any time, any thread. */
size_t scree_huge_bytes(const void *table);

/* ---- arrays of a node ----
 *
 * One array for all ranks of a node, which map the same memory: what one rank writes the others load, without a
 * message. Between nodes it sends messages: a program has one branch, by the node of the owner. Where ranks do
 * not share (the option node_arrays is off, or auto and memory is short; transport=mpi) each counts as a node, with an
 * array of its own, and the same program works. */
typedef struct scree_node_array {
  char *at;                  /* zeroed when it is opened; starts on a page */
  size_t bytes;              /* as given */
  uint32_t ranks, index;     /* ranks of this node, and the number of this rank among them */
  const uint32_t *index_of;  /* by rank: its number on this node; UINT32_MAX: it is on another one */
  const uint32_t *leader_of; /* by rank: the first rank of its node */
  const char *alone;         /* why this rank shares with no other; NULL: it does */
  bool simulated;            /* private */
} scree_node_array;

/* Opens an array of `bytes`, the same on all ranks. Its memory is reserved, so that it can be written; where the ranks
 * of a node share it each reserves an equal part, the first rank the first. The world keeps what was closed for the
 * next array of about that size. Collective, idle world. On success *array is valid until it or the world is closed;
 * else it is unchanged. Errors, on all ranks: SCREE_ENOMEM (also in /dev/shm; with node_arrays=auto the ranks then
 * share nothing from now on), SCREE_EINVAL (ranks have different sizes), SCREE_ESTATE, or the status of a failed
 * world. */
scree_status scree_node_array_open(scree_world *world, size_t bytes, const scree_node_array **array);
/* Local, outside epochs; NULL is ignored. The others of the node may still use theirs. */
void scree_node_array_close(scree_world *world, const scree_node_array *array);

/* Who writes what, and when the others may read it, is the program's concern. Words that ranks access at once are
 * accessed by atomic operations alone. What was written before scree_end is seen after it on all ranks of the node, and
 * a rank that has left scree_end may write what others have read before it: all of them have ended the epoch. */

/* Between accesses whose order matters: there the simulator may let another rank run. Costs a test elsewhere. Owner's
 * thread; handlers too. */
void scree__node_array_yield(scree_worker *worker);
static inline void scree_node_array_step(const scree_node_array *array, scree_worker *worker) {
  if (__builtin_expect(array->simulated, 0)) scree__node_array_yield(worker);
}

#ifdef __cplusplus
}
#endif
#endif
