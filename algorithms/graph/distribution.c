/* distribution.c - the constants that the inline functions of distribution.h use. */
#include <scree/distribution.h>

#include "base/hash.h"

enum { HASH_KEY = 0x5c2ee }; /* of SCREE_DISTRIBUTION_HASH: fixed, so that all ranks and all runs agree */

/* Inverse of an odd number modulo 2^64: each Newton step doubles the number of correct bits, 5 to begin with. */
static uint64_t invert(uint64_t odd) {
  uint64_t x = (3 * odd) ^ 2;
  for (int i = 0; i < 4; i++) x *= 2 - odd * x;
  return x;
}

void scree_bijection_init(scree_bijection *b, uint64_t n, uint64_t key) {
  uint32_t bits = 1;
  if (!b) return;
  while (bits < 63 && n > UINT64_C(1) << bits) bits++;
  *b = (scree_bijection){.n = n, .mask = (UINT64_C(1) << bits) - 1, .shift = (bits + 1) / 2};
  for (uint64_t i = 0; i < SCREE__ROUNDS; i++) {
    b->add[i] = scree__hash_draw(key, 2 * i);
    b->mul[i] = scree__hash_draw(key, 2 * i + 1) | 1;
    b->inv[i] = invert(b->mul[i]);
  }
}

/* For scree__quotient: 2^64 / d rounded up, or 0 if n * d could reach 2^64. */
static uint64_t reciprocal(uint64_t n, uint64_t d) {
  return d < 2 || n > UINT64_MAX / d ? 0 : UINT64_MAX / d + 1;
}

void scree_distribution_init(scree_distribution *d, scree_distribution_kind kind, uint64_t n, uint32_t ranks) {
  if (!d) return;
  if (!ranks) ranks = 1;
  *d = (scree_distribution){.n = n, .ranks = ranks, .kind = kind, .min = n / ranks, .extra = n % ranks};
  d->cut = d->extra * (d->min + 1);
  d->inverse[0] = reciprocal(n, kind == SCREE_DISTRIBUTION_BLOCK ? d->min : ranks);
  d->inverse[1] = reciprocal(n, d->min + 1);
  scree_bijection_init(&d->hash, n ? n : 1, HASH_KEY);
}
