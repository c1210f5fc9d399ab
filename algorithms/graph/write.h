/* write.h - writing graphs: what the writers of formats share.
 *
 * Room: the record of a writer, files that several ranks write at known places, text in portions through rank 0. */
#ifndef SCREE__WRITE_H
#define SCREE__WRITE_H
#include <zlib.h>

#include "graph/internal.h"

/* ---- at known places: each rank writes its part ---- */

typedef struct scree__out {
  const char *path;
  int fd;
} scree__out;

/* Creates the file, empty, on rank 0, and opens it on all. Collective; scree__out_close in any case. */
scree_status scree__out_open(scree_graphs *graphs, const char *path, scree__out *out);
/* Writes `bytes` at that place. graphs->why is set on failure. Local. */
scree_status scree__out_at(scree_graphs *graphs, const scree__out *out, uint64_t at, const void *data, uint64_t bytes);
/* Closes and agrees on the worst status. Collective. */
scree_status scree__out_close(scree_graphs *graphs, scree__out *out, scree_status status);

/* ---- as text: the ranks write in turn, each behind the one before, in bounded memory ---- */

typedef struct scree__sink {
  gzFile file; /* transparent if the name does not end in .gz */
  size_t used;
  bool failed;
  char text[1 << 16];
} scree__sink;

void scree__put_text(scree__sink *sink, const char *text);
void scree__put_number(scree__sink *sink, uint64_t number);
/* Of arc e: whole for whole weights, else with 17 digits, which give the same double back. */
void scree__put_weight(scree__sink *sink, const scree_graph *g, uint64_t e);

/* A text format: one record. */
typedef struct scree__text {
  /* The lines in front; or NULL. */
  void (*header)(const scree_graph *g, scree__sink *sink);
  /* What stands before the arcs of a vertex and behind them; or NULL. */
  void (*begin)(const scree_graph *g, uint64_t vertex, scree__sink *sink);
  void (*end)(scree__sink *sink);
  /* Arc e of this rank. */
  void (*arc)(const scree_graph *g, uint64_t tail, uint64_t head, uint64_t e, scree__sink *sink);
  bool once; /* of an undirected edge, one of its two arcs */
} scree__text;

/* Is the arc from `tail` to `head` the one that stands for its edge? */
static inline bool scree__stands(const scree_graph *g, uint64_t tail, uint64_t head) {
  return g->directed || tail <= head;
}

/* Collective. */
scree_status scree__text_write(const scree_graph *g, const scree__text *text, const char *path);

/* ---- formats ---- */

typedef struct scree__writer {
  const char *name, *ending;
  const scree__text *text; /* or NULL: */
  scree_status (*write)(const scree_graph *g, const char *path, const scree_write_options *options);
  const char *(*against)(const scree_graph *g); /* why this graph cannot be written so, or NULL; may be NULL */
} scree__writer;

extern const scree__writer scree__writer_dimacs, scree__writer_edges, scree__writer_matrix_market,
    scree__writer_adjacency, scree__writer_tuples, scree__writer_image;

#endif
