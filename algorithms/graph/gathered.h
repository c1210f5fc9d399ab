/* gathered.h - edges between ids of any size, held by the rank that read them until the vertices are known.
 *
 * Room: what edge lists and adjacency lists share behind their lines: the vertices (ids that occur, or all from a base
 * on), the graph. 8 bytes an edge, 16 once an id needs more than 32 bits; and 4 for its weight, 8 once one has a
 * decimal point: what is written and read again is a good part of the time of parsing. */
#ifndef SCREE__GATHERED_H
#define SCREE__GATHERED_H
#include "graph/reader.h"
#include "graph/scan.h"

typedef struct scree__gathered {
  scree__reader *reader;
  bool weighted; /* as the file has it */
  uint64_t min;  /* an id's least value */
  bool wide;     /* ends are uint64_t, else uint32_t */
  bool exact;    /* weights are doubles, else uint32_t */
  void *ends;    /* source and target of each edge */
  void *weights; /* NULL: all 1 */
  size_t count, room;
  scree__words alone; /* ids known without an edge on this rank */
  uint64_t max;       /* an id's largest value so far */
  scree__seen seen;
} scree__gathered;

/* Source (2 i) or target (2 i + 1) of edge i. */
static inline uint64_t scree__gathered_end(const scree__gathered *g, size_t at) {
  return g->wide ? ((const uint64_t *)g->ends)[at] : ((const uint32_t *)g->ends)[at];
}
static inline double scree__gathered_weight(const scree__gathered *g, size_t i) {
  if (!g->weights) return 1;
  return g->exact ? ((const double *)g->weights)[i] : ((const uint32_t *)g->weights)[i];
}

void scree__gathered_begin(scree__gathered *g, scree__reader *reader);
/* Appends edges, or an id without one. SCREE_ENOMEM: graphs->why is set. Local. */
scree_status scree__gathered_add(scree__gathered *g, const scree_edge *edges, size_t count);
scree_status scree__gathered_alone(scree__gathered *g, uint64_t id);
/* Edge `from` in the place of edge `to`. */
void scree__gathered_move(scree__gathered *g, size_t to, size_t from);
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
