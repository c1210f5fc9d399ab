/* page_offset.h - memory at a chosen offset in its page, for hot tables. Processors predict from the low 12 bits of
 * addresses whether a load depends on an older store; where a lane's `next`, which every send stores, agrees in them
 * with a word that every send loads, each send waits for the one before and takes three times as long. With malloc
 * alone, this happened to about one world in twenty-five. */
#ifndef SCREE__PAGE_OFFSET_H
#define SCREE__PAGE_OFFSET_H
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Bytes into a page: the worker, which points to the table of types, which points to each type's lanes.
 * The lanes of different types follow each other, as far as they fit. */
enum { SCREE__PAGE = 4096, SCREE__WORKER_OFFSET = 0, SCREE__TYPES_OFFSET = 256, SCREE__LANES_OFFSET = 2048 };

/* Zeroed memory, `at` < SCREE__PAGE bytes into a page; NULL: none. */
static inline void *scree__alloc_at(size_t at, size_t bytes) {
  size_t room = (at + bytes + SCREE__PAGE - 1) / SCREE__PAGE * SCREE__PAGE;
  char *page = aligned_alloc(SCREE__PAGE, room);
  return page ? memset(page + at, 0, bytes) : NULL;
}

static inline void scree__free_at(void *placed) {
  if (placed) free((char *)placed - (uintptr_t)placed % SCREE__PAGE);
}

static inline size_t scree__lanes_offset(size_t bytes_before) {
  return SCREE__LANES_OFFSET + bytes_before % (SCREE__PAGE - SCREE__LANES_OFFSET);
}
#endif
