/* bfs.h - breadth-first search: the options of the kernel "bfs" of kernel.h, by which it is opened and run. C11 and
 * C++.
 *
 *   scree_solver *bfs;
 *   scree_answer a;
 *   scree_bfs_options o = SCREE_BFS_OPTIONS_INIT;
 *   if (scree_solver_open(graphs, scree_kernel_find("bfs"), &bfs)) return 1;
 *   if (scree_solver_run(bfs, graph, source, &o, &a)) return 1;
 *   int64_t *level = a.array[0]; // of local vertices: arcs from the source; -1: not reached
 *   uint64_t *parent = a.array[1]; // predecessor; of the source itself; SCREE_NO_VERTEX: not reached
 *   scree_answer_free(&a);
 *   scree_solver_close(bfs);
 *
 *   direction  level-synchronous and direction-optimising (Beamer et al., SC 2012): a level is processed top-down along
 *              the arcs of the frontier, or, where that is less work, bottom-up from the vertices not yet reached,
 *              whose rows are sorted so that the likeliest parents come first. Bottom-up when the arcs of the frontier
 *              are more than 1/alpha of those not yet examined, top-down again when the frontier shrinks below 1/beta
 *              of all vertices. Needs the sorted rows (on a directed graph those of the transpose), which the first run
 *              on a graph computes and keeps with it; they take as much memory again as its arcs. After eight levels in
 *              a row that held less than 64 vertices per rank, many levels are processed as by dc, up to one that all
 *              ranks share, until levels are large again
 *   level      level-synchronous: one epoch per level
 *   dc         Distributed Control: levels are sent without synchronization, the smallest first on each rank, and are
 *              corrected when a shorter path is found (Firoz et al. 2015, Algorithm 1, with all weights 1) */
#ifndef SCREE_BFS_H
#define SCREE_BFS_H
#include <scree/kernel.h>
#ifdef __cplusplus
extern "C" {
#endif

/* How to run. All unset is the default:  scree_bfs_options o = SCREE_BFS_OPTIONS_INIT; */
typedef struct scree_bfs_options {
  size_t size;           /* of this struct */
  const char *algorithm; /* NULL: the first */
  scree_watch watch;     /* called from time to time; .fn NULL: never */
  double alpha, beta;    /* direction: see above, more than 0; unset: 15 and 18 */
  bool no_pruning;       /* level, dc, hybrid: send a vertex also what this rank has already sent to it: pruning off */
  uint64_t pruning; /* level, dc: SCREE_PRUNING_TABLE, _CACHE or _OFF; unset: _TABLE. With no_pruning _OFF counts */
} scree_bfs_options;

#define SCREE_BFS_OPTIONS_INIT                                                                                         \
  { sizeof(scree_bfs_options), NULL, {NULL, NULL}, SCREE_UNSET_REAL, SCREE_UNSET_REAL, false, SCREE_UNSET }

#ifdef __cplusplus
}
#endif
#endif
