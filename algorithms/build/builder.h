/* builder.h - the builder's functions for readers, beyond the public ones. All are local. */
#ifndef SCREE__BUILDER_H
#define SCREE__BUILDER_H
#include <scree/graph.h>

/* Weights are doubles until scree_graph_builder_finish, which stores them as uint32_t unless some rank has called
 * scree__builder_decimals. */
void scree__builder_narrow(scree_graph_builder *builder);
void scree__builder_decimals(scree_graph_builder *builder);
/* An undirected graph's arcs are added one by one, both of each edge; the caller sets the number of edges. */
void scree__builder_one_way(scree_graph_builder *builder);

/* SCREE_EINVAL with a text unless that is a kind of distribution. */
scree_status scree__distribution_check(scree_graphs *graphs, scree_distribution_kind kind);

#endif
