/* allocator.h - which bytes of the parts are allocated: kept on rank 0 for all ranks. What has the same offset on all
 * ranks is allocated from the beginning of the parts, what one rank has alone from the end of its part. No function
 * sends or waits. */
#ifndef SCREE__GLOBAL_ALLOCATOR_H
#define SCREE__GLOBAL_ALLOCATOR_H
#include <scree/global.h>

/* A list of extents, by offset. */
typedef struct {
  struct scree__leaf *leaf;
  uint32_t count, room; /* leaves */
} scree__extents;

/* One end of a part, in bytes from there. Below `top` each byte is in one of the lists. */
typedef struct {
  scree__extents free;    /* no extent is adjacent to another, or to the top */
  scree__extents taken;   /* an extent for each allocation, in quarantine too */
  uint64_t top, reserved; /* reserved: the bytes for which ranks have taken memory, as far as rank 0 knows */
} scree__space;

typedef struct {
  uint64_t heap, unit; /* unit: of what all ranks have */
  uint32_t ranks, seed, generations;
  scree__space all, *own,
      *outside; /* own, outside: by rank; outside: of its heap, where memory that exists has addresses */
  struct scree__allocation *table;
  uint32_t count, room, unused; /* unused: places of the table that are free, a list; 0: none */
  uint32_t quarantined;         /* the same of what is freed when the epoch ends */
  uint64_t live_bytes;          /* of all ranks */
} scree__allocator;

/* Where an allocation is, and what it takes. */
typedef struct {
  bool everywhere, outside;
  uint32_t rank;      /* else: whose part */
  uint64_t at, bytes; /* in the space, on each rank */
} scree__placement;

/* Generations begin at the seed: handles of another world are noticed. generations: how many a place of the table has
 * before it is used no more; 0: 2^32. False: no memory. */
bool scree__allocator_open(scree__allocator *a, uint32_t ranks, uint64_t heap, uint64_t stripe, uint32_t seed,
                           uint32_t generations);
void scree__allocator_close(scree__allocator *a);

/* Fills in block, offset, place and generation, by what the caller has set: bytes, policy, first. False: no such space
 * is free; *left: the largest that is. */
bool scree__allocator_take(scree__allocator *a, scree_global *array, scree__placement *at, uint64_t *left);
/* Returns the allocation that has this byte of the rank's part, or NULL; *freed tells whether it is quarantined. The
 * time grows with the logarithm of the number of allocations. */
const scree_global *scree__allocator_covering(const scree__allocator *a, uint32_t rank, uint64_t offset, bool *freed);
/* Takes that back at once: it has not been used. */
void scree__allocator_undo(scree__allocator *a, const scree_global *array);
/* Freed, but not reused until scree__allocator_recycle. False: it is not allocated. */
bool scree__allocator_free(scree__allocator *a, const scree_global *array);
void scree__allocator_recycle(scree__allocator *a);

/* Bytes of each rank, from that end, that have to be reserved for it; 0: they are. */
uint64_t scree__allocator_wants(const scree__allocator *a, const scree__placement *at);
void scree__allocator_reserved(scree__allocator *a, const scree__placement *at, uint64_t upto);
#endif
