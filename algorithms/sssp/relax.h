/* relax.h - the inner loops of SSSP: relax the arcs of a vertex, take a relaxation.
 *
 * Room: the message and the two inline functions that all variants are made of. */
#ifndef SCREE__RELAX_H
#define SCREE__RELAX_H
#include <math.h>

#include "../common/solver.h"

/* "Over me you are at this distance." The sender's rank is known to the handler: the parent is a local index there. */
typedef struct {
  double distance;
  uint32_t target, parent; /* local indices, on the receiver and on the sender */
} scree__relax_item;
SCREE_MESSAGE(scree__relax, scree__relax_item);

/* Which arcs: all, those of at most run->delta, the longer ones. */
typedef enum { SCREE__ALL_ARCS, SCREE__LIGHT_ARCS, SCREE__HEAVY_ARCS } scree__arcs;

#define SCREE__RELAX_EACH(weight)                                                                                      \
  for (uint64_t e = g->offsets[u]; e < end; e++) {                                                                     \
    double w = (double)(weight);                                                                                       \
    if (arcs != SCREE__ALL_ARCS && (w <= delta) != (arcs == SCREE__LIGHT_ARCS)) continue;                              \
    scree__relax_item item = {from + w, (uint32_t)scree_place_local(scree_graph_target(g, e)), u};                     \
    scree__relax_send(run->worker, type, scree_place_owner(scree_graph_target(g, e)), item);                           \
    sent++;                                                                                                            \
  }

/* Sends a relaxation over the arcs of local vertex u. `arcs` is a constant. Outside handlers they may run meanwhile. */
static inline __attribute__((always_inline)) void scree__relax_arcs(scree__run *run, uint32_t u, scree__arcs arcs) {
  const scree_graph *g = run->graph;
  const uint64_t end = g->offsets[u + 1];
  const double from = run->distance[u], delta = run->delta;
  const scree__relax_type type = {run->type};
  uint64_t sent = 0;
  switch (g->weight) {
  case SCREE_WEIGHT_NONE:
    SCREE__RELAX_EACH(1)
    break;
  case SCREE_WEIGHT_UINT32:
    SCREE__RELAX_EACH(((const uint32_t *)g->weights)[e])
    break;
  case SCREE_WEIGHT_FLOAT:
    SCREE__RELAX_EACH(((const float *)g->weights)[e])
    break;
  case SCREE_WEIGHT_DOUBLE:
    SCREE__RELAX_EACH(((const double *)g->weights)[e])
    break;
  }
  run->work.sent += sent;
  run->work.edges += end - g->offsets[u];
}

/* Takes a relaxation. True: it was better than what the vertex had. */
static inline bool scree__relax_take(scree__run *run, uint32_t sender, const scree__relax_item *item) {
  double old = run->distance[item->target];
  if (!(item->distance < old)) {
    run->work.rejected++;
    return false;
  }
  run->distance[item->target] = item->distance;
  run->parent[item->target] = scree_place_make(sender, item->parent);
  if (old < INFINITY)
    run->work.invalidated++;
  else
    run->work.useful++;
  return true;
}

#endif
