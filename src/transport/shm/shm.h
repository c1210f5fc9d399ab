/* shm.h - zero copy between endpoints that map one segment: the data path that shared memory and the simulator have in
 * common. The sender fills a block in its own arena, the receiver's handlers run over that very memory, and the block
 * returns to its owner's return stack. */
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

/* The file that opens such endpoints has its own close. */
SCREE__TRANSPORT_FUNCTIONS(scree__shm_);
#define SCREE__SHM_OPS(title, closes) SCREE__TRANSPORT_OPS(title, scree__shm_, scree__shm_peek, closes)
#endif
