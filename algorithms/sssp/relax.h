/* relax.h - the inner loops of SSSP: relax the arcs of a vertex, take a relaxation.
 *
 * Room: the message, the pruning, and the inline functions that all variants are made of. */
#ifndef SCREE__RELAX_H
#define SCREE__RELAX_H
#include <math.h>
#include <string.h>

#include "../common/solver.h"

/* "Over me you are at this distance." The sender's rank is known to the handler: the parent is a local index there. */
typedef struct {
  double distance;
  uint32_t target, parent; /* local indices, on the receiver and on the sender */
} scree__relax_item;
SCREE_MESSAGE(scree__relax, scree__relax_item);

/* Which arcs: all, those of at most delta, the longer ones. */
typedef enum { SCREE__ALL_ARCS, SCREE__LIGHT_ARCS, SCREE__HEAVY_ARCS } scree__arcs;

/* What a variant does with a local vertex whose distance fell. NULL, a constant: all relaxations go as messages. */
typedef void scree__improved(scree__run *run, uint32_t v, double distance);

/* The least float that is not less than d >= 0: bounds may be too high, never too low. */
static inline float scree__float_up(double d) {
  float f = (float)d;
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  bits += (double)f < d; /* of floats from 0 on the bits are in the order of the values; the last is INFINITY */
  memcpy(&f, &bits, sizeof f);
  return f;
}

/* Lowers the distance of local v. */
static inline void scree__relax_set(scree__run *run, uint32_t v, double distance, scree_place parent) {
  if (run->distance[v] < INFINITY)
    run->work.invalidated++;
  else
    run->work.useful++;
  run->distance[v] = distance;
  run->parent[v] = scree_graph_vertex(run->graph, parent);
}

/* Takes a relaxation. True: it was better than what the vertex had. */
static inline bool scree__relax_take(scree__run *run, uint32_t sender, const scree__relax_item *item) {
  if (!(item->distance < run->distance[item->target])) {
    run->work.rejected++;
    return false;
  }
  scree__relax_set(run, item->target, item->distance, scree_place_make(sender, item->parent));
  if (run->bound) {
    uint32_t rank = scree_rank(run->worker);
    run->bound[(uint64_t)rank << run->graph->local_bits | item->target] = scree__float_up(item->distance);
  }
  return true;
}

/* Relaxes a local vertex at once. True as above. */
static inline bool scree__relax_direct(scree__run *run, uint32_t v, uint32_t u, double distance) {
  run->work.direct++;
  if (!(distance < run->distance[v])) {
    run->work.rejected++;
    return false;
  }
  scree__relax_set(run, v, distance, scree_place_make(scree_rank(run->worker), u));
  return true;
}

/* The loop for one kind of weight; `kind`, `arcs`, `prune` and `improved` are constants. */
static inline __attribute__((always_inline)) void scree__relax_row(scree__run *run, uint32_t u, double delta,
                                                                   scree__arcs arcs, scree_weight_kind kind, bool prune,
                                                                   scree__improved *improved) {
  const scree_graph *g = run->graph;
  const uint64_t begin = g->offsets[u], end = g->offsets[u + 1], mask = (UINT64_C(1) << g->local_bits) - 1;
  const uint32_t bits = g->local_bits, rank = scree_rank(run->worker);
  const double from = run->distance[u];
  const scree__relax_type type = {run->types[0]};
  float *bound = run->bound;
  uint64_t sent = 0, done = 0, skipped = 0;
  for (uint64_t e = begin; e < end; e++) {
    double w = kind == SCREE_WEIGHT_UINT32   ? ((const uint32_t *)g->weights)[e]
               : kind == SCREE_WEIGHT_FLOAT  ? (double)((const float *)g->weights)[e]
               : kind == SCREE_WEIGHT_DOUBLE ? ((const double *)g->weights)[e]
                                             : 1;
    if (arcs != SCREE__ALL_ARCS && (w <= delta) != (arcs == SCREE__LIGHT_ARCS)) {
      skipped++;
      continue;
    }
    const uint64_t head = scree_graph_head(g, e);
    const uint32_t owner = (uint32_t)(head >> bits), local = (uint32_t)(head & mask);
    const double d = from + w;
    if (prune) {
      if (!(d < (double)bound[head])) continue;
      bound[head] = scree__float_up(d);
      if (improved && owner == rank) {
        done++;
        if (scree__relax_direct(run, local, u, d)) improved(run, local, d);
        continue;
      }
    }
    scree__relax_send(run->worker, type, owner, (scree__relax_item){d, local, u});
    sent++;
  }
  run->work.sent += sent;
  run->work.edges += end - begin;
  if (prune) run->work.pruned += end - begin - skipped - sent - done;
}

/* Relaxes the arcs of local vertex u. `arcs` and `improved` are constants. Outside handlers they may run meanwhile. */
static inline __attribute__((always_inline)) void scree__relax_arcs(scree__run *run, uint32_t u, double delta,
                                                                    scree__arcs arcs, scree__improved *improved) {
  const bool prune = run->bound != NULL;
#define SCREE__ROW(kind)                                                                                               \
  case kind:                                                                                                           \
    if (prune)                                                                                                         \
      scree__relax_row(run, u, delta, arcs, kind, true, improved);                                                     \
    else                                                                                                               \
      scree__relax_row(run, u, delta, arcs, kind, false, improved);                                                    \
    break;
  switch (run->graph->weight) {
    SCREE__ROW(SCREE_WEIGHT_NONE)
    SCREE__ROW(SCREE_WEIGHT_UINT32)
    SCREE__ROW(SCREE_WEIGHT_FLOAT)
    SCREE__ROW(SCREE_WEIGHT_DOUBLE)
  }
#undef SCREE__ROW
}

#endif
