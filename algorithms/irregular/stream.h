/* stream.h - the numbers of HPCC RandomAccess (Luszczek et al. 2006), each a polynomial over GF(2): the last one times
 * x, modulo a polynomial. */
#ifndef SCREE__IRREGULAR_STREAM_H
#define SCREE__IRREGULAR_STREAM_H
#include <stdint.h>

enum { SCREE__STREAM_POLYNOMIAL = 7, SCREE__STREAM_UPDATES = 4 /* a word of the table */ };

static inline uint64_t scree__stream_next(uint64_t x) {
  return x << 1 ^ (x >> 63 ? SCREE__STREAM_POLYNOMIAL : 0);
}

/* The n-th number, which is x to the power n: by squaring, as HPCC_starts does. */
static inline uint64_t scree__stream_at(uint64_t n) {
  uint64_t square[64], x = 1;
  for (int i = 0; i < 64; i++) {
    square[i] = x;
    x = scree__stream_next(scree__stream_next(x));
  }
  if (n == 0) return 1;
  int bit = 62;
  while (bit >= 0 && !(n >> bit & 1)) bit--;
  for (x = 2; bit > 0;) {
    uint64_t sum = 0;
    for (int i = 0; i < 64; i++)
      if (x >> i & 1) sum ^= square[i];
    x = sum;
    if (n >> --bit & 1) x = scree__stream_next(x);
  }
  return x;
}

#endif
