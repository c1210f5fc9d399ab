/* pool.h - an endpoint's blocks for one kind of destination: carved from an arena, kept in free lists by size. Only the
 * owner uses a pool: receivers return blocks by a stack (stack.h). A block serves any lane: the smallest block of a
 * pool holds the largest item. Blocks larger than those of lanes are for large records. */
#ifndef SCREE__POOL_H
#define SCREE__POOL_H
#include "block/block.h"

enum { SCREE__CLASSES = 32, SCREE__BLOCK_MAX = (1 << 20) + 64 }; /* bytes that a block holds, at most */

typedef struct scree__pool {
  char *arena;                                 /* cache-line aligned */
  size_t bytes;                                /* of the arena */
  size_t used;                                 /* carved so far */
  size_t granted;                              /* bytes actually reserved, from the arena's start */
  size_t (*grant)(void *context, size_t upto); /* reserves the first `upto` bytes; returns how many are reserved */
  void *context;
  scree__block *free[SCREE__CLASSES];
  uint32_t blocks, free_blocks, max; /* carved; in the free lists; limit of `blocks`, 0: none */
  uint32_t carved;                   /* bit c: blocks of class c were carved */
  uint8_t min, storage;              /* log2 of the smallest capacity; the storage of all blocks */
  uint8_t lane, large;               /* log2 of the maximum that lanes request, and of the largest capacity */
} scree__pool;

/* Lets the pool, when it is made, have large blocks: of more than `lane` bytes, which is the maximum that lanes
 * request. */
void scree__pool_allow_large(scree__pool *pool, size_t lane);
/* Bytes of the largest block. */
size_t scree__pool_largest(const scree__pool *pool);
/* A block of about `want` bytes, or of another size if there is none; NULL if the pool is empty. */
scree__block *scree__pool_take(scree__pool *pool, size_t want);
/* Returns a block; by the owner. */
void scree__pool_put(scree__pool *pool, scree__block *block);
/* Raises the smallest capacity; recarves the arena if all blocks are free and their sizes differ. */
void scree__pool_reset(scree__pool *pool, uint32_t min_bytes);

/* log2 of the smallest power of two that is at least n. */
static inline uint8_t scree__log2_up(size_t n) {
  return n < 2 ? 0 : (uint8_t)(64 - __builtin_clzll(n - 1));
}
#endif
