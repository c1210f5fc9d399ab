/* pool.c - carving, free lists. A block of class c takes 2^c + 64 bytes, header included, so that the starts of
 * neighbours fall into different cache sets (coloured); a power-of-two stride would make them collide.
 *
 * A large block has SPARE more bytes, so that a record of 2^c bytes fits it together with its header. Large blocks take
 * at most half of the arena: the rest is left to lanes. */
#include "block/pool.h"

enum { SPARE = 64, LARGE_MAX = 20, SHARES = 8 }; /* LARGE_MAX: log2; SHARES: large blocks in an arena */
_Static_assert(SCREE__BLOCK_MAX == (1 << LARGE_MAX) + SPARE, "no block is larger");

static bool is_large(const scree__pool *pool, uint8_t log2) {
  return pool->large > 0 && log2 > pool->lane && log2 > pool->min;
}

static size_t capacity(const scree__pool *pool, uint8_t log2) {
  return ((size_t)1 << log2) + (is_large(pool, log2) ? SPARE : 0);
}

static size_t stride(const scree__pool *pool, uint8_t log2) {
  return sizeof(scree__block) + capacity(pool, log2);
}

static bool may_carve(const scree__pool *pool, uint8_t log2) {
  size_t upto = pool->used + stride(pool, log2);
  if (is_large(pool, log2) && upto > pool->bytes / 2) return false;
  return upto <= pool->bytes && !(pool->max && pool->blocks >= pool->max);
}

static scree__block *carve(scree__pool *pool, uint8_t log2) {
  size_t upto = pool->used + stride(pool, log2);
  if (!may_carve(pool, log2)) return NULL;
  if (upto > pool->granted && pool->grant) pool->granted = pool->grant(pool->context, upto);
  if (upto > pool->granted) return NULL;
  scree__block *block = (scree__block *)(void *)(pool->arena + pool->used);
  pool->used = upto;
  SCREE__INVARIANT(upto <= pool->granted && pool->granted <= pool->bytes);
  pool->blocks++;
  pool->carved |= (uint32_t)1 << log2;
  block->capacity = (uint32_t)capacity(pool, log2);
  block->class_log2 = log2;
  block->storage = pool->storage;
  return block;
}

static scree__block *from_list(scree__pool *pool, uint8_t log2) {
  scree__block *block = pool->free[log2];
  if (!block) return NULL;
  pool->free[log2] = block->next;
  SCREE__INVARIANT(pool->free_blocks > 0 && block->class_log2 == log2);
  pool->free_blocks--;
  return block;
}

/* Some blocks were carved before the smallest size grew and are too small now: nothing is carved until all are free. */
static bool stale(const scree__pool *pool) {
  return pool->carved & (((uint32_t)1 << pool->min) - 1);
}

static void recarve(scree__pool *pool) {
  for (int c = 0; c < SCREE__CLASSES; c++) pool->free[c] = NULL;
  pool->used = pool->carved = 0;
  pool->blocks = pool->free_blocks = 0;
}

void scree__pool_allow_large(scree__pool *pool, size_t lane) {
  pool->lane = pool->large = scree__log2_up(lane);
  while (pool->large < LARGE_MAX && ((size_t)2 * SHARES << pool->large) <= pool->bytes) pool->large++;
}

size_t scree__pool_largest(const scree__pool *pool) {
  return capacity(pool, pool->large);
}

static uint8_t class_for(const scree__pool *pool, size_t want) {
  if (pool->large > 0 && want > scree__pool_largest(pool)) want = scree__pool_largest(pool);
  uint8_t log2 = scree__log2_up(want);
  if (log2 > 0 && is_large(pool, (uint8_t)(log2 - 1)) && want <= capacity(pool, (uint8_t)(log2 - 1))) log2--;
  return log2 < pool->min ? pool->min : log2;
}

scree__block *scree__pool_take(scree__pool *pool, size_t want) {
  if (!pool->free_blocks && !may_carve(pool, pool->min)) return NULL;
  uint8_t log2 = class_for(pool, want);
  if (stale(pool) && pool->free_blocks == pool->blocks) recarve(pool);
  scree__block *block = from_list(pool, log2);
  if (!block) block = carve(pool, log2);
  for (uint8_t c = log2; !block && c-- > pool->min;) {
    block = from_list(pool, c);
    if (!block) block = carve(pool, c);
  }
  for (uint8_t c = (uint8_t)(log2 + 1); !block && c < SCREE__CLASSES; c++) block = from_list(pool, c);
  return block;
}

static bool is_carved(const scree__pool *pool, const scree__block *block) {
  const char *at = (const char *)block;
  return at >= pool->arena && at < pool->arena + pool->used && block->class_log2 < SCREE__CLASSES;
}

void scree__pool_put(scree__pool *pool, scree__block *block) {
  SCREE__INVARIANT(is_carved(pool, block) && pool->free_blocks < pool->blocks);
  SCREE__INVARIANT(!scree__is_listed(pool->free[block->class_log2], block));
  block->next = pool->free[block->class_log2];
  pool->free[block->class_log2] = block;
  pool->free_blocks++;
}

void scree__pool_reset(scree__pool *pool, uint32_t min_bytes) {
  uint8_t min = scree__log2_up(min_bytes);
  if (min > pool->min) pool->min = min;
  bool mixed = pool->carved & (pool->carved - 1);
  if (pool->free_blocks == pool->blocks && (mixed || stale(pool))) recarve(pool);
}
