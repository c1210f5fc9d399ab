/* sized_format.h - formats whose header states their size: vertices 1 .. n, and a number of entries, one a line. What
 * DIMACS and Matrix Market files share. */
#ifndef SCREE__SIZED_FORMAT_H
#define SCREE__SIZED_FORMAT_H
#include "file/scan.h"
#include "read/scatter.h"

typedef struct scree__size_header {
  uint64_t n, m;  /* as the header states: vertices, entries */
  uint64_t line;  /* of those counts */
  uint64_t body;  /* offset of the line after it */
  uint64_t flags; /* of the format */
} scree__size_header;

/* Reads up to the header's end. Local, on rank 0. */
typedef scree_status scree__header_fn(scree__reader *reader, scree__lines *lines, scree__size_header *h);

/* What differs between them. */
typedef struct scree__sized_format {
  const char *entries; /* for messages: "arcs" */
  scree__header_fn *header;
  /* The form of a line, by the flags; the caller sets the range of ids. */
  scree__plain_line (*plain)(const scree__size_header *h);
  bool (*directed)(const scree__reader *reader, const scree__size_header *h);
  /* Whether a line is skipped. */
  bool (*skip)(const char *line);
  /* Parses one entry on the slow path; ids 1 .. n. */
  scree_status (*entry)(scree__reader *reader, const scree__lines *lines, const scree__size_header *h, const char *line,
                        scree_edge *edge, bool *decimals);
  /* The error in an entry whose ids are in range, "expected ...", or NULL. The slot may be NULL. */
  const char *(*wrong)(const scree__size_header *h, const scree_edge *edge);
} scree__sized_format;

/* Loads the graph. Collective. */
scree_status scree__sized_load(scree__reader *reader, const scree__sized_format *how, scree_graph **graph);

/* Reads the header on rank 0, which has its lines open; the others receive it. Collective. */
scree_status scree__sized_share_header(scree__reader *reader, scree__header_fn *read, scree__lines *lines,
                                       scree__size_header *h);

/* ---- local ---- */

/* At most h->m, and what the file can have: a larger number in a header must not make the library refuse for lack of
 * memory. */
uint64_t scree__sized_possible(const scree__reader *reader, const scree__size_header *h);
/* "FILE:LINE: found N arcs in the file, expected M as this line says", unless the numbers are equal; "found more than
 * M" if N is greater, which stands for any greater number. */
scree_status scree__sized_check_count(scree__reader *reader, const char *what, const scree__size_header *h,
                                      uint64_t expected, uint64_t found);

/* An entry's id of 1 .. n at *p. */
scree_status scree__sized_id(scree__reader *reader, const scree__lines *lines, const scree__size_header *h,
                             const char **p, uint64_t *id);
/* A weight at *p, if `weighted`, and the end of the line. If weights are not read, any word is one. */
scree_status scree__sized_rest(scree__reader *reader, const scree__lines *lines, bool weighted, const char *p,
                               double *weight, bool *decimals);
/* A number of the header. */
scree_status scree__sized_number(scree__reader *reader, const scree__lines *lines, const char **p, uint64_t min,
                                 uint64_t max, const char *expected, uint64_t *number);
/* The end of the header's last line at p; notes where the body begins. */
scree_status scree__sized_end(scree__reader *reader, const scree__lines *lines, const char *p, scree__size_header *h);

#endif
