/* edge_list.h - edge lists, the part of reading that needs no other rank: from lines to edges. */
#ifndef SCREE__EDGE_LIST_H
#define SCREE__EDGE_LIST_H
#include "read/list/first_line.h"
#include "read/scatter.h"

typedef struct scree__edge_list {
  scree__edge_staging edges;
  uint32_t column[3], last; /* source, target, weight (0: no weights are read); the last of them */
  uint64_t start;           /* offset in the file of the lines that are read */
  scree__first_line first;
  scree__scattering *scattering; /* of the rank that scatters lines; else NULL */
} scree__edge_list;

/* Columns as the reader's options say. `edges` is freed by scree__staging_free. Local. */
void scree__edge_list_begin(scree__edge_list *list, scree__reader *reader);
/* All lines. Local; the status is not a consensus. */
scree_status scree__edge_list_read(scree__edge_list *list, scree__lines *lines);

/* Loads the graph. Collective. */
scree_status scree__edge_list_load(scree__reader *reader, scree_graph **graph);
/* Reads the lines that the options skip, at the start of the file. Local; graphs->why is set on failure. */
scree_status scree__edge_list_skip(scree__reader *reader, scree__lines *lines);

#endif
