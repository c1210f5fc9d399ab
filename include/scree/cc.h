/* cc.h - connected components: the options of the kernel "cc" of kernel.h, by which it is opened and run. C11 and C++.
 *
 *   scree_solver *cc;
 *   scree_answer a;
 *   scree_cc_options o = SCREE_CC_OPTIONS_INIT;
 *   if (scree_solver_open(graphs, scree_kernel_find("cc"), &cc)) return 1;
 *   if (scree_solver_run(cc, graph, 0, &o, &a)) return 1;
 *   uint64_t *component = a.array[0]; // of local vertices: the smallest vertex of the component
 *   double components = a.figure[0]; // number of components
 *   double largest = a.figure[1]; // vertices of the largest
 *   scree_answer_free(&a);
 *   scree_solver_close(cc);
 *
 * The components are those of the symmetrized graph: for a directed graph, the weakly connected components.
 *
 *   afforest  union-find: the ranks of a node link vertices in an array that they share (Jayanti & Tarjan, Distributed
 *             Computing 34, 2021), messages link across nodes, and the arcs of the giant component are skipped once a
 *             few of them have been linked (Sutton, Ben-Nun & Barak, IPDPS 2018; in dense graphs those of the hub,
 *             Koohi Esfahani, Kilpatrick & Vandierendonck, CLUSTER 2021; the trees as in Rem's algorithm, Patwary,
 *             Blair & Manne, SEA 2010; paths to the roots are halved as by Shiloach & Vishkin, J. Algorithms 3, 1982)
 *   label     label propagation: each vertex sends its neighbours the smallest vertex that it has received. Takes as
 *             many epochs as the longest shortest path from the smallest vertex of a component; a baseline. Of a
 *             directed graph it keeps a symmetrized copy with the graph
 *
 * The seconds of an answer exclude counting the components, and for `label` on a directed graph symmetrizing it. */
#ifndef SCREE_CC_H
#define SCREE_CC_H
#include <scree/kernel.h>
#ifdef __cplusplus
extern "C" {
#endif

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

/* Validates a result, an array over local vertices. The rules:
 *   1 a representative is a vertex, not greater than any vertex that it represents, and represents itself
 *   2 both ends of an arc have the same representative
 *   3 each vertex is reachable from its representative along arcs in either direction
 * Only the correct result satisfies all three: by 2 the vertices of one representative are whole components, by 3 a
 * single component, and by 1 the representative is its smallest vertex. Costs about as much as one BFS; of a
 * directed graph a symmetrized copy is made and kept with the graph. Collective; the verdict is the same on all ranks.
 * SCREE_OK means that a verdict was reached, not that the result is valid. */
scree_status scree_cc_validate(const scree_graph *g, const uint64_t *component, scree_verdict *verdict);

#ifdef __cplusplus
}
#endif
#endif
