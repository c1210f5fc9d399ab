/* pagerank.h - PageRank: the options of the kernel "pagerank" of kernel.h, by which it is opened and run. C11 and C++.
 *
 *   scree_solver *pagerank;
 *   scree_answer a;
 *   scree_pagerank_options o = SCREE_PAGERANK_OPTIONS_INIT;
 *   o.tolerance = 1e-9; // of the sum of changes
 *   if (scree_solver_open(graphs, scree_kernel_find("pagerank"), &pagerank)) return 1;
 *   if (scree_solver_run(pagerank, graph, 0, &o, &a)) return 1;
 *   double *rank = a.array[0]; // of local vertices
 *   double iterations = a.figure[0]; // performed
 *   double change = a.figure[1]; // sum of the changes of all ranks in the last one
 *   if (a.figure[2] == 0) fprintf(stderr, "not converged\n"); // the changes are above the tolerance
 *   scree_answer_free(&a);
 *   scree_solver_close(pagerank);
 *
 * The definition is that of LDBC Graphalytics. Each of n vertices starts with 1/n. In each iteration each arc u -> v
 * contributes rank(u) / outdegree(u) to v, the ranks of vertices without outgoing arcs are distributed evenly, and the
 * new rank of v is (1 - damping) / n + damping times the contributions to it. Parallel arcs and self loops count like
 * other arcs. The ranks sum to 1. Weights are ignored.
 *
 * By default the iterations end when one changes the ranks by at most 1e-6 in total and each rank by at most 1e-5 of
 * it, after 100 at most. A tolerance that is given replaces both, and the limit is 1000; a number of iterations without
 * a tolerance is performed. A run that ends above the tolerance is a success: figure[2], "converged", is 0 then, and
 * else 1. With a number of iterations and no tolerance it tells whether the default would have ended there.
 *
 *   auto  on undirected graphs pull, or pull-float from 2^17 vertices with 8 arcs each on; otherwise, and on 32 ranks
 *         or more, push
 *   pull  undirected graphs: each vertex writes its contribution into an array of the node, where neighbours read it;
 *         other nodes that have a neighbour are sent it
 *   pull-float  as pull, but with changes of contributions, in 4 bytes each: faster where the contributions do not fit
 *         in the caches, and many arcs read them. The ranks of iteration k differ from those of pull by about 10^-7 of
 *         the change in iteration k, and sum to 1 as exactly
 *   push  any graph: each rank adds up the contributions to each head of its arcs, and sends the sums to other ranks
 *
 * Sums are doubles, added in an order that depends on the number of ranks and, for push, on the order of arrival of
 * messages: the last digits may differ. The sums over all ranks (of vertices without arcs, and the change) are in units
 * of 2^-62 and 2^-60, so their error is at most one unit per rank. */
#ifndef SCREE_PAGERANK_H
#define SCREE_PAGERANK_H
#include <scree/kernel.h>
#ifdef __cplusplus
extern "C" {
#endif

#define SCREE_PAGERANK_DAMPING    0.85
#define SCREE_PAGERANK_ITERATIONS 100
#define SCREE_PAGERANK_TOLERANCE  1e-6
#define SCREE_PAGERANK_SHARE      1e-5 /* of a rank */

/* How to run. All unset is the default:  scree_pagerank_options o = SCREE_PAGERANK_OPTIONS_INIT; */
typedef struct scree_pagerank_options {
  size_t size;           /* of this struct */
  const char *algorithm; /* NULL: the first */
  scree_watch watch;     /* called after each iteration; .fn NULL: never */
  double damping;        /* above 0, below 1; unset: SCREE_PAGERANK_DAMPING */
  uint64_t iterations;   /* at most, 1 to 1000000; unset: SCREE_PAGERANK_ITERATIONS, or 1000 if a tolerance is given */
  double tolerance;      /* it ends when the sum of all changes in an iteration is no more, 1e-15 to 2; unset: the
                            default above, or all iterations if a number is given */
  uint64_t sums;         /* push: where a rank adds up what it sends, SCREE_SUMS_TABLE (if it is worth its memory, else
                            nowhere), _CACHE or _OFF; unset: _TABLE */
} scree_pagerank_options;

#define SCREE_PAGERANK_OPTIONS_INIT                                                                                    \
  { sizeof(scree_pagerank_options), NULL, {NULL, NULL}, SCREE_UNSET_REAL, SCREE_UNSET, SCREE_UNSET_REAL, SCREE_UNSET }

/* Validates ranks, an array over local vertices. The rules:
 *   1 each is a number of at least (1 - damping) / n, up to rounding
 *   2 they sum to 1, within 1e-9
 *   3 one more iteration, by an independent simple program that sends a message per arc, changes them by a total of no
 *     more than `change` * damping, up to rounding: an iteration reduces the change of the previous one by that factor
 * By 3 the sum of all differences from the limit is at most change * damping / (1 - damping). The rules do not prove
 * the number of iterations. Pass the `change` of the answer. Collective; the verdict is the same on all ranks, and
 * names a vertex only for rule 1. SCREE_OK means that a verdict was reached, not that the ranks are valid. */
scree_status scree_pagerank_validate(const scree_graph *g, const double *rank, double damping, double change,
                                     scree_verdict *verdict);

#ifdef __cplusplus
}
#endif
#endif
