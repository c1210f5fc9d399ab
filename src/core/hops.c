/* hops.c - the tables of a world whose routed types travel by a route: the lanes of this rank, one for each next hop, and for
 * each destination the lane. Made when the world opens; all types and workers share them. */
#include "route/route.h"

#include <stdlib.h>

#include "base/options.h"
#include "core/world.h"

static bool refuse_communication_thread(const char *name, char *why, size_t size) {
  snprintf(
      why, size,
      "route=%s with progress=comm: a communication thread serves no routes: set progress to none or full, or route "
      "to direct",
      name);
  return false;
}

bool scree__hops_allow(const scree_options *o, uint32_t ranks, char *why, size_t size) {
  const scree__route *route = scree__route_of(o->route);
  const uint64_t endpoints = (uint64_t)ranks * scree__options_endpoints(o);
  if (!route) return true;
  if (o->progress == SCREE_PROGRESS_COMM) return refuse_communication_thread(route->name, why, size);
  if (endpoints <= SCREE__ROUTED_MAX) return true;
  snprintf(
      why, size,
      "route=%s with %u ranks of %u threads: legal are %d threads of all ranks: start fewer, or set route to direct",
      route->name, ranks, scree__options_endpoints(o), SCREE__ROUTED_MAX);
  return false;
}

/* The lane of that hop; a new one if there is none yet. Lanes are as few as neighbours. */
static uint16_t lane_to(scree__hops *h, scree__hop to) {
  uint16_t lane = 1;
  while (lane < h->count && (h->hop[lane].rank != to.rank || h->hop[lane].hop_class != to.hop_class)) lane++;
  if (lane == h->count) h->hop[h->count++] = to;
  return lane;
}

static void fill(scree__hops *h, const scree__route *route, const scree__ranks *all, uint32_t rank, uint32_t arrived) {
  for (uint32_t dest = 0; dest < all->ranks; dest++)
    h->next[arrived][dest] = dest == rank ? 0 : lane_to(h, route->next(all, rank, arrived, dest));
}

/* The ranks by node, in `first` and `member`: a counting sort. */
static void sort_by_node(const scree__topology *at, uint32_t ranks, uint32_t *first, uint32_t *member) {
  for (uint32_t r = 0; r < ranks; r++) first[at->node_of[r] + 1]++;
  for (uint32_t node = 0; node < at->nodes; node++) first[node + 1] += first[node];
  for (uint32_t r = 0; r < ranks; r++) member[first[at->node_of[r]]++] = r;
  for (uint32_t node = at->nodes; node > 0; node--) first[node] = first[node - 1];
  first[0] = 0;
}

/* False: no memory. */
static bool fill_all(scree_world *world, const scree__route *route) {
  const scree__topology *at = world->worker[0]->transport->topology;
  uint32_t *first = calloc(at->nodes + 1, sizeof *first), *member = malloc(world->ranks * sizeof *member);
  const scree__ranks all = {world->ranks, at->nodes, at->node_of, first, member};
  const bool made = first && member;
  if (made) sort_by_node(at, world->ranks, first, member);
  for (uint32_t c = 0; made && c < world->hops.tables; c++) fill(&world->hops, route, &all, world->rank, c);
  free(first);
  free(member);
  return made;
}

/* Each rank is the destination of one lane of a class at most. */
bool scree__hops_open(scree_world *world) {
  const scree__route *route = scree__route_of(world->options.route);
  scree__hops *h = &world->hops;
  if (world->classes == 1) return true;
  h->tables = route->by_arrival ? world->classes : 1;
  h->hop = malloc(((size_t)world->ranks + world->classes) * sizeof *h->hop);
  uint16_t *all = malloc(h->tables * world->ranks * sizeof *all);
  h->next[0] = all;
  if (!h->hop || !all) return false;
  h->hop[0] = (scree__hop){world->rank, world->classes - 1};
  h->count = 1;
  for (uint32_t c = 0; c < world->classes; c++) h->next[c] = route->by_arrival ? all + (size_t)c * world->ranks : all;
  if (!fill_all(world, route)) return false;
  scree__hop *shorter = realloc(h->hop, h->count * sizeof *h->hop);
  if (shorter) h->hop = shorter;
  return true;
}

void scree__hops_close(scree_world *world) {
  free(world->hops.hop);
  free(world->hops.next[0]);
}

/* Of the tables above. */
uint64_t scree__hops_bytes(const scree_world *world) {
  const scree__hops *h = &world->hops;
  return (uint64_t)h->tables * world->ranks * sizeof *h->next[0] + h->count * sizeof *h->hop;
}
