/* relabel.h - what renumbering takes. */
#ifndef SCREE__RELABEL_H
#define SCREE__RELABEL_H
#include <scree/graph.h>

/* Bytes on each rank, beside the graph that is renumbered, if the new one's arcs are evenly distributed. Local. */
uint64_t scree__relabel_bytes(const scree_graph *g, scree_distribution_kind distribution);

#endif
