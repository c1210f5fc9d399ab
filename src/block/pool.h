/* pool.h - a rank's blocks for one kind of destination.
 *
 * Room: carving blocks from an arena, free lists by size, and taking back what receivers return. Single owner, but
 * for the return stack, onto which any process pushes. A block serves any lane: the least size of a pool holds the
 * largest item. */
#ifndef SCREE__POOL_H
#define SCREE__POOL_H
#include "block/block.h"

enum { SCREE__CLASSES = 32 };

typedef struct scree__pool {
  char *arena;                                 /* cache-line aligned */
  size_t bytes;                                /* of the arena */
  size_t used;                                 /* carved so far */
  size_t granted;                              /* really there: see grant */
  size_t (*grant)(void *context, size_t upto); /* makes the arena's first bytes real; returns how many are */
  void *context;
  scree__block *free[SCREE__CLASSES];
  uint32_t blocks, home, max; /* carved; in the free lists; limit of the first, 0: none */
  uint32_t carved;            /* bit c: blocks of class c were carved */
  uint8_t min, owner;         /* log2 of the smallest capacity; what blocks say in `home` */
  char *map;                  /* what offsets in the return stack count from */
  AO_t *returned;             /* head of the return stack, 0: empty; NULL: nobody returns by it */
} scree__pool;

/* A block of about `want` bytes, or of another size if there is none; NULL if the pool is empty. */
scree__block *scree__pool_take(scree__pool *pool, size_t want);
/* The owner gives a block back. */
void scree__pool_put(scree__pool *pool, scree__block *block);
/* Any process gives a block back to the pool whose return stack this is. */
void scree__pool_return(AO_t *returned, char *map, scree__block *block);
/* The owner takes the whole return stack; a list by `next`, in no order. */
scree__block *scree__pool_returned(scree__pool *pool);
/* Sets the smallest capacity; when all blocks are home and of mixed sizes, carves anew. */
void scree__pool_reset(scree__pool *pool, uint32_t least_bytes);

/* log2 of the smallest power of two that is at least n. */
static inline uint8_t scree__log2_up(size_t n) {
  uint8_t log2 = 0;
  while (((size_t)1 << log2) < n) log2++;
  return log2;
}
#endif
