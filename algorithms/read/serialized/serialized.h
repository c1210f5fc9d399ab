/* serialized.h - header and offsets of a serialized graph of the GAP Benchmark Suite. Functions that are not collective
 * are local and reach no consensus; on failure graphs->why says what is wrong. */
#ifndef SCREE__READ_SERIALIZED_H
#define SCREE__READ_SERIALIZED_H
#include "file/serialized.h"
#include "read/reader.h"
#include "read/symmetry.h"

/* Reads and checks the header; the file has as many bytes as it states. */
scree_status scree__serialized_header(scree__reader *reader, bool weighted, scree__serialized *h);

/* The graph as it is loaded. */
scree_graph_shape scree__serialized_shape(const scree__reader *reader, const scree__serialized *h);
/* Edges, if there are no self loops: with them there are more, as each is one arc; the arcs, and the memory, are
 * right. */
uint64_t scree__serialized_edges(const scree__serialized *h);
scree_status scree__serialized_estimate(scree__reader *reader, bool weighted, scree_size_estimate *o);

enum { SCREE__SERIALIZED_MANY = 4096 };

typedef struct scree__serialized_offsets {
  scree__reader *reader;
  scree__serialized h;
  uint64_t byte;        /* the position of the last error, or of the last read: of several errors the first in the file
                         * counts */
  uint64_t first, have; /* the offsets in memory are those of vertices first .. first + have - 1 */
  uint64_t offsets[SCREE__SERIALIZED_MANY];
} scree__serialized_offsets;

/* Whether `offset` of vertex u is legal after that of u - 1. */
scree_status scree__serialized_check_offset(scree__serialized_offsets *s, uint64_t u, uint64_t offset, uint64_t before);
/* Checks all of them; each rank its share. Collective. */
scree_status scree__serialized_check_offsets(scree__serialized_offsets *s);
/* *offset: that of vertex u, 0 .. n. */
scree_status scree__serialized_offset(scree__serialized_offsets *s, uint64_t u, uint64_t *offset);
/* *tail: that of arc e. The offsets have been checked. */
scree_status scree__serialized_tail(scree__serialized_offsets *s, uint64_t e, uint64_t *tail);

/* Refuses arc e of vertex u, whose head or weight is `found`. */
scree_status scree__serialized_wrong_arc(scree__serialized_offsets *s, uint64_t e, uint64_t u, int64_t found,
                                         bool weight);
/* Sets the edges of an undirected graph, if its arcs are such edges. Collective. */
scree_status scree__serialized_check_symmetry(scree__serialized_offsets *s, scree__symmetry *symmetry, scree_graph *g);

/* Whether a rank's rows are one piece of the file; if so, the graph of them. Collective. */
bool scree__serialized_has_rows(const scree__reader *reader, const scree__serialized *h);
scree_status scree__serialized_rows(scree__serialized_offsets *s, scree_graph **graph);

#endif
