/* ring.c - from each rank to the next one: for comparison, with one neighbour and half of all ranks as the mean number
 * of hops. The ring is cut between the last rank and rank 0 (its dateline): an item that crosses the cut continues in
 * the second class, in which no item crosses it again. The third one is for direct blocks, which would close the circle
 * in the second: they are sent to any rank, and wait after what is passed on there. */
#include "route/route.h"

static uint32_t classes(const scree__ranks *all) {
  return all->ranks > 2 ? 3 : 1;
}

static scree__hop next(const scree__ranks *all, uint32_t at, uint32_t arrived, uint32_t dest) {
  (void)dest;
  const bool crosses = at + 1 == all->ranks;
  return (scree__hop){crosses ? 0 : at + 1, crosses || arrived > 0};
}

const scree__route scree__ring_route = {.name = "ring", .by_arrival = true, .classes = classes, .next = next};
