/* whole.h - when a table over the vertices of the whole graph, which every rank has, is worth its memory. */
#ifndef SCREE__WHOLE_H
#define SCREE__WHOLE_H
#include <scree/graph.h>

/* From so many ranks on, memory of a rank must fall with their number. */
enum { SCREE__MANY_RANKS = 32, SCREE__WHOLE_SHARE = 8 };

/* Bytes of this rank's part of a graph. */
static inline uint64_t scree__part_bytes(const scree_graph *g) {
  static const uint64_t weight[] = {0, 4, 4, 8};
  return 8 * (g->locals + 2) + (g->offsets[g->locals] + 1) * ((g->wide ? 8 : 4) + weight[g->weight]);
}

/* May this rank have a table of `bytes` that saves time or messages but that the answer does not need? On many ranks if
 * it takes at most an eighth of what the rank's part of the graph takes; on few also up to 64 MiB, or 8 bytes for each of
 * the rank's arcs. Ranks may differ. Local. */
static inline bool scree__whole_pays(const scree_graph *g, uint64_t bytes) {
  const uint64_t always = UINT64_C(64) << 20;
  if (bytes <= scree__part_bytes(g) / SCREE__WHOLE_SHARE) return true;
  return g->vertices.ranks < SCREE__MANY_RANKS && (bytes <= always || bytes <= 8 * g->offsets[g->locals]);
}

#endif
