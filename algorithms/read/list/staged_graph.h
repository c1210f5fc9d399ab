/* staged_graph.h - from edge staging to a graph. */
#ifndef SCREE__STAGED_GRAPH_H
#define SCREE__STAGED_GRAPH_H
#include "read/list/labels.h"

/* What an edge list demands of the options. Local; no consensus. */
scree_status scree__staging_check_options(scree__reader *reader);
/* Adds the ids of the option `vertices`, if it is given. Collective. */
scree_status scree__staging_read_vertices(scree__edge_staging *g);
/* Finds the ids that are vertices. Collective; the caller frees them in any case. */
scree_status scree__staging_find_ids(scree__edge_staging *g, scree__labels *ids);
/* Makes the graph of these. Collective. */
scree_status scree__staging_build(scree__edge_staging *g, const scree__labels *ids, scree_graph **graph);

#endif
