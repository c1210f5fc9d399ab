/* reach.h - levels sent without waiting for others, and corrected: the loop of `dc`, which `direction` uses where
 * levels hold few vertices. Local unless it says otherwise; owner's thread. */
#ifndef SCREE__BFS_REACH_H
#define SCREE__BFS_REACH_H
#include "bfs/variants.h"
#include "kernel/bits.h"
#include "queue/levels.h"

/* A level over `parent`. The sender's rank is known to the handler. */
typedef struct {
  uint32_t target, parent; /* local indices, on the receiver and on the sender */
  uint32_t level;
} scree__reach_item;
#define SCREE__REACH_KEY(item)   ((item)->target)
#define SCREE__REACH_LEVEL(item) ((item)->level)
SCREE_MESSAGE_FILTERED(scree__reached, scree__reach_item, SCREE__REACH_KEY, SCREE__REACH_LEVEL);

typedef struct {
  scree__levels queue;
  uint16_t *bound; /* by packed location: no less than the level that the vertex has or was sent; NULL: no pruning */
  bool cached;     /* the cache of the message type prunes */
  bool apply;      /* levels of this rank's vertices are applied at once */
  const uint64_t *final; /* a bit for each packed location whose level is final; NULL: none is known */
  uint32_t type;         /* of the message */
  uint32_t *reached;     /* vertices reached for the first time; NULL: not needed */
  uint64_t reached_count, visits;
} scree__reach;

/* Memory; messages are of the variant's type `message`. `table`: with a table of bounds, if that is worth its memory
 * (whole.h); `apply`: see above. False: no memory. Freed by scree__reach_free in either case. */
bool scree__reach_init(scree__reach *r, const scree__run *run, int message, bool apply, bool table);
void scree__reach_free(scree__reach *r);

/* Takes relaxations that have arrived. */
void scree__reach_take(scree__run *run, scree__reach *r, uint32_t sender, const void *items, uint32_t count);
/* Puts v, which has its level, into the queue. */
void scree__reach_add(scree__run *run, scree__reach *r, uint32_t v);
/* True if a vertex of a level below the limit is in the queue. */
bool scree__reach_any(scree__reach *r, uint64_t limit);
/* Notifies the neighbours of some vertices of levels below the limit, lowest first. In an epoch. */
void scree__reach_work(scree__run *run, scree__reach *r, uint64_t limit);

#endif
