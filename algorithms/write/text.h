/* text.h - text formats: the ranks write one after the other, in bounded memory. */
#ifndef SCREE__TEXT_H
#define SCREE__TEXT_H
#include <scree/graph.h>
#include <zlib.h>

typedef struct scree__sink {
  gzFile file; /* transparent if the name does not end in .gz; NULL: not open */
  size_t used;
  bool failed;
  int error; /* errno, if so */
  char text[1 << 16];
} scree__sink;

void scree__put_text(scree__sink *sink, const char *text);
void scree__put_number(scree__sink *sink, uint64_t number);
/* Writes the weight of arc e: the shortest text that reads back as the same double. */
void scree__put_weight(scree__sink *sink, const scree_graph *g, uint64_t e);

/* A text format: one record. */
typedef struct scree__text_format {
  /* The lines at the start; or NULL. */
  void (*header)(const scree_graph *g, scree__sink *sink);
  bool labels;                    /* vertices are passed to the following as their labels, not as their numbers */
  void (*end)(scree__sink *sink); /* the text after the arcs of a vertex; or NULL */
  /* Arc e of this rank. */
  void (*arc)(const scree_graph *g, uint64_t tail, uint64_t head, uint64_t e, scree__sink *sink);
  bool once; /* of an undirected edge, one of its two arcs */
} scree__text_format;

/* Writes the graph. Collective. */
scree_status scree__text_format_write(const scree_graph *g, const scree__text_format *text, const char *path);

#endif
