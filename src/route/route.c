/* route.c - the table of routes. */
#include "route/route.h"

#include <scree/options.h>
#include <stddef.h>

const scree__route *scree__route_of(uint64_t option) {
  static const scree__route *const routes[] = {
      [SCREE_ROUTE_ROOK] = &scree__rook,
      [SCREE_ROUTE_HYPERCUBE] = &scree__hypercube,
      [SCREE_ROUTE_DISSEMINATION] = &scree__dissemination,
      [SCREE_ROUTE_NODE] = &scree__node_route,
      [SCREE_ROUTE_RING] = &scree__ring_route,
  };
  return option < sizeof routes / sizeof *routes ? routes[option] : NULL;
}

uint32_t scree__route_classes(uint64_t option, uint32_t ranks, uint32_t nodes) {
  const scree__route *route = scree__route_of(option);
  return route ? route->classes(&(scree__ranks){.ranks = ranks, .nodes = nodes}) : 1;
}
