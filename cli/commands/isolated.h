/* isolated.h - vertices without an edge. */
#ifndef CLI_ISOLATED_H
#define CLI_ISOLATED_H
#include <scree/graph.h>

/* Counts the vertices of all ranks that have neither outgoing nor incoming arcs. Collective. */
scree_status cli_count_isolated(const scree_graph *g, uint64_t *count);

#endif
