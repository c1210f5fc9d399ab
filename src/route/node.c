/* node.c - gather on the node, one connection between two nodes, scatter on the other: an item is sent to the rank of
 * its node that sends to the destination's node, then to the rank that receives from this node, and then to its
 * destination. The nodes are divided among the ranks of a node, so that each has its share of the connections (as in
 * YGM: Priest et al., IPDPSW 2019). Lanes: two for each rank of the node, and one for each node that the rank sends
 * to. */
#include "route/route.h"

enum { GATHER, BETWEEN, SCATTER, CLASSES };

static uint32_t classes(const scree__ranks *all) {
  return all->nodes > 1 && all->nodes < all->ranks ? CLASSES : 1;
}

/* The rank of a node that sends to, and receives from, another one. */
static uint32_t link(const scree__ranks *all, uint32_t node, uint32_t other) {
  const uint32_t first = all->first[node];
  return all->member[first + other % (all->first[node + 1] - first)];
}

static scree__hop next(const scree__ranks *all, uint32_t at, uint32_t arrived, uint32_t dest) {
  (void)arrived;
  const uint32_t here = all->node_of[at], there = all->node_of[dest];
  if (here == there) return (scree__hop){dest, SCATTER};
  const uint32_t leaves = link(all, here, there);
  if (at != leaves) return (scree__hop){leaves, GATHER};
  return (scree__hop){link(all, there, here), BETWEEN};
}

const scree__route scree__node_route = {.name = "node", .classes = classes, .next = next};
