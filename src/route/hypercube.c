/* hypercube.c - one hop for each bit in which two ranks differ, from the lowest to the highest. Where the number of
 * ranks is not a power of two, each rank beyond the largest one in it is attached to the rank whose number is less
 * by that power. Lanes: log2(P), or one more. */
#include "route/route.h"

static uint32_t dimensions(uint32_t ranks) {
  return 31 - (uint32_t)__builtin_clz(ranks);
}

static bool is_whole(uint32_t ranks) {
  return (ranks & (ranks - 1)) == 0;
}

/* Of a cube with attached ranks: into it, its dimensions, out of it. */
static uint32_t classes(const scree__ranks *all) {
  const uint32_t ranks = all->ranks;
  if (ranks == 1) return 1;
  return is_whole(ranks) ? dimensions(ranks) : dimensions(ranks) + 2;
}

static scree__hop next(const scree__ranks *all, uint32_t at, uint32_t arrived, uint32_t dest) {
  (void)arrived;
  const uint32_t ranks = all->ranks, d = dimensions(ranks), size = (uint32_t)1 << d, into = !is_whole(ranks);
  if (at >= size) return (scree__hop){at - size, 0};
  const uint32_t differs = (at ^ dest) & (size - 1);
  if (!differs) return (scree__hop){dest, d + 1};
  const uint32_t bit = (uint32_t)__builtin_ctz(differs);
  return (scree__hop){at ^ (uint32_t)1 << bit, into + bit};
}

const scree__route scree__hypercube = {.name = "hypercube", .classes = classes, .next = next};
