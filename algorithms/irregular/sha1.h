/* sha1.h - SHA-1 (FIPS 180-4) of up to 13 words of 32 bits, which are one block: what the trees of UTS are made of. */
#ifndef SCREE__IRREGULAR_SHA1_H
#define SCREE__IRREGULAR_SHA1_H
#include <stdint.h>
#include <string.h>

enum { SCREE__SHA1_WORDS = 5 };

static inline uint32_t scree__sha1_rotated(uint32_t x, int by) {
  return x << by | x >> (32 - by);
}

static inline void scree__sha1(uint32_t digest[SCREE__SHA1_WORDS], const uint32_t *words, uint32_t count) {
  static const uint32_t start[SCREE__SHA1_WORDS] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
  static const uint32_t k[4] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
  uint32_t w[80] = {0}, a = start[0], b = start[1], c = start[2], d = start[3], e = start[4];
  memcpy(w, words, count * sizeof *w);
  w[count] = 0x80000000;
  w[15] = 32 * count;
  for (int i = 16; i < 80; i++) w[i] = scree__sha1_rotated(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
  for (int i = 0; i < 80; i++) {
    const uint32_t f = i < 20 ? (b & c) | (~b & d) : i < 40 || i >= 60 ? b ^ c ^ d : (b & c) | (b & d) | (c & d);
    const uint32_t next = scree__sha1_rotated(a, 5) + f + e + k[i / 20] + w[i];
    e = d, d = c, c = scree__sha1_rotated(b, 30), b = a, a = next;
  }
  const uint32_t end[SCREE__SHA1_WORDS] = {a, b, c, d, e};
  for (int i = 0; i < SCREE__SHA1_WORDS; i++) digest[i] = start[i] + end[i];
}

#endif
