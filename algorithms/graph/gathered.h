/* gathered.h - edges between ids of any size, held by the rank that read them until the vertices are known.
 *
 * Room: what edge lists and adjacency lists share behind their lines: the vertices (ids that occur, or all from a base
 * on), the graph. 16 bytes an edge, 24 with weights. */
#ifndef SCREE__GATHERED_H
#define SCREE__GATHERED_H
#include "reader.h"
#include "scan.h"

typedef struct scree__gathered {
  scree__reader *reader;
  bool weighted;   /* as the file has it */
  uint64_t least;  /* an id's least value */
  uint64_t *ends;  /* source and target of each edge */
  double *weights; /* NULL: all 1 */
  size_t count, room;
  scree__words alone; /* ids known without an edge on this rank */
  uint64_t most;      /* an id's largest value so far */
  scree__seen seen;
} scree__gathered;

void scree__gathered_begin(scree__gathered *g, scree__reader *reader);
/* Appends edges, or an id without one. SCREE_ENOMEM: graphs->why is set. Local. */
scree_status scree__gathered_add(scree__gathered *g, const scree_edge *edges, size_t count);
scree_status scree__gathered_alone(scree__gathered *g, uint64_t id);
/* Adds the ids of --vertices, if it is given. Collective. */
scree_status scree__gathered_vertices(scree__gathered *g);
/* The graph. Collective. */
scree_status scree__gathered_build(scree__gathered *g, scree_graph **graph);
/* Makes room for what a part will hold, by its first `count` edges, which were just taken: a hint. Local. */
void scree__gathered_expect(scree__gathered *g, const scree__lines *lines, size_t count);
void scree__gathered_free(scree__gathered *g);

/* The id at *p. What was expected instead, or NULL. */
const char *scree__gathered_id(const scree__gathered *g, const char **p, uint64_t *id);

/* What both formats demand of the options. Local. */
scree_status scree__gathered_check(scree__reader *reader);

#endif
