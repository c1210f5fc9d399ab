/* memory.h - large tables on huge pages.
 *
 * Allocates zeroed memory for tables that handlers access at random. In tables larger than the caches, address
 * translation takes much of the time of such an access; pages of 2 MiB instead of 4 KiB save most of it. Uses
 * transparent huge pages of Linux, whose size the system says in /sys/kernel/mm/transparent_hugepage/hpage_pmd_size (2
 * MiB on x86-64). Needs no world. C11 and C++11. */
#ifndef SCREE_MEMORY_H
#define SCREE_MEMORY_H
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif

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

#ifdef __cplusplus
}
#endif
#endif
