/* shm.h - zero copy between endpoints that map one segment: the data path that shared memory and the simulator have in
 * common. The sender fills a block in its own arena, the receiver's handlers run over that very memory, and the block
 * goes back to its owner's return stack. */
#ifndef SCREE__SHM_H
#define SCREE__SHM_H
#include "block/pool.h"
#include "transport/shm/segment.h"
#include "transport/transport.h"

typedef struct {
  scree__transport base;       /* must be first */
  scree__shm_segment *segment; /* the process's mapping */
  uint32_t area;               /* this endpoint's in the segment */
  scree__pool pool;
  AO_t head;               /* next cell of this endpoint's inbox */
  const uint32_t *area_of; /* endpoint -> its area in the segment; UINT32_MAX: not there */
  uint8_t *pushed;         /* by endpoint: blocks on their way */
  uint64_t pushed_total;
} scree__shm;

/* Local; false: no memory. `base` is complete, but for ops, scheduler, page and slots. */
bool scree__shm_init(scree__shm *s, scree__shm_segment *segment, uint32_t area, const uint32_t *area_of);
void scree__shm_free(scree__shm *s);

scree__block *scree__shm_take(scree__transport *t, uint32_t dest, size_t want);
void scree__shm_put(scree__transport *t, scree__block *block);
bool scree__shm_accepts(scree__transport *t, uint32_t dest);
scree_status scree__shm_push(scree__transport *t, uint32_t dest, scree__block *block);
scree__block *scree__shm_peek(scree__transport *t);
void scree__shm_pop(scree__transport *t, scree__block *block);
void scree__shm_release(scree__transport *t, scree__block *block);
void scree__shm_set_min_block(scree__transport *t, uint32_t bytes);
uint64_t scree__shm_in_flight(const scree__transport *t);
uint32_t scree__shm_load(const scree__transport *t, uint32_t dest);
void scree__shm_memory(const scree__transport *t, scree__memory *add);

/* Whoever opens such endpoints closes them in its own way. */
#define SCREE__SHM_OPS(title, closes)                                                                                  \
  {                                                                                                                    \
    .name = title, .take = scree__shm_take, .put = scree__shm_put, .accepts = scree__shm_accepts,                      \
    .push = scree__shm_push, .peek = scree__shm_peek, .pop = scree__shm_pop, .release = scree__shm_release,            \
    .set_min_block = scree__shm_set_min_block, .in_flight = scree__shm_in_flight, .load = scree__shm_load,             \
    .memory = scree__shm_memory, .close = closes                                                                       \
  }
#endif
