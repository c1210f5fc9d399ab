/* sssp.h - single-source shortest paths: the options of the kernel "sssp" of kernel.h, by which it is opened and run.
 * C11 and C++.
 *
 *   scree_solver *sssp;
 *   scree_answer a;
 *   scree_sssp_options o = SCREE_SSSP_OPTIONS_INIT;
 *   o.algorithm = "delta";
 *   if (scree_solver_open(graphs, scree_kernel_find("sssp"), &sssp)) return 1;
 *   if (scree_solver_run(sssp, graph, source, &o, &a)) return 1;
 *   double *distance = a.array[0]; // of local vertices; INFINITY: not reached
 *   uint64_t *parent = a.array[1]; // predecessor; of the source itself; SCREE_NO_VERTEX: none
 *   double delta = a.figure[0]; // as given, or as chosen by delta-stepping
 *   scree_answer_free(&a);
 *   scree_solver_close(sssp);
 *
 * Without weights each arc counts 1. Distances are doubles: sums of integers are exact below 2^53, and a distance of
 * that or more on a graph with integer weights or none is an error. So is a distance beyond the largest double. Zero
 * weights are legal; with them, parents still form a tree.
 *
 *   auto        the default: dc on at most 2 ranks, for one run (scree_solver_expect) or on a graph without hubs, of
 *               less than 2^21 vertices with 6 arcs each or more, and without `delta`; else opt
 *   opt         distance windows over weight-sorted adjacency, final pull phase (Chakaravarthy et al., IPDPS 2014); on
 *               sparse graphs in arrays of the node or as `horizon`, also without hubs or if windows are wasteful
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
#include <scree/kernel.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Values of `queue`: lists of vertices at about the same distance, nearly in order, in constant time, but a heap where
 * the largest weight is more than 32 times the median one; a heap of four children, in order. */
enum { SCREE_SSSP_QUEUE_BUCKETS, SCREE_SSSP_QUEUE_DARY };

/* How to run. All unset is the default:  scree_sssp_options o = SCREE_SSSP_OPTIONS_INIT; */
typedef struct scree_sssp_options {
  size_t size;           /* of this struct */
  const char *algorithm; /* NULL: the first */
  scree_watch watch;     /* called from time to time; .fn NULL: never */
  double delta; /* delta, delta-sort, auto, opt, horizon: width of a bucket or window, in units of the weights, more
                            than 0; unset: by mean weight and mean degree, and adapted by opt and horizon */
  uint64_t frequency; /* dc, dc-hybrid: vertices that a worker relaxes between two polls for messages, 1 to 2^32 - 1;
                            unset: 32 */
  uint64_t queue;     /* dc, dc-hybrid: the queue of each worker; unset: SCREE_SSSP_QUEUE_BUCKETS */
  uint64_t k;         /* kla: arcs between two synchronizations, below 2^32; 0, unset: adapted during the run */
  bool no_pruning;    /* also send relaxations that this rank knows cannot improve a vertex: pruning off */
  uint64_t pruning;   /* dc: what it knows of other ranks' vertices, SCREE_PRUNING_TABLE, _CACHE or _OFF; unset: _TABLE.
                            Of other variants, and with no_pruning, _OFF counts */
} scree_sssp_options;

#define SCREE_SSSP_OPTIONS_INIT                                                                                        \
  {                                                                                                                    \
    sizeof(scree_sssp_options), NULL, {NULL, NULL}, SCREE_UNSET_REAL, SCREE_UNSET, SCREE_UNSET, SCREE_UNSET, false,    \
        SCREE_UNSET                                                                                                    \
  }

#ifdef __cplusplus
}
#endif
#endif
