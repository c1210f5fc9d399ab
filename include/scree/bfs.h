/* bfs.h - breadth-first search.
 *
 * It uses only scree.h and graph.h, so it runs on every world, including simulated ones. C11 and C++.
 *
 *   direction  level-synchronous and direction-optimising (Beamer et al., SC 2012): a level is processed top-down along
 *              the arcs of the frontier, or, where that is less work, bottom-up from the vertices not yet reached, whose
 *              rows are sorted so that the likeliest parents come first. Bottom-up when the arcs of the frontier are
 *              more than 1/alpha of those not yet examined, top-down again when the frontier shrinks below 1/beta of all
 *              vertices. Needs the sorted rows (on a directed graph those of the transpose), which the first run on a
 *              graph computes and keeps with it; they take as much memory again as its arcs. After eight levels in a
 *              row that held less than 64 vertices per rank, many levels are processed as by dc, up to one that all
 *              ranks share, until levels are large again
 *   level      level-synchronous: one epoch per level
 *   dc         Distributed Control: levels are sent without synchronization, the smallest first on each rank, and are
 *              corrected when a shorter path is found (Firoz et al. 2015, Algorithm 1, with all weights 1) */
#ifndef SCREE_BFS_H
#define SCREE_BFS_H
#include <scree/algorithm.h>
#include <scree/graph.h>
#include <scree/options.h>
#ifdef __cplusplus
extern "C" {
#endif

/* The message types of all variants in one world. Types cannot be unregistered: open this once per world, and run it
 * often, on any graph of the same graph layer. */
typedef struct scree_bfs scree_bfs;

/* Registers the types. Collective, idle world. On failure *bfs is unchanged and scree_graphs_error has the reason.
 * Errors: SCREE_ENOMEM, those of scree_register. */
scree_status scree_bfs_open(scree_graphs *graphs, scree_bfs **bfs);
/* Frees it. Local, outside a run; before scree_graphs_close. NULL is ignored. */
void scree_bfs_close(scree_bfs *bfs);

/* The i-th variant; NULL past the last. The first is the default. Local; any thread, any time. */
const scree_algorithm *scree_bfs_algorithm_at(size_t i);

/* How to run. All unset is the default:  scree_bfs_options o = SCREE_BFS_OPTIONS_INIT; */
typedef struct scree_bfs_options {
  size_t size;           /* of this struct */
  const char *algorithm; /* NULL: the first */
  scree_watch watch;     /* called now and then; .fn NULL: never */
  double alpha, beta;    /* direction: see above, more than 0; unset: 15 and 18 */
  bool no_pruning;       /* level, dc, hybrid: send a vertex also what this rank has sent it before: pruning off */
  uint64_t pruning; /* level, dc: SCREE_PRUNING_TABLE, _CACHE or _OFF; unset: _TABLE. With no_pruning _OFF counts */
} scree_bfs_options;

#define SCREE_BFS_OPTIONS_INIT                                                                                         \
  { sizeof(scree_bfs_options), NULL, {NULL, NULL}, SCREE_UNSET_REAL, SCREE_UNSET_REAL, false, SCREE_UNSET }

/* This rank's part of a result, and values that are the same on all ranks. */
typedef struct scree_bfs_result {
  uint64_t locals;  /* vertices of this rank */
  int64_t *level;   /* of local vertices: arcs from the source; -1: not reached */
  uint64_t *parent; /* predecessor; the source itself for the source; SCREE_NO_VERTEX: not reached */
  const char *algorithm;
  double seconds; /* of the slowest rank, from the agreement that all are ready to the end of the last epoch */
  scree_work work;
} scree_bfs_result;

/* Computes levels and parents from vertex `source`, on a graph of the graph layer that `bfs` was opened on. Collective,
 * idle world; equal arguments on all ranks. `options` may be NULL. On success the caller owns *result
 * until scree_bfs_free; otherwise it is unchanged and scree_graphs_error has the reason.
 * Errors: SCREE_EINVAL (unknown algorithm; an option; source; dc on a path of more than 2^32 - 2 arcs), SCREE_ENOMEM,
 * SCREE_ESTATE (the world is not idle), or the code of a world that has failed. */
scree_status scree_bfs_run(scree_bfs *bfs, const scree_graph *graph, uint64_t source, const scree_bfs_options *options,
                           scree_bfs_result **result);

/* Computes the data that the first run of an algorithm would derive from a graph and keep with it (direction), so that
 * this can be timed separately. Arguments, errors and legal states are those of a run. */
scree_status scree_bfs_prepare(scree_bfs *bfs, const scree_graph *graph, const scree_bfs_options *options);

/* Frees this rank's part. Local. NULL is ignored. */
void scree_bfs_free(scree_bfs_result *result);

#ifdef __cplusplus
}
#endif
#endif
