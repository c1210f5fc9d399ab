/* frontier.h - the frontier of the level-synchronous variants, and the step that pushes it one level on. Local unless
 * it says otherwise; owner's thread. */
#ifndef SCREE__FRONTIER_H
#define SCREE__FRONTIER_H
#include "bfs/variants.h"
#include "kernel/bits.h"

typedef struct {
  uint32_t *now, *next;  /* local vertices on this rank: of the frontier, and of the one after it */
  uint64_t count, found; /* how many */
  uint64_t arcs, summed; /* of the first `summed` of this rank's vertices in next */
  int64_t depth;         /* level of the vertices in next */
  uint64_t *seen;        /* a bit for each vertex: of this rank's, those reached; of others', those notified or known */
  uint64_t first;        /* its index of this rank's first vertex */
  bool whole;            /* it has all vertices, by packed location; else this rank's alone */
  bool prune;            /* it prunes messages: it is whole */
  bool apply;            /* what is known here is applied at once; unless it is whole, the cache of the type prunes */
  bool sum_arcs;         /* whether arcs are summed */
  bool crowded;          /* ranks share cores, so that none spins */
  scree_reduce total;    /* after a step: sum[0] vertices, sum[1] arcs of the new frontier, over all ranks; max: whether
                            ranks of any node share cores */
} scree__frontier;

/* The parent of a vertex. The level is known from the epoch, the sender's rank to the handler. */
typedef struct {
  uint32_t target, parent; /* local indices, on the receiver and on the sender */
} scree__visit_item;
/* One for each vertex is enough. */
#define SCREE__VISIT_KEY(item)   ((item)->target)
#define SCREE__VISIT_LEVEL(item) 0u
SCREE_MESSAGE_FILTERED(scree__visit, scree__visit_item, SCREE__VISIT_KEY, SCREE__VISIT_LEVEL);
/* Their receiver; run->own is a scree__frontier or begins with one. */
void scree__frontier_take(scree__run *run, uint32_t sender, const void *items, uint32_t count);

/* Memory and the source; `whole`: all vertices must be in `seen`; `saving`: they are if that is worth its memory
 * (whole.h). False: no memory. */
bool scree__frontier_init(scree__frontier *f, const scree__run *run, bool whole, bool saving);

/* Local v was reached, from a vertex at location `parent`. */
static inline void scree__frontier_found(scree__run *run, scree__frontier *f, uint32_t v, scree_location parent) {
  scree__level(run)[v] = f->depth;
  scree__parent(run)[v] = scree_graph_vertex(run->graph, parent);
  f->next[f->found++] = v;
}

/* Begins the epoch of a level: nothing is in next. Ends it, sums, and makes next the frontier. Collective. */
scree_status scree__frontier_begin(scree__run *run, scree__frontier *f);
scree_status scree__frontier_end(scree__run *run, scree__frontier *f);
/* Contributes what was found to the sums: by handlers that find vertices, each time. Local. */
void scree__frontier_contribute(const scree__run *run, scree__frontier *f);
/* Notifies the neighbours of the frontier. In the epoch. */
void scree__frontier_push(scree__run *run, scree__frontier *f);

#endif
