/* hash.h - a hash of 64-bit words, and numbers drawn by position: pure functions of a key and a counter, so that each
 * rank draws the same numbers as any other. Generators, random weights and bijections use it. */
#ifndef SCREE__HASH_H
#define SCREE__HASH_H
#include <stdint.h>

/* A bijection of 64-bit words whose every output bit depends on every input bit (the finaliser of SplitMix64: Steele,
 * Lea & Flood, OOPSLA 2014). */
static inline uint64_t scree__hash(uint64_t x) {
  x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
  return x ^ (x >> 31);
}
/* Number `counter` of the stream `key`. */
static inline uint64_t scree__hash_draw(uint64_t key, uint64_t counter) {
  return scree__hash(scree__hash(key + UINT64_C(0x9e3779b97f4a7c15)) + (counter + 1) * UINT64_C(0x9e3779b97f4a7c15));
}
/* Uniform float of [0, 1), and integer of lo .. hi, from 64 random bits. */
static inline float scree__unit_float(uint64_t bits) {
  return (float)(bits >> 40) * 0x1p-24f;
}
static inline uint32_t scree__between(uint64_t bits, uint32_t lo, uint32_t hi) {
  return lo + (uint32_t)((bits >> 32) * ((uint64_t)hi - lo + 1) >> 32);
}

#endif
