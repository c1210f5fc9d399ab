/* counted.h - formats with a header that counts: vertices 1 .. n, and so many entries, one a line.
 *
 * Room: what DIMACS and Matrix Market files share behind their headers: the body in parts, its count. */
#ifndef SCREE__COUNTED_H
#define SCREE__COUNTED_H
#include "graph/reader.h"
#include "graph/scan.h"

typedef struct scree__counted {
  uint64_t n, m;  /* as the header says: vertices, entries */
  uint64_t line;  /* of those counts */
  uint64_t body;  /* offset of the line behind it */
  uint64_t flags; /* of the format */
} scree__counted;

/* What differs. */
typedef struct scree__counting {
  const char *entries; /* in words: "arcs" */
  /* Reads up to the header's end. On rank 0. */
  scree_status (*header)(scree__reader *reader, scree__lines *lines, scree__counted *h);
  /* How a line looks, by the flags; ids are set by the caller. */
  scree__plain (*plain)(const scree__counted *h);
  bool (*directed)(const scree__reader *reader, const scree__counted *h);
  /* Is this line passed over? */
  bool (*skip)(const char *line);
  /* One entry the careful way; ids 1 .. n. */
  scree_status (*entry)(scree__reader *reader, const scree__lines *lines, const scree__counted *h, const char *line,
                        scree_edge *edge, bool *decimals);
  /* What is wrong with an entry that is in range, "expected ..."; NULL: any is good. */
  const char *(*wrong)(const scree__counted *h, const scree_edge *edge);
} scree__counting;

scree_status scree__counted_load(scree__reader *reader, const scree__counting *how, scree_graph **graph);

/* An entry's id of 1 .. n at *p. */
scree_status scree__counted_id(scree__reader *reader, const scree__lines *lines, const scree__counted *h,
                               const char **p, uint64_t *id);
/* A weight at *p, if `weighted`, and the end of the line. */
scree_status scree__counted_rest(scree__reader *reader, const scree__lines *lines, bool weighted, const char *p,
                                 double *weight, bool *decimals);
/* A number of the header. */
scree_status scree__counted_number(scree__reader *reader, const scree__lines *lines, const char **p, uint64_t min,
                                   uint64_t max, const char *expected, uint64_t *number);
/* The end of the line of counts at p; keeps where it is. */
scree_status scree__counted_end(scree__reader *reader, const scree__lines *lines, const char *p, scree__counted *h);

#endif
