/* symmetry.h - whether the arcs of a file are those of an undirected graph, each edge at both of its ends: by numbers, and
 * by a sum that is the same for both directions (but for one chance in 2^64). */
#ifndef SCREE__SYMMETRY_H
#define SCREE__SYMMETRY_H
#include "base/hash.h"
#include "read/reader.h"

typedef struct scree__symmetry {
  uint64_t up, down, loops; /* arcs to a larger vertex, to a smaller one, to the vertex itself */
  uint64_t difference;      /* of the sums over `up` and `down` */
} scree__symmetry;

/* Adds an arc; equal arcs of an edge have equal weight bits. Local. */
static inline void scree__symmetry_add(scree__symmetry *s, uint64_t u, uint64_t v, uint64_t weight_bits) {
  s->up += u < v;
  s->down += v < u;
  s->loops += u == v;
  if (u < v) s->difference += scree__hash_draw(scree__hash_draw(u, v), weight_bits);
  if (v < u) s->difference -= scree__hash_draw(scree__hash_draw(v, u), weight_bits);
}

/* The arcs of all ranks. Collective. */
scree_status scree__symmetry_sum(scree_graphs *graphs, scree__symmetry *s);

/* After the sum: whether each edge is at both ends. */
static inline bool scree__symmetry_holds(const scree__symmetry *s) {
  return s->up == s->down && !s->difference;
}

/* graphs->why = "FILE: found N neighbours of larger and ... the same edges; expected EXPECTED". Local. */
scree_status scree__symmetry_refuse(const scree__symmetry *s, scree__reader *reader, bool weighted,
                                    const char *expected);

#endif
