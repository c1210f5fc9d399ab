/* rook.c - ranks in the rows of a grid that is as square as possible: one hop within the row to the destination's
 * column, one within the column. Lanes: those of a row and of a column, about 2 sqrt(P) (Active Pebbles: Willcock et
 * al., ICS 2011, call such routes dimension-ordered). */
#include "route/route.h"

/* The smallest one whose square holds all ranks. */
static uint32_t width(uint32_t ranks) {
  uint32_t w = 1;
  while ((uint64_t)w * w < ranks) w++;
  return w;
}

/* Two ranks are one row. */
static uint32_t classes(const scree__ranks *all) {
  return all->ranks > 2 ? 2 : 1;
}

/* The last row may be short: for the missing columns its ranks use the row above, which is full. */
static scree__hop next(const scree__ranks *all, uint32_t at, uint32_t arrived, uint32_t dest) {
  (void)arrived;
  const uint32_t ranks = all->ranks, w = width(ranks), column = dest % w;
  if (at % w == column) return (scree__hop){dest, 1};
  const uint32_t turn = at - at % w + column;
  return (scree__hop){turn < ranks ? turn : turn - w, 0};
}

const scree__route scree__rook = {.name = "rook", .classes = classes, .next = next};
