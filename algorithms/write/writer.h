/* writer.h - the record of a format that graphs are written in. */
#ifndef SCREE__WRITER_H
#define SCREE__WRITER_H
#include "write/text.h"

typedef struct scree__writer {
  const char *name, *ending, *other_ending; /* the other one, or NULL, is equivalent */
  uint64_t base;                            /* label of vertex 0 in the file; UINT64_MAX: labels are kept */
  const scree__text_format *text;           /* or NULL: */
  scree_status (*write)(const scree_graph *g, const char *path, const scree_write_options *options);
  const char *(*against)(const scree_graph *g); /* why this graph cannot be written so, or NULL; may be NULL */
} scree__writer;

extern const scree__writer scree__writer_dimacs, scree__writer_edges, scree__writer_matrix_market, scree__writer_tuples,
    scree__writer_image, scree__writer_sg, scree__writer_wsg, scree__writer_metis;

#endif
