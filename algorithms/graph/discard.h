/* discard.h - memory that was read for the last time, back to the system before its table is freed. */
#ifndef SCREE__DISCARD_H
#define SCREE__DISCARD_H
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SCREE__DISCARD_MIN = 1 << 14 }; /* bytes for which a call of the system is worth its time */

/* Returns the whole pages of from .. to-1 of memory that scree_graphs_alloc returned; they then read as zeros.
 * Fewer bytes stay. Local. */
static inline void scree__discard(const void *from, const void *to) {
  const long size = sysconf(_SC_PAGESIZE);
  const uintptr_t page = size > 0 ? (uintptr_t)size : 4096;
  const uintptr_t first = ((uintptr_t)from + page - 1) / page * page, last = (uintptr_t)to / page * page;
  if (last > first && last - first >= SCREE__DISCARD_MIN) madvise((void *)first, last - first, MADV_DONTNEED);
}

#endif
