/* near.h - a value of 4 bytes for each vertex, which the ranks of a node read of each other's vertices without a
 * message. Only the owner of a vertex writes it. Where ranks share nothing, each has those of its own vertices. */
#ifndef SCREE__NEAR_H
#define SCREE__NEAR_H
#include <atomic_ops.h>

#include "graph/structure.h"
#include "kernel/kernel.h"

typedef struct scree__near {
  unsigned *own;         /* by local vertex */
  const unsigned *at;    /* by location, from `first` on */
  uint64_t first, count; /* location of the first vertex of the node's ranks; places */
} scree__near;

/* Zeroed values, whose memory lacks where scree__run_ready says so. Collective; returns what all ranks have agreed
 * on. */
scree_status scree__near_open(const scree__run *run, scree__near *near);
/* Their bytes: `more` of a kernel's memory. */
uint64_t scree__near_bytes(const scree_graph *g, uint64_t locals);

/* Relaxed: the reader must be right with a value that is old. */
static inline unsigned scree__near_get(const scree__near *near, uint64_t place) {
  return AO_int_load(&near->at[place]);
}
static inline void scree__near_set(const scree__near *near, uint64_t local, unsigned value) {
  AO_int_store(&near->own[local], value);
}

/* The arcs of a local vertex that are not loops. */
static inline uint64_t scree__degree_without_loops(const scree_graph *g, uint64_t u) {
  const uint64_t self = (uint64_t)scree_graph_rank(g) << g->local_bits | u, end = g->offsets[u + 1];
  uint64_t degree = 0;
  for (uint64_t e = g->offsets[u]; e < end; e++) degree += scree__head_get(g->targets, g->wide, e) != self;
  return degree;
}

#endif
