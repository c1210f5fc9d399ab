/* cc.h - connected components: open, choose a variant by name, run, read the answer, check it. C11 and C++.
 *
 * The components are those of the symmetrized graph: for a directed graph, the weakly connected components.
 *
 *   afforest  union-find: each rank links vertices along its own arcs, messages link across ranks, and the arcs of the
 *             giant component are skipped once a few of them have been linked (Sutton, Ben-Nun & Barak, IPDPS 2018; the
 *             trees as in Rem's algorithm, Patwary, Blair & Manne, SEA 2010; paths to the roots are halved as by
 *             Shiloach & Vishkin, J. Algorithms 3, 1982)
 *   label     label propagation: each vertex sends its neighbours the smallest vertex that it has received. Takes as
 *             many epochs as the longest shortest path from the smallest vertex of a component; a baseline. Of a directed
 *             graph it keeps a symmetrized copy with the graph */
#ifndef SCREE_CC_H
#define SCREE_CC_H
#include <scree/algorithm.h>
#include <scree/graph.h>
#include <scree/options.h>
#ifdef __cplusplus
extern "C" {
#endif

/* The message types of all variants in one world. Types cannot be unregistered: open this once per world, and run it
 * often, on any graph of the same graph layer. */
typedef struct scree_cc scree_cc;

/* Registers the types. Collective, idle world. On failure *cc is unchanged and scree_graphs_error has the reason.
 * Errors: SCREE_ENOMEM, those of scree_register. */
scree_status scree_cc_open(scree_graphs *graphs, scree_cc **cc);
/* Frees it. Local, outside a run; before scree_graphs_close. NULL is ignored. */
void scree_cc_close(scree_cc *cc);

/* The i-th variant; NULL past the last. The first is the default. Local; any thread, any time. */
const scree_algorithm *scree_cc_algorithm_at(size_t i);

/* How to run. All unset is the default:  scree_cc_options o = SCREE_CC_OPTIONS_INIT; */
typedef struct scree_cc_options {
  size_t size;           /* of this struct */
  const char *algorithm; /* NULL: the first */
  scree_watch watch;     /* called after each epoch; .fn NULL: never */
} scree_cc_options;

#define SCREE_CC_OPTIONS_INIT                                                                                          \
  {                                                                                                                    \
    sizeof(scree_cc_options), NULL, {                                                                                  \
      NULL, NULL                                                                                                       \
    }                                                                                                                  \
  }

/* This rank's part of a result, and values that are the same on all ranks. */
typedef struct scree_cc_result {
  uint64_t locals;     /* vertices of this rank */
  uint64_t *component; /* of local vertices: the smallest vertex of the component, its representative */
  uint64_t components; /* number of components */
  uint64_t largest;    /* vertices of the largest */
  const char *algorithm;
  double seconds;  /* of the slowest rank, from the agreement that all are ready until all components are known; without
                   * counting them, and for `label` on a directed graph without symmetrizing it */
  scree_work work; /* see algorithm.h for the counters that mean nothing here */
} scree_cc_result;

/* Computes the components of a graph of the graph layer that `cc` was opened on. Collective, idle world; equal
 * arguments on all ranks. `options` may be NULL. On success the caller owns *result until scree_cc_free; otherwise it
 * is unchanged and scree_graphs_error has the reason. Additional memory: 21 bytes per vertex, and on directed graphs a
 * bit per vertex of the whole graph. Errors: SCREE_EINVAL (unknown algorithm; options), SCREE_ENOMEM, SCREE_ESTATE (the world
 * is not idle), or the code of a world that has failed. */
scree_status scree_cc_run(scree_cc *cc, const scree_graph *graph, const scree_cc_options *options,
                          scree_cc_result **result);

/* Frees this rank's part. Local. NULL is ignored. */
void scree_cc_free(scree_cc_result *result);

/* Validates a result, an array over local vertices. The rules:
 *   1 a representative is a vertex, not greater than any vertex that it represents, and represents itself
 *   2 both ends of an arc have the same representative
 *   3 each vertex is reachable from its representative along arcs in either direction
 * Only the correct result satisfies all three: by 2 the vertices of one representative are whole components, by 3 a
 * single component, and by 1 the representative is its smallest vertex. Costs about as much as one BFS; of a
 * directed graph a symmetrized copy is made and kept with the graph. Collective; the verdict is the same on all ranks. SCREE_OK means that a
 * verdict was reached, not that the result is valid. */
scree_status scree_cc_validate(const scree_graph *g, const uint64_t *component, scree_verdict *verdict);

#ifdef __cplusplus
}
#endif
#endif
