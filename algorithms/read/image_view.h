/* image_view.h - an image in memory and the checks of its content. All functions are local and reach no consensus; on
 * failure graphs->why has the reason. */
#ifndef SCREE__IMAGE_VIEW_H
#define SCREE__IMAGE_VIEW_H
#include "file/image.h"
#include "read/reader.h"

typedef struct scree__image_view {
  scree__reader *reader;
  const char *at; /* the mapping: the whole file, or space for it; NULL once a graph owns it */
  bool copied;    /* it is memory, which has what was checked of the file */
  bool sums;      /* checksums are verified */
  scree__image_header h;
  scree__image_part *parts;
  scree_distribution d; /* of the file */
} scree__image_view;

/* Maps the file of m->reader, or makes space for a copy, and checks its header. The caller closes it in any case. */
scree_status scree__image_open(scree__image_view *m);
void scree__image_close(scree__image_view *m);
/* Checks rows from .. to-1 of a part, once: a copy is made before. */
scree_status scree__image_check_rows(const scree__image_view *m, const scree__image_part *p, uint64_t from,
                                     uint64_t to);
/* Checks the labels and gives the graph copies of them. */
scree_status scree__image_give_labels(const scree__image_view *m, scree_graph *g);

#endif
