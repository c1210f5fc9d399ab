/* symmetry.h - whether the arcs of a file are those of an undirected graph, each edge at both of its ends: by numbers,
 * and by a sum that is the same for both directions. One wrong arc always shows; several are missed by a chance of
 * about one in 2^32 in a row of 4 bytes, 2^64 elsewhere. */
#ifndef SCREE__SYMMETRY_H
#define SCREE__SYMMETRY_H
#include "graph/structure.h"
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

/* The same of a row of at most SCREE__SYMMETRY_ROW arcs, in operations on 4 bytes, which compilers vectorize: an arc
 * counts as the product of what its ends and its weight are mixed to. All arcs of a graph are added by rows, or one by
 * one. Local. */
enum { SCREE__SYMMETRY_ROW = 1 << 13 };

static inline uint32_t scree__symmetry_mix(uint32_t x) {
  x += 0x9e3779b9U;
  x = (x ^ x >> 16) * 0x7feb352dU;
  x = (x ^ x >> 15) * 0x846ca68bU;
  return x ^ x >> 16;
}

/* Arcs of weight 1: sums of halves of 16 bits, which stay within 32. */
static inline uint64_t scree__symmetry_heads(uint32_t u, const scree__head32 *heads, uint32_t count) {
  uint32_t low = 0, high = 0;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t x = scree__symmetry_mix(heads[i]), mask = 0 - (uint32_t)((int32_t)heads[i] < (int32_t)u);
    low += ((x & UINT16_MAX) ^ mask) - mask;
    high += ((x >> 16) ^ mask) - mask;
  }
  return (uint64_t)(int32_t)low + ((uint64_t)(int32_t)high << 16);
}

static inline uint64_t scree__symmetry_weighted(uint32_t u, const scree__head32 *heads, const uint32_t *weights,
                                                uint32_t count) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < count; i++) {
    const uint64_t x = (uint64_t)scree__symmetry_mix(heads[i]) * scree__symmetry_mix(weights[i]);
    const uint64_t mask = 0 - (uint64_t)((int32_t)heads[i] < (int32_t)u);
    sum += heads[i] == u ? 0 : (x ^ mask) - mask;
  }
  return sum;
}

/* Vertices are below 2^31; weights NULL: all are 1. */
static inline void scree__symmetry_add_row(scree__symmetry *s, uint32_t u, const scree__head32 *heads,
                                           const uint32_t *weights, uint32_t count) {
  const uint32_t own = scree__symmetry_mix(u);
  uint32_t down = 0, loops = 0;
  for (uint32_t i = 0; i < count; i++) {
    down += (int32_t)heads[i] < (int32_t)u;
    loops += heads[i] == u;
  }
  s->up += count - down - loops;
  s->down += down;
  s->loops += loops;
  s->difference += own * (weights ? scree__symmetry_weighted(u, heads, weights, count)
                                  : scree__symmetry_heads(u, heads, count) - (uint64_t)loops * own);
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
