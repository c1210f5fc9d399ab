/* metis.h - the header of a METIS file: "VERTICES EDGES [FORMAT [CONSTRAINTS]]". Three digits of
 * FORMAT say whether there are vertex sizes, vertex weights, edge weights; CONSTRAINTS is the number of vertex
 * weights. */
#ifndef SCREE__METIS_H
#define SCREE__METIS_H
#include "file/parse.h"
#include "read/sized_format.h"

static inline bool scree__metis_is_comment(const char *line) {
  return *scree__skip_blanks(line) == '%';
}

scree__header_fn scree__metis_header;
/* Whether edges have weights. */
static inline bool scree__metis_weighted(const scree__size_header *h) {
  return h->flags & 1;
}
/* Numbers before the neighbours of a vertex: its size and its weights. */
static inline uint64_t scree__metis_skipped(const scree__size_header *h) {
  return h->flags >> 1;
}
/* The kind of the weights as they are loaded. Local. */
scree_weight_kind scree__metis_weight_kind(const scree__reader *reader, const scree__size_header *h);
scree_status scree__metis_estimate(scree__reader *reader, scree_size_estimate *o);

#endif
