/* simplify.h - drops self loops and parallel edges of a graph that was just made. */
#ifndef SCREE__SIMPLIFY_H
#define SCREE__SIMPLIFY_H
#include <scree/graph.h>

/* According to options->dedup and drop_self_loops; rank 0 prints a line to standard error with the numbers of edges,
 * and `name`. Of parallel edges the one of minimum weight stays. Collective; fails with SCREE_ENOMEM. */
scree_status scree__simplify(scree_graph *g, const scree_graph_options *options, const char *name);

#endif
