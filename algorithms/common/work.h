/* work.h - the sums of a run without a source.
 *
 * Room: what components and PageRank count. */
#ifndef SCREE__WORK_H
#define SCREE__WORK_H
#include <scree/algorithm.h>
#include <scree/graph.h>
#include <string.h>

/* Sums messages and arcs over the ranks; *seconds is the slowest rank's. Of doubles from 0 on the bits are in the order
 * of the values. Collective. */
static inline scree_status scree__work_sum(scree_graphs *graphs, scree_work *work, double *seconds) {
  scree_reduce all = {{work->sent, work->edges}, UINT64_MAX, 0};
  memcpy(&all.max, seconds, sizeof all.max);
  scree_status status = scree_graphs_reduce(graphs, &all);
  work->sent = all.sum[0];
  work->edges = all.sum[1];
  memcpy(seconds, &all.max, sizeof all.max);
  return status;
}

#endif
