/* memory.h - large tables on huge pages.
 *
 * Room: zeroed memory for what handlers reach at random: tables, arrays by vertex. Beyond the caches a good part
 * of the time of such an access may go into finding the page; pages of 2 MiB instead of 4 KiB save most of it. Uses
 * Linux's transparent huge pages. Needs no world. C11 and C++11. */
#ifndef SCREE_MEMORY_H
#define SCREE_MEMORY_H
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif

/* A table of `bytes` zero bytes, at the start of a page. One of 2 MiB or more starts at a multiple of 2 MiB, and huge
 * pages are asked for (madvise) for all of its whole 2 MiB parts; whether they are had is the system's affair: see
 * scree_huge_bytes. Memory is taken when it is first touched. NULL: no memory, or `bytes` is more than there are
 * addresses. 0 bytes: a table that must not be read, and is freed like any other. Owned by the caller, who frees it by
 * scree_huge_free alone (free and realloc: undefined). A table takes a page for its own ends, so many small ones
 * belong elsewhere. Local; any time, any thread, handlers too. */
void *scree_huge_alloc(size_t bytes);

/* Frees a table; NULL is legal. Undefined: a table freed before, or memory that scree_huge_alloc did not return. Local; any
 * time, any thread, handlers too. */
void scree_huge_free(void *table);

/* How many bytes of the table lie on huge pages now. What was never touched lies on no page: ask when the table has
 * been filled. 0 also where the system has switched huge pages off (/sys/kernel/mm/transparent_hugepage/enabled says
 * "never"; "madvise" and "always" will do), where none are left, for tables under 2 MiB, for NULL, and without /proc.
 * Takes a while (it reads /proc/self/smaps): for reports. Local; any time, any thread. */
size_t scree_huge_bytes(const void *table);

#ifdef __cplusplus
}
#endif
#endif
