/* pagerank.h - PageRank: open, choose a variant by name, run, read the answer, check it. C11 and C++.
 *
 * The definition is that of LDBC Graphalytics: of n vertices each begins with 1/n; then, a number of times, each arc
 * u -> v carries rank(u) / outdegree(u) to v, the ranks of vertices without an arc that leaves them are distributed
 * evenly, and the new rank of v is (1 - damping) / n + damping times the sum of what it received. Parallel arcs and self loops count like any
 * other. The ranks sum up to 1.
 *
 *   pull  undirected graphs: each vertex sends its contribution to each rank that has a neighbour of it, once, and the
 *         neighbours there read it
 *   push  any graph: each rank sums the contributions for each head of its arcs, and sends the sums of other ranks' vertices
 */
#ifndef SCREE_PAGERANK_H
#define SCREE_PAGERANK_H
#include <scree/algorithm.h>
#include <scree/graph.h>
#include <scree/options.h>
#ifdef __cplusplus
extern "C" {
#endif

/* The message types in one world. Types cannot be taken back: open it once per world, run it often, on any graph of the
 * same graph layer. */
typedef struct scree_pagerank scree_pagerank;

/* Registers the types. Collective, idle world. On failure *pagerank is left alone and the reason is in
 * scree_graphs_error. Errors: SCREE_ENOMEM, those of scree_register. */
scree_status scree_pagerank_open(scree_graphs *graphs, scree_pagerank **pagerank);
/* Frees it. Local, outside a run; before scree_graphs_close. NULL is ignored. */
void scree_pagerank_close(scree_pagerank *pagerank);

/* The i-th variant; NULL past the last. The first, `auto`, is the default: pull on undirected graphs, else push.
 * Local; any thread, any time. */
const scree_algorithm *scree_pagerank_algorithm_at(size_t i);

#define SCREE_PAGERANK_DAMPING    0.85
#define SCREE_PAGERANK_ITERATIONS 20

/* How to run. All unset is the default:  scree_pagerank_options o = SCREE_PAGERANK_OPTIONS_INIT; */
typedef struct scree_pagerank_options {
  size_t size;           /* of this struct */
  const char *algorithm; /* NULL: the first */
  scree_watch watch;     /* called after each iteration; .fn NULL: never */
  double damping;        /* above 0, below 1; unset: SCREE_PAGERANK_DAMPING */
  uint64_t iterations;   /* at most, 1 to 1000000; unset: SCREE_PAGERANK_ITERATIONS, or 1000 if a tolerance is given */
  double tolerance;      /* it ends when the sum of all changes in an iteration is no more, 1e-15 to 2; unset: all
                            iterations */
} scree_pagerank_options;

#define SCREE_PAGERANK_OPTIONS_INIT                                                                                    \
  { sizeof(scree_pagerank_options), NULL, {NULL, NULL}, SCREE_UNSET_REAL, SCREE_UNSET, SCREE_UNSET_REAL }

/* This rank's part of an answer, and figures that are the same on all ranks. */
typedef struct scree_pagerank_result {
  uint64_t locals;     /* vertices of this rank */
  double *rank;        /* of local vertices */
  uint64_t iterations; /* done */
  double change;       /* sum of the changes of all ranks in the last one */
  const char *algorithm;
  double damping, seconds; /* of the slowest rank, with what is made of the graph before the first iteration */
  scree_work work;         /* without the outcomes of relaxations: there are none */
} scree_pagerank_result;

/* Computes the ranks of a graph of the graph layer that `pagerank` was opened on; weights are ignored.
 * Collective, idle world; equal arguments on all ranks. `options` may be NULL. On success *result is the caller's,
 * until scree_pagerank_free; else it is left alone and the reason is in scree_graphs_error.
 * All is summed in doubles, in an order that depends on the number of ranks and, for push, on the order in which
 * messages come: the last digits may differ. What goes over all ranks, the part without arcs and the change, is summed
 * in units of 2^-62 and 2^-60, so its error is at most one unit for each rank.
 * Memory beside the result: 8 bytes for each vertex of the whole graph, or for push on a rank with fewer arcs than that
 * none (it then sends a message for each arc); 8 bytes per local vertex; for pull 8 bytes for each contribution that is sent.
 * Errors: SCREE_EINVAL (unknown algorithm; pull on a directed graph; an option), SCREE_ENOMEM, SCREE_ESTATE
 * (the world is not idle), or the code of a world that has failed. */
scree_status scree_pagerank_run(scree_pagerank *pagerank, const scree_graph *graph,
                                const scree_pagerank_options *options, scree_pagerank_result **result);

/* Frees this rank's part. Local. NULL is ignored. */
void scree_pagerank_free(scree_pagerank_result *result);

/* Checks ranks, an array over local vertices. The rules:
 *   1 each is a number of at least (1 - damping) / n, less rounding
 *   2 they sum up to 1, to 1e-9
 *   3 one more iteration, by a simple program of its own that sends a message for each arc, changes them by no more
 *     than `change` * damping in sum, and rounding: an iteration shrinks what the one before it changed by that factor
 * By 3 the sum of all differences from the limit is at most change * damping / (1 - damping). It does not follow that
 * exactly so many iterations were done. A result's own `change` is what to give. Collective; the verdict is the same on
 * all ranks, and names a vertex by rule 1 alone. SCREE_OK means that it was reached, not that it is good. */
scree_status scree_pagerank_validate(const scree_graph *g, const double *rank, double damping, double change,
                                     scree_verdict *verdict);

#ifdef __cplusplus
}
#endif
#endif
