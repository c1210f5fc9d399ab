/* random.h - a small generator for schedules and delays (splitmix64: Steele, Lea & Flood, OOPSLA 2014). Deterministic
 * draws from a seed; not for cryptography. */
#ifndef SCREE__RANDOM_H
#define SCREE__RANDOM_H
#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"

static inline uint64_t scree__draw(uint64_t *state) {
  return scree__hash(*state += UINT64_C(0x9e3779b97f4a7c15));
}

/* True once in n draws; n at least 1. */
static inline bool scree__one_in(uint64_t *state, uint32_t n) {
  return scree__draw(state) % n == 0;
}

/* A divisor of many draws: a multiplication gives the remainder, in a fraction of the time of a division. */
typedef struct {
  uint64_t n, reciprocal; /* 2^64 / n, rounded down; of a power of 2 one less */
} scree__divisor;

static inline scree__divisor scree__divisor_of(uint64_t n) {
  return (scree__divisor){n, UINT64_MAX / n};
}

__extension__ typedef unsigned __int128 scree__wide;

/* draw % n. The upper half of the product is the quotient, or one less. A branch would be predicted wrongly. */
static inline uint64_t scree__rest(const scree__divisor *by, uint64_t draw) {
  const uint64_t rest = draw - (uint64_t)((scree__wide)draw * by->reciprocal >> 64) * by->n, less = rest - by->n;
  return less < rest ? less : rest;
}
#endif
