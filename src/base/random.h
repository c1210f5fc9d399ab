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
#endif
