/* far.h - many levels in one epoch, for graphs of large diameter: where a level holds few vertices, waiting for its end
 * costs more than the work that is corrected. Owner's thread. */
#ifndef SCREE__BFS_FAR_H
#define SCREE__BFS_FAR_H
#include "bfs/frontier.h"
#include "bfs/reach.h"

typedef struct {
  scree__reach reach;
  uint64_t few;                     /* levels in a row that held few vertices */
  uint64_t times;                   /* how much more are few where ranks share cores */
  uint64_t width;                   /* levels in a step */
  uint64_t limit;                   /* the highest of the steps: no vertex beyond it was reached */
  uint64_t all_visits, all_reached; /* of all ranks, at the end of the step before */
  scree_reduce next;                /* min: the lowest level in the queue; sums: visits and vertices reached */
  bool leaving;                     /* levels hold many vertices again */
  bool ready;
} scree__far;

/* Whether to leave the levels now; `f` is at the end of a level. Local; the same on all ranks. */
bool scree__far_pays(const scree__run *run, scree__far *far, const scree__frontier *f);
/* Continues from the frontier, until a level holds many vertices again, which are then the frontier, or all are reached
 * (total.sum[0] is 0 then). *arcs: of the vertices reached, on all ranks. `message`: of the variant, a
 * scree__reach_item. Collective, outside epochs. */
scree_status scree__far_run(scree__run *run, scree__far *far, scree__frontier *f, int message, uint64_t *arcs);
void scree__far_free(scree__far *far); /* local */

#endif
