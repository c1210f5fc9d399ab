/* random.h - a small generator for schedules and delays (splitmix64: Steele, Lea & Flood, OOPSLA 2014).
 *
 * Room: deterministic draws from a seed. Not for cryptography. */
#ifndef SCREE__RANDOM_H
#define SCREE__RANDOM_H
#include <stdbool.h>
#include <stdint.h>

static inline uint64_t scree__draw(uint64_t *state) {
  uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/* True once in n draws; n at least 1. */
static inline bool scree__one_in(uint64_t *state, uint32_t n) {
  return scree__draw(state) % n == 0;
}
#endif
