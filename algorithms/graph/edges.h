/* edges.h - edge lists: from lines to edges.
 *
 * Room: the part of reading an edge list that needs no other rank. */
#ifndef SCREE__EDGES_H
#define SCREE__EDGES_H
#include "graph/gathered.h"

typedef struct scree__edge_list {
  scree__gathered edges;
  uint32_t column[3], last; /* source, target, weight (0: none); the last of them */
  uint64_t third;           /* number in the third column of the first edge, or 0 */
} scree__edge_list;

/* Columns as the reader's options say. `edges` is freed by scree__gathered_free. Local. */
void scree__edge_list_begin(scree__edge_list *list, scree__reader *reader);
/* All lines. Local; the status is not agreed upon. */
scree_status scree__edge_list_read(scree__edge_list *list, scree__lines *lines);

#endif
