/* walk.h - the graph and the choices of `scree walk`, functions of a seed, for the kernel and its rivals. */
#ifndef SCREE__IRREGULAR_WALK_H
#define SCREE__IRREGULAR_WALK_H
#include "base/hash.h"

/* 0 to n - 1, by the upper half of a draw; n up to 2^32. */
static inline uint64_t scree__walk_below(uint64_t draw, uint64_t n) {
  return (draw >> 32) * n >> 32;
}
/* Word i of the graph: neighbour j of vertex v is word v * degree + j. */
static inline uint64_t scree__walk_neighbour(uint64_t seed, uint64_t i, uint64_t vertices) {
  return scree__walk_below(scree__hash_draw(seed, i), vertices);
}
/* Walk i begins at vertex 2 i, with this state of its generator. */
static inline uint64_t scree__walk_random(uint64_t seed, uint64_t i) {
  return scree__hash_draw(~seed, i);
}
/* Which neighbour is next: by a multiplicative generator, of which only upper bits are random enough. */
static inline uint64_t scree__walk_next(uint64_t random) {
  return random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
}

#endif
