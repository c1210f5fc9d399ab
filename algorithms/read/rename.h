/* rename.h - other ids for the vertices of a graph, by a file of lines OLD NEW. */
#ifndef SCREE__RENAME_H
#define SCREE__RENAME_H
#include <scree/graph.h>

/* Makes OLD the label of each vertex, whose label is NEW, by options->map; without one it does nothing. `name`: of the
 * graph. Every rank holds all labels meanwhile: 8 bytes for each vertex of the whole graph, and 16 more to sort them if
 * they do not ascend with the vertices. Collective. */
scree_status scree__rename(scree_graph *g, const scree_graph_options *options, const char *name);

#endif
