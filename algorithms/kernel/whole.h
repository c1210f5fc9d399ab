/* whole.h - when a table over the vertices of the whole graph, which every rank has, is worth its memory. */
#ifndef SCREE__WHOLE_H
#define SCREE__WHOLE_H
#include "graph/structure.h"

enum { SCREE__WHOLE_SHARE = 8 };

/* Bytes of this rank's part of a graph. */
static inline uint64_t scree__part_bytes(const scree_graph *g) {
  const uint64_t an_arc = scree__head_bytes(g->wide) + scree__weight_bytes(g->weight);
  return 8 * (g->locals + 2) + (g->offsets[g->locals] + 1) * an_arc;
}

/* True if this rank may have a table of `bytes` that saves time or messages but is not needed for the answer. On many
 * ranks if it takes at most an eighth of the bytes of the rank's part of the graph; on few also up to 64 MiB, or 8
 * bytes for each of the rank's arcs. Ranks may differ. Local. */
static inline bool scree__whole_pays_for(uint64_t part, uint64_t arcs, uint32_t ranks, uint64_t bytes) {
  const uint64_t always = UINT64_C(64) << 20;
  if (bytes <= part / SCREE__WHOLE_SHARE) return true;
  return ranks < SCREE__MANY_RANKS && (bytes <= always || bytes <= 8 * arcs);
}
/* Why it may not. */
#define SCREE__WHOLE_DOES_NOT_PAY "a table of all vertices takes too much memory on each rank"

static inline bool scree__whole_pays(const scree_graph *g, uint64_t bytes) {
  return scree__whole_pays_for(scree__part_bytes(g), g->offsets[g->locals], g->vertices.ranks, bytes);
}

#endif
