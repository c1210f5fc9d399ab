/* symmetry.h - whether the arcs of a file are those of an undirected graph, each edge at both of its ends: by numbers, and
 * by a sum that is the same for both directions (but for one chance in 2^64). */
#ifndef SCREE__SYMMETRY_H
#define SCREE__SYMMETRY_H
#include "read/reader.h"

typedef struct scree__symmetry {
  uint64_t up, down, loops; /* arcs to a larger vertex, to a smaller one, to the vertex itself */
  uint64_t difference;      /* of the sums over `up` and `down` */
} scree__symmetry;

/* A product of the ends, the same in either order, mixes them; an odd factor and a shift spread its bits. */
static inline uint64_t scree__symmetry_hash(uint64_t u, uint64_t v, uint64_t weight_bits) {
  const uint64_t far = UINT64_C(0x9e3779b97f4a7c15);
  uint64_t x = (u + far) * (v + far) + weight_bits * UINT64_C(0x8cb92ba72f3d8dd7);
  x = (x ^ x >> 32) * UINT64_C(0xd1b54a32d192ed03);
  return x ^ x >> 32;
}

/* Adds an arc; equal arcs of an edge have equal weight bits. Local. */
static inline void scree__symmetry_add(scree__symmetry *s, uint64_t u, uint64_t v, uint64_t weight_bits) {
  if (u == v) {
    s->loops++;
    return;
  }
  const uint64_t back = v < u, mask = (uint64_t)0 - back; /* without a branch, which rows defeat */
  s->up += 1 - back;
  s->down += back;
  s->difference += (scree__symmetry_hash(u, v, weight_bits) ^ mask) - mask;
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
