/* keys.h - classes and keys of NAS IS (Bailey et al., The NAS Parallel Benchmarks, RNR-94-007), and the ranks that it
 * tests. */
#ifndef SCREE__IRREGULAR_KEYS_H
#define SCREE__IRREGULAR_KEYS_H
#include <stdbool.h>
#include <stdint.h>

enum { SCREE__KEYS_ITERATIONS = 10, SCREE__KEYS_TESTS = 5, SCREE__KEYS_TINY = 5 /* a class without tests */ };

/* Keys and values, as powers of two; keys whose ranks are tested, and what these are, of is.c: a rank moves with the
 * iteration, up if its bit of `up` is set, else down, from iteration `late` of those two on. */
typedef struct {
  uint32_t keys, values, up, late[2];
  uint64_t index[SCREE__KEYS_TESTS], rank[SCREE__KEYS_TESTS];
} scree__keys_class;

/* S, W, A, B, C, tiny. */
static const scree__keys_class scree__keys_classes[] = {
    {16, 11, 7, {0, 0}, {48427, 17148, 23627, 62548, 4431}, {0, 18, 346, 64917, 65463}},
    {20, 16, 3, {0, 2}, {357773, 934767, 875723, 898999, 404505}, {1249, 11698, 1039987, 1043896, 1048018}},
    {23, 19, 7, {1, 1}, {2112377, 662041, 5336171, 3642833, 4250760}, {104, 17523, 123928, 8288932, 8388264}},
    {25, 21, 22, {0, 0}, {41869, 812306, 5102857, 18232239, 26860214}, {33422937, 10244, 59149, 33135281, 99}},
    {27,
     23,
     7,
     {0, 0},
     {44172927, 72999161, 74326391, 129606274, 21736814},
     {61147, 882988, 266290, 133997595, 133525895}},
    {12, 6, 0, {0, 0}, {0}, {0}},
};

/* The rank of the t-th tested key in an iteration, from 1 on. */
static inline uint64_t scree__keys_rank(const scree__keys_class *c, uint32_t t, uint64_t iteration) {
  const uint32_t up = c->up >> t & 1;
  const uint64_t moved = iteration - c->late[up];
  return c->rank[t] + (up ? moved : 0 - moved);
}

/* x = 5^13 x modulo 2^46: the number after n, and a key, of the four next ones. */
static inline uint64_t scree__keys_jump(uint64_t n) {
  const uint64_t mask = (UINT64_C(1) << 46) - 1;
  uint64_t x = 314159265;
  for (uint64_t a = 1220703125; n; n >>= 1, a = a * a & mask)
    if (n & 1) x = a * x & mask;
  return x;
}
static inline uint32_t scree__keys_next(uint64_t *x, uint32_t values) {
  uint64_t sum = 0;
  for (int i = 0; i < 4; i++) sum += *x = 1220703125 * *x & ((UINT64_C(1) << 46) - 1);
  return (uint32_t)(sum >> (48 - values));
}

/* The two keys of rank 0 that change in an iteration. */
static inline void scree__keys_change(uint32_t *keys, uint32_t iteration, uint32_t values) {
  keys[iteration] = iteration;
  keys[iteration + SCREE__KEYS_ITERATIONS] = (1U << values) - iteration;
}

/* Part i of n things in equal parts begins here. */
static inline uint64_t scree__keys_share(uint64_t n, uint64_t parts, uint64_t i) {
  return n / parts * i + (i < n % parts ? i : n % parts);
}

#endif
