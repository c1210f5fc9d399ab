/* writer.h - the record of a format that graphs are written in, and what writers share. */
#ifndef SCREE__WRITER_H
#define SCREE__WRITER_H
#include "write/text.h"

/* Whether the arc from `tail` to `head` is the one that is written for its edge. */
static inline bool scree__represents_edge(const scree_graph *g, uint64_t tail, uint64_t head) {
  return g->directed || tail <= head;
}

typedef struct scree__writer {
  const char *name, *ending;
  const scree__text_format *text; /* or NULL: */
  scree_status (*write)(const scree_graph *g, const char *path, const scree_write_options *options);
  const char *(*against)(const scree_graph *g); /* why this graph cannot be written so, or NULL; may be NULL */
} scree__writer;

extern const scree__writer scree__writer_dimacs, scree__writer_edges, scree__writer_matrix_market,
    scree__writer_adjacency, scree__writer_tuples, scree__writer_image;

#endif
