/* dissemination.c - one hop for each bit of the distance between two ranks, from the lowest to the highest: 1, 2, 4,
 * ... ranks further, modulo their number (the pattern of the barrier of Hensgen, Finkel & Manber, 1988). Lanes:
 * log2(P), rounded up. */
#include "route/route.h"

static uint32_t classes(const scree__ranks *all) {
  const uint32_t ranks = all->ranks;
  return ranks > 1 ? 32 - (uint32_t)__builtin_clz(ranks - 1) : 1;
}

static scree__hop next(const scree__ranks *all, uint32_t at, uint32_t arrived, uint32_t dest) {
  (void)arrived;
  const uint32_t ranks = all->ranks, distance = (dest + ranks - at) % ranks, bit = (uint32_t)__builtin_ctz(distance);
  return (scree__hop){(at + ((uint32_t)1 << bit)) % ranks, bit};
}

const scree__route scree__dissemination = {.name = "dissemination", .classes = classes, .next = next};
