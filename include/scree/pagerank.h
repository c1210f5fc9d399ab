/* pagerank.h - PageRank.
 *
 * It uses only scree.h and graph.h, so it runs on every world, including simulated ones. C11 and C++.
 *
 * The definition is that of LDBC Graphalytics. Each of n vertices starts with 1/n. In each iteration each arc u -> v
 * contributes rank(u) / outdegree(u) to v, the ranks of vertices without outgoing arcs are distributed evenly, and the
 * new rank of v is (1 - damping) / n + damping times the contributions to it. Parallel arcs and self loops count like
 * other arcs. The ranks sum to 1.
 *
 *   pull  undirected graphs: each vertex sends its contribution once to each rank that has a neighbour, and the
 *         neighbours there read it
 *   pull-float  as pull, but changes of contributions are sent and read, in 4 bytes each: faster where the contributions
 *         do not fit in the caches. The ranks of iteration k differ from those of pull by about 10^-7 of the change in
 *         iteration k, and sum to 1 as exactly
 *   push  any graph: each rank adds up the contributions to each head of its arcs, and sends the sums to other ranks
 */
#ifndef SCREE_PAGERANK_H
#define SCREE_PAGERANK_H
#include <scree/algorithm.h>
#include <scree/graph.h>
#include <scree/options.h>
#ifdef __cplusplus
extern "C" {
#endif

/* The message types in one world. Types cannot be unregistered: open this once per world, and run it often, on any
 * graph of the same graph layer. */
typedef struct scree_pagerank scree_pagerank;

/* Registers the types. Collective, idle world. On failure *pagerank is unchanged and scree_graphs_error has the reason.
 * Errors: SCREE_ENOMEM, those of scree_register. */
scree_status scree_pagerank_open(scree_graphs *graphs, scree_pagerank **pagerank);
/* Frees it. Local, outside a run; before scree_graphs_close. NULL is ignored. */
void scree_pagerank_close(scree_pagerank *pagerank);

/* The i-th variant; NULL past the last. The first, `auto`, is the default: on undirected graphs pull, or
 * pull-float from 2^17 vertices on; otherwise push.
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
  uint64_t sums;         /* push: where a rank adds up what it sends, SCREE_SUMS_TABLE (if it is worth its memory, else
                            nowhere), _CACHE or _OFF; unset: _TABLE */
} scree_pagerank_options;

#define SCREE_PAGERANK_OPTIONS_INIT                                                                                    \
  { sizeof(scree_pagerank_options), NULL, {NULL, NULL}, SCREE_UNSET_REAL, SCREE_UNSET, SCREE_UNSET_REAL, SCREE_UNSET }

/* This rank's part of a result, and values that are the same on all ranks. */
typedef struct scree_pagerank_result {
  uint64_t locals;     /* vertices of this rank */
  double *rank;        /* of local vertices */
  uint64_t iterations; /* performed */
  double change;       /* sum of the changes of all ranks in the last one */
  const char *algorithm;
  double damping, seconds; /* seconds of the slowest rank, including the preparation before the first iteration */
  scree_work work;         /* see algorithm.h for the counters that mean nothing here */
} scree_pagerank_result;

/* Computes the ranks of a graph of the graph layer that `pagerank` was opened on; weights are ignored.
 * Collective, idle world; equal arguments on all ranks. `options` may be NULL. On success the caller owns *result until
 * scree_pagerank_free; otherwise it is unchanged and scree_graphs_error has the reason.
 * Sums are doubles, added in an order that depends on the number of ranks and, for push, on the order of arrival of
 * messages: the last digits may differ. The sums over all ranks (of vertices without arcs, and the change) are in units
 * of 2^-62 and 2^-60, so their error is at most one unit per rank.
 * Additional memory: 8 bytes per local vertex; for push 8 bytes per vertex of the whole graph, or none on a rank with
 * fewer arcs than that (it then sends each contribution separately); for pull 8 bytes per vertex whose contribution this
 * rank needs (for pull-float 4, and 20 per local vertex), and, kept with the graph, 4 bytes per arc, 8 per local vertex and 12 per contribution sent. The first run
 * makes these in another 4 bytes per vertex of the whole graph.
 * Errors: SCREE_EINVAL (unknown algorithm; pull on a directed graph; an option), SCREE_ENOMEM, SCREE_ESTATE
 * (the world is not idle), or the code of a world that has failed. */
scree_status scree_pagerank_run(scree_pagerank *pagerank, const scree_graph *graph,
                                const scree_pagerank_options *options, scree_pagerank_result **result);

/* Frees this rank's part. Local. NULL is ignored. */
void scree_pagerank_free(scree_pagerank_result *result);

/* Validates ranks, an array over local vertices. The rules:
 *   1 each is a number of at least (1 - damping) / n, up to rounding
 *   2 they sum to 1, within 1e-9
 *   3 one more iteration, by an independent simple program that sends a message per arc, changes them by a total of no
 *     more than `change` * damping, up to rounding: an iteration reduces the change of the previous one by that factor
 * By 3 the sum of all differences from the limit is at most change * damping / (1 - damping). The rules do not prove
 * the number of iterations. Pass the `change` of the result. Collective; the verdict is the same on all ranks, and
 * names a vertex only for rule 1. SCREE_OK means that a verdict was reached, not that the ranks are valid. */
scree_status scree_pagerank_validate(const scree_graph *g, const double *rank, double damping, double change,
                                     scree_verdict *verdict);

#ifdef __cplusplus
}
#endif
#endif
