/* format.c - the format of edge lists. */
#include "read/format.h"
#include "read/list/edge_list.h"
#include "read/list/sample.h"

const scree__format scree__format_edges = {
    .name = "edges",
    .what = "an edge list",
    .takes = SCREE__TAKES_DIRECTED | SCREE__TAKES_UNDIRECTED | SCREE__TAKES_COLUMNS | SCREE__TAKES_BASE |
             SCREE__TAKES_VERTICES | SCREE__TAKES_LINES,
    .instead = "has its vertices, and its weights, if any, in its lines",
    .load = scree__edge_list_load,
    .estimate = scree__list_estimate,
};
