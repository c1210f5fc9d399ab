/* edge_staging.h - edges in coordinate form (COO) between ids of any size, kept by the rank that read them until the
 * vertices are known.
 *
 * An edge takes 8 bytes, 16 once an id needs more than 32 bits; and 4 for its weight, 8 once one has a decimal point:
 * memory traffic is a good part of the time of parsing. */
#ifndef SCREE__EDGE_STAGING_H
#define SCREE__EDGE_STAGING_H
#include "file/scan.h"
#include "graph/u64_vector.h"
#include "read/reader.h"

typedef struct scree__edge_staging {
  scree__reader *reader;
  bool weighted; /* the weights of the file are read */
  uint64_t min;  /* an id's smallest legal value */
  bool wide;     /* ends are uint64_t, else uint32_t */
  bool exact;    /* weights are doubles, else uint32_t */
  void *ends;    /* source and target of each edge */
  void *weights; /* NULL: all 1 */
  size_t count, capacity;
  scree__u64_vector vertices; /* ids that are vertices even without an edge here */
  uint64_t all;               /* edges of all ranks, once ids are found */
  uint64_t max;               /* an id's largest value so far */
  scree__scan_notes notes;
} scree__edge_staging;

/* Source (2 i) or target (2 i + 1) of edge i. */
static inline uint64_t scree__staging_end(const scree__edge_staging *g, size_t at) {
  return g->wide ? ((const uint64_t *)g->ends)[at] : ((const uint32_t *)g->ends)[at];
}
static inline double scree__staging_weight(const scree__edge_staging *g, size_t i) {
  if (!g->weights) return 1;
  return g->exact ? ((const double *)g->weights)[i] : ((const uint32_t *)g->weights)[i];
}

void scree__staging_init(scree__edge_staging *g, scree__reader *reader);
/* Appends edges, or an id without one. SCREE_ENOMEM: graphs->why is set. Local. */
scree_status scree__staging_append(scree__edge_staging *g, const scree_edge *edges, size_t count);
scree_status scree__staging_append_vertex(scree__edge_staging *g, uint64_t id);
/* Allocates for all edges of a part, estimated from its first `count`, which were just appended: a hint. Local. */
void scree__staging_reserve(scree__edge_staging *g, const scree__lines *lines, size_t count);
void scree__staging_free(scree__edge_staging *g);

/* Parses the id p .. end-1. NULL on success; else what was expected. Local. */
const char *scree__staging_parse_id(const scree__edge_staging *g, const char *p, const char *end, uint64_t *id);

#endif
