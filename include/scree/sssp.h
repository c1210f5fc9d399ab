/* sssp.h - single-source shortest paths: open, choose a variant by name, run, read the answer. C11 and C++.
 *
 *   opt         distance windows over weight-sorted adjacency, final pull phase (Chakaravarthy et al., IPDPS 2014); as
 *               `horizon` on graphs with few arcs per vertex or without hubs, and from where windows prove wasteful
 *   horizon     each rank processes its nearest vertex, up to a horizon that all ranks share, and that advances by a
 *               width adapted to the number of vertices relaxed and relaxed again (Dong et al., SPAA 2021)
 *   dc          Distributed Control: a relaxation that improves a vertex puts it into a priority queue of its rank, and
 *               each rank processes its nearest vertex (Firoz et al. 2015, Algorithm 1; Zalewski et al. 2014)
 *   dc-hybrid   dc by all workers of each rank (option threads): they share the distances, and each has a queue
 *   delta       Delta-stepping: buckets of width delta, processed sequentially across ranks, light arcs before heavy
 *               ones (Firoz et al. 2015, Algorithm 2; Meyer & Sanders, J. Algorithms 49, 2003). It keeps weight-sorted
 *               rows with the graph
 *   delta-sort  as delta; each batch of messages is sorted by distance before it is applied (Firoz et al. 2015)
 *   kla         k-level asynchrony: improvements propagate over k arcs between two synchronizations (Harshvardhan et
 *               al., PACT 2014)
 *   chaotic     each improvement is sent on at once, from the handler, in no order: the most work and the most memory
 */
#ifndef SCREE_SSSP_H
#define SCREE_SSSP_H
#include <scree/algorithm.h>
#include <scree/graph.h>
#include <scree/options.h>
#ifdef __cplusplus
extern "C" {
#endif

/* The message types of all variants in one world. Types cannot be unregistered: open this once per world, and run it
 * often, on any graph of the same graph layer. */
typedef struct scree_sssp scree_sssp;

/* Registers the types. Collective, idle world. On failure *sssp is unchanged and scree_graphs_error has the reason.
 * Errors: SCREE_ENOMEM, those of scree_register. */
scree_status scree_sssp_open(scree_graphs *graphs, scree_sssp **sssp);
/* Frees it. Local, outside a run; before scree_graphs_close. NULL is ignored. */
void scree_sssp_close(scree_sssp *sssp);

/* The i-th variant; NULL past the last. The first is the default. Local; any thread, any time. */
const scree_algorithm *scree_sssp_algorithm_at(size_t i);

/* The i-th queue that dc and dc-hybrid can use; NULL past the last. The first is the default. Local; any thread, any
 * time. */
const scree_algorithm *scree_sssp_queue_at(size_t i);

/* Values of `queue`: the order of scree_sssp_queue_at. */
enum { SCREE_SSSP_QUEUE_BUCKETS, SCREE_SSSP_QUEUE_DARY };

/* How to run. All unset is the default:  scree_sssp_options o = SCREE_SSSP_OPTIONS_INIT; */
typedef struct scree_sssp_options {
  size_t size;           /* of this struct */
  const char *algorithm; /* NULL: the first */
  scree_watch watch;     /* called now and then; .fn NULL: never */
  double delta;          /* delta, delta-sort, opt, horizon: width of a bucket or window, in units of the weights, more
                            than 0; unset: by mean weight and mean degree, and adapted by opt and horizon */
  uint64_t frequency;    /* dc, dc-hybrid: vertices that a worker relaxes between two polls for messages, 1 to 2^32 - 1;
                            unset: 32 */
  uint64_t queue;        /* dc, dc-hybrid: the queue of each worker; unset: SCREE_SSSP_QUEUE_BUCKETS */
  uint64_t k;            /* kla: arcs between two synchronizations, below 2^32; 0, unset: adapted during the run */
  bool no_pruning;       /* also send relaxations that this rank knows cannot improve a vertex: pruning off */
  uint64_t pruning; /* dc: what it knows of other ranks' vertices, SCREE_PRUNING_TABLE, _CACHE or _OFF; unset: _TABLE.
                            Of other variants, and with no_pruning, _OFF counts */
} scree_sssp_options;

#define SCREE_SSSP_OPTIONS_INIT                                                                                        \
  {                                                                                                                    \
    sizeof(scree_sssp_options), NULL, {NULL, NULL}, SCREE_UNSET_REAL, SCREE_UNSET, SCREE_UNSET, SCREE_UNSET, false,    \
        SCREE_UNSET                                                                                                    \
  }

/* This rank's part of a result, and values that are the same on all ranks. */
typedef struct scree_sssp_result {
  uint64_t locals;  /* vertices of this rank */
  double *distance; /* of local vertices; INFINITY: not reached */
  uint64_t *parent; /* predecessor on a shortest path; the source itself for the source; SCREE_NO_VERTEX: none */
  const char *algorithm;
  double delta;   /* as given, or as chosen by delta-stepping */
  double seconds; /* of the slowest rank, from the agreement that all are ready to the end of the last epoch */
  scree_work work;
} scree_sssp_result;

/* Computes the distances from vertex `source`, on a graph of the graph layer that `sssp` was opened on; without weights
 * each arc counts 1. Collective, idle world; equal arguments on all ranks. `options` may be NULL. On success the
 * caller owns *result until scree_sssp_free; otherwise it is unchanged and scree_graphs_error has the reason.
 * Distances are doubles: sums of integers are exact below 2^53, and a distance of that or more on a graph with integer
 * weights or none is an error. A sum beyond the range of doubles counts as not reached. Zero weights are legal; with
 * them, parents still form a tree. Errors: SCREE_EINVAL (unknown algorithm; an option; source; a distance of 2^53 or more),
 * SCREE_ENOMEM, SCREE_ESTATE (the world is not idle), or the code of a world that has failed. */
scree_status scree_sssp_run(scree_sssp *sssp, const scree_graph *graph, uint64_t source,
                            const scree_sssp_options *options, scree_sssp_result **result);

/* Computes the data that the first run of an algorithm would derive from a graph and keep with it (opt), so that this
 * can be timed separately. Arguments, errors and legal states are those of a run. */
scree_status scree_sssp_prepare(scree_sssp *sssp, const scree_graph *graph, const scree_sssp_options *options);

/* Frees this rank's part. Local. NULL is ignored. */
void scree_sssp_free(scree_sssp_result *result);

#ifdef __cplusplus
}
#endif
#endif
