/* cc.h - connected components: open, choose a variant by name, run, read the answer, check it. C11 and C++.
 *
 * The components are those of the graph with every arc followed in both directions: of a directed graph, the weakly connected
 * ones.
 *
 *   afforest  union-find: each rank joins what its own arcs join, ranks join what is left by messages, and the arcs of
 *             the giant component are skipped once a few of them have joined it (Sutton, Ben-Nun & Barak, IPDPS 2018;
 *             the trees as in Rem's algorithm, Patwary, Blair & Manne, SEA 2010; the paths to the roots are halved as by
 *             Shiloach & Vishkin, J. Algorithms 3, 1982)
 *   label     label propagation: each vertex sends its neighbours the least vertex that it knows. As many epochs as the
 *             longest path from a component's least vertex has arcs: a baseline. Of a directed graph it keeps a
 *             symmetrized copy with the graph */
#ifndef SCREE_CC_H
#define SCREE_CC_H
#include <scree/algorithm.h>
#include <scree/graph.h>
#include <scree/options.h>
#ifdef __cplusplus
extern "C" {
#endif

/* The message types of all variants in one world. Types cannot be taken back: open it once per world, run it often,
 * on any graph of the same graph layer. */
typedef struct scree_cc scree_cc;

/* Registers the types. Collective, idle world. On failure *cc is left alone and the reason is in
 * scree_graphs_error. Errors: SCREE_ENOMEM, those of scree_register. */
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

/* This rank's part of an answer, and figures that are the same on all ranks. */
typedef struct scree_cc_result {
  uint64_t locals;     /* vertices of this rank */
  uint64_t *component; /* of local vertices: the least vertex of the component, its representative */
  uint64_t components; /* how many there are */
  uint64_t largest;    /* vertices of the largest */
  const char *algorithm;
  double seconds;  /* of the slowest rank, from the agreement that all are ready to the last component known; without
                   * counting them, and for `label` on a directed graph without making the symmetrized copy */
  scree_work work; /* of afforest without the outcomes of relaxations: it has none */
} scree_cc_result;

/* Finds the components of a graph of the graph layer that `cc` was opened on. Collective, idle world; equal arguments
 * on all ranks. `options` may be NULL. On success *result is the caller's, until scree_cc_free; else it is left alone
 * and the reason is in scree_graphs_error. Memory beside the result: 21 bytes a vertex, and on directed graphs a bit
 * for each vertex of the whole graph. Errors: SCREE_EINVAL (unknown algorithm, options), SCREE_ENOMEM, SCREE_ESTATE (the world
 * is not idle), or the code of a world that has failed. */
scree_status scree_cc_run(scree_cc *cc, const scree_graph *graph, const scree_cc_options *options,
                          scree_cc_result **result);

/* Frees this rank's part. Local. NULL is ignored. */
void scree_cc_free(scree_cc_result *result);

/* Checks an answer, an array over local vertices. The rules:
 *   1 a representative is a vertex, not greater than any vertex that names it, and names itself
 *   2 both ends of an arc name the same one
 *   3 from each representative, along arcs in both directions, all vertices that name it are reached
 * Together they hold of the right answer alone: by 2 the vertices that name the same one are whole components, by 3 one
 * component, by 1 its least vertex is the representative. It costs about as much as one BFS; of a directed graph a symmetrized
 * copy is made and kept with the graph. Collective; the verdict is the same on all ranks. SCREE_OK means that it was reached, not
 * that it is good. */
scree_status scree_cc_validate(const scree_graph *g, const uint64_t *component, scree_verdict *verdict);

#ifdef __cplusplus
}
#endif
#endif
