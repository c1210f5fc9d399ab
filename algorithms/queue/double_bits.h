/* double_bits.h - the bits of doubles from 0 on, which are in the order of the values. */
#ifndef SCREE__DOUBLE_BITS_H
#define SCREE__DOUBLE_BITS_H
#include <stdint.h>
#include <string.h>

static inline uint64_t scree__bits_of(double d) {
  uint64_t bits;
  memcpy(&bits, &d, sizeof bits);
  return bits;
}
static inline double scree__real_of(uint64_t bits) {
  double d;
  memcpy(&d, &bits, sizeof d);
  return d;
}
/* The end of a window of this width; if the width is too small to change the distance, the next double. */
static inline double scree__window_end(double base, double width) {
  const double end = base + width;
  return end > base ? end : scree__real_of(scree__bits_of(base) + 1);
}

#endif
