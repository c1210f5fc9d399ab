/* forest.h - union-find over the vertices of a node, in an array that its ranks share: the part of afforest that needs
 * no messages. Where ranks share nothing, each has a forest of its own vertices.
 *
 * Trees are joined by compare-and-swap (Jayanti & Tarjan, Distributed Computing 34, 2021): what a vertex points to only
 * decreases, so whatever a rank reads is on the way to the root, and a root stops being one once. Between two steps all
 * ranks meet in an epoch. */
#ifndef SCREE__CC_FOREST_H
#define SCREE__CC_FOREST_H
#include <atomic_ops.h>
#include <scree/memory.h>

#include "cc/run.h"

/* The root that most vertices of a sample have. */
typedef struct scree__cc_sample {
  uint32_t root;
  uint32_t same, of; /* vertices that have it; that were looked at */
} scree__cc_sample;

/* Tables by location, from that of the first vertex on; of a root where they say so. */
typedef struct scree__cc_forest {
  const scree_node_array *shared; /* NULL: this rank has its own */
  unsigned *up;                   /* the vertex above, or at a root itself: its place in this table */
  uint64_t *min;                  /* of a root: its smallest vertex. NULL: it is that vertex, on one node */
  bool *in_giant;                 /* of a root: it belongs to the giant component. NULL: there is one node */
  scree__cc_sample *samples;      /* by rank of the node */
  uint32_t ranks, index;          /* of the node; this one's */
  uint64_t first, own, count;     /* location of the first vertex; place of this rank's; places */
} scree__cc_forest;

/* Its memory, before the run. Collective. */
scree_status scree__cc_forest_open(scree__run *run, scree__cc_forest *f);
/* Joins all vertices that arcs between vertices of the node connect. Where there is `min`, they then point to their
 * roots, and *giant is the largest tree. Collective. */
scree_status scree__cc_forest_grow(scree__run *run, const scree__cc_forest *f, scree__cc_sample *giant);
/* Waits until all ranks have come. Collective. */
scree_status scree__cc_meet(scree__run *run);

/* Whether it has all vertices of the graph. */
static inline bool scree__cc_is_whole(const scree__run *run, const scree__cc_forest *f) {
  return f->count >= scree_graph_slots(run->graph);
}
static inline bool scree__cc_is_near(const scree__cc_forest *f, uint64_t location) {
  return location - f->first < f->count;
}
/* Relaxed: an old value is also on the way to the root, and no other memory is read by it. */
static inline uint32_t scree__cc_up(const scree__cc_forest *f, uint64_t at) {
  return AO_int_load(&f->up[at]);
}

/* The root above, wherever it is. Without branches for the usual depth, as some vertices at random are roots. */
static inline uint32_t scree__cc_root(const scree__cc_forest *f, uint64_t at) {
  uint32_t up = scree__cc_up(f, scree__cc_up(f, scree__cc_up(f, at))), next;
  for (; (next = scree__cc_up(f, up)) != up; up = next) continue;
  return up;
}

#endif
