/* node_memory.h - memory that all ranks of a node map: an area of the same size for each of them, of which each
 * reserves what it uses. A rank that is a node by itself, and one that does not share, has private memory, which may
 * be on huge pages. */
#ifndef SCREE__NODE_MEMORY_H
#define SCREE__NODE_MEMORY_H
#include "core/world.h"
#include "transport/shm/segment.h"

/* Of one rank's area, in the mapping: so many bytes are reserved from its beginning, and from its end. Written by that
 * rank, read by all of the node. */
typedef struct {
  SCREE__OWN_LINE AO_t low;
  AO_t high;
} scree__node_reserved;

typedef struct {
  scree__shm_segment segment;
  uint64_t bytes;                  /* of an area */
  char **area;                     /* by rank; NULL: not mapped here */
  scree__node_reserved **reserved; /* the same */
  uint32_t index;                  /* of this rank on its node */
  bool open, shared;
} scree__node_memory;

/* Reserves addresses of `bytes`, a multiple of 4096, for each rank, or by `divided` for each node, of which the areas
 * are equal parts, without a gap; memory when scree__node_memory_reserve is called. On behalf of `call`. share: ranks
 * of a node map each other's areas; all do if some rank wants it. Errors, on all ranks: SCREE_ENOMEM (the text has the
 * sums: no node of the world has less left than its ranks may reserve), SCREE_EINVAL (ranks have different sizes), or
 * the status of a failed world. Collective; idle world. */
scree_status scree__node_memory_open(scree_world *world, const char *call, uint64_t bytes, bool divided, bool share,
                                     scree__node_memory *memory);
/* Of this rank's area, the bytes below `low` and the last `high` ones. False: memory is short, and the same are
 * reserved as before. One thread of the rank at a time. */
bool scree__node_memory_reserve(scree__node_memory *memory, uint64_t low, uint64_t high);
/* Local; all ranks of the node have stopped using it. */
void scree__node_memory_close(scree__node_memory *memory);

/* True if these bytes of a rank of the node may be touched. Relaxed: it reserves them before it makes their addresses
 * known. */
static inline bool scree__node_memory_has(const scree__node_memory *memory, uint32_t rank, uint64_t at,
                                          uint64_t bytes) {
  const scree__node_reserved *r = memory->reserved[rank];
  if (bytes > memory->bytes || at > memory->bytes - bytes) return false;
  return at + bytes <= AO_load(&r->low) || at >= memory->bytes - AO_load(&r->high);
}
#endif
