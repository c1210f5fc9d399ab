/* hops.c - the tables of a world whose routed types travel by a route: the lanes of this rank, one for each next hop,
 * and for each destination the lane. Made when the world opens; all types and workers share them. */
#include <stdlib.h>

#include "base/options.h"
#include "core/pass.h"
#include "sort/counting_sort.h"

/* True if messages to workers are sent to their rank, which forwards them. */
static bool aggregates(const scree__options *o) {
  return o->aggregate == SCREE_AGGREGATE_RANK && scree__options_endpoints(o) > 1;
}

static bool has_urgent(const scree__options *o) {
  return o->urgent_types == SCREE_URGENT_TYPES_ON;
}

static bool urgent_allows(const scree__options *o, char *why, size_t size) {
  if (!has_urgent(o) || o->progress != SCREE_PROGRESS_COMM) return true;
  snprintf(
      why, size,
      "urgent-types=on with progress=comm: a communication thread serves one class of hops: set progress to none or "
      "full, or urgent_types to off");
  return false;
}

bool scree__hops_allow(const scree__options *o, uint32_t ranks, char *why, size_t size) {
  const scree__route *route = scree__route_of(o->route);
  const uint64_t endpoints = (uint64_t)ranks * scree__options_endpoints(o);
  const char *name = route ? route->name : "direct", *to = aggregates(o) ? "rank" : "worker";
  if (!urgent_allows(o, why, size)) return false;
  if (!route && !aggregates(o)) return true;
  if (o->progress != SCREE_PROGRESS_COMM && endpoints <= SCREE__ROUTED_MAX) return true;
  if (o->progress == SCREE_PROGRESS_COMM)
    snprintf(
        why, size,
        "route=%s, aggregate=%s with progress=comm: a communication thread serves no routes: set progress to none or "
        "full, or route to direct and aggregate to worker",
        name, to);
  else
    snprintf(
        why, size,
        "route=%s, aggregate=%s with %u ranks of %u threads: legal are %d threads of all ranks: start fewer, or set "
        "route to direct and aggregate to worker",
        name, to, ranks, scree__options_endpoints(o), SCREE__ROUTED_MAX);
  return false;
}

/* Those of the route; one of hops within a rank, to the worker that a message is for; and one of urgent types. */
uint32_t scree__hops_classes(const scree__options *o, uint32_t ranks, uint32_t nodes) {
  return scree__route_classes(o->route, ranks, nodes) + aggregates(o) + has_urgent(o);
}

/* The lane of that hop; a new one if there is none yet. Lanes are as few as neighbours. */
static uint16_t lane_to(scree__hops *h, scree__hop to) {
  uint16_t lane = 1;
  while (lane < h->count && (h->hop[lane].rank != to.rank || h->hop[lane].hop_class != to.hop_class)) lane++;
  if (lane == h->count) h->hop[h->count++] = to;
  SCREE__INVARIANT(lane > 0 && h->count <= SCREE__ROUTED_MAX + SCREE__HOP_CLASSES);
  return lane;
}

/* Without a route, but with aggregate=rank, each hop is to the rank itself. */
static uint16_t next_lane(scree__hops *h, const scree__route *route, const scree__ranks *all, uint32_t rank,
                          uint32_t arrived, uint32_t dest) {
  if (dest == rank) return 0;
  if (route) return lane_to(h, route->next(all, rank, arrived, dest));
  h->hop[h->count] = (scree__hop){dest, 0};
  return (uint16_t)h->count++;
}

static void fill(scree__hops *h, const scree__route *route, const scree__ranks *all, uint32_t rank, uint32_t arrived) {
  for (uint32_t dest = 0; dest < all->ranks; dest++)
    h->next[arrived][dest] = next_lane(h, route, all, rank, arrived, dest);
}

/* Workers of this rank have the lanes after those to other ranks. */
static void fill_workers(const scree_world *world, uint32_t arrived) {
  const scree__hops *h = &world->hops;
  for (uint32_t r = 0; r < world->ranks; r++)
    for (uint32_t i = 0; i < world->threads; i++) {
      const uint32_t lane = r == world->rank ? h->count + i : h->next[arrived][r];
      h->to_worker[arrived][r * world->threads + i] = (uint16_t)lane;
    }
}

/* The ranks by node, in `first` and `member`: a counting sort. */
static void sort_by_node(const scree__topology *at, uint32_t ranks, uint32_t *first, uint32_t *member) {
  SCREE__COUNTING_SORT(first + 1, at->nodes, ranks, r, at->node_of[r], to, member[to] = (uint32_t)r);
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

/* A table for each class, or the same one for all. */
static bool make_tables(uint16_t **table, uint32_t tables, uint32_t classes, uint32_t dests) {
  uint16_t *all = malloc((size_t)tables * dests * sizeof *all);
  for (uint32_t c = 0; all && c < classes; c++) table[c] = all + (tables > 1 ? (size_t)c * dests : 0);
  return all != NULL;
}

static bool make_closed(scree_world *world) {
  static char nowhere[1];
  const uint32_t dests = world->ranks * world->threads;
  scree__lane *closed = malloc(dests * sizeof *closed);
  for (uint32_t i = 0; closed && i < dests; i++) closed[i] = (scree__lane){nowhere, nowhere};
  world->hops.closed = closed;
  return closed != NULL;
}

static bool make_workers(scree_world *world) {
  scree__hops *h = &world->hops;
  if (!aggregates(&world->options)) return true;
  if (!make_tables(h->to_worker, h->tables, scree__route_classes_of(world), world->ranks * world->threads))
    return false;
  for (uint32_t c = 0; c < h->tables; c++) fill_workers(world, c);
  return true;
}

/* True if the route has more than one class of hops here. */
static bool passes_on(const scree_world *world) {
  return scree__route_classes_of(world) > 1u + aggregates(&world->options);
}

/* Each rank is the destination of one lane of a class at most. */
bool scree__hops_open(scree_world *world) {
  const scree__route *route = passes_on(world) ? scree__route_of(world->options.route) : NULL;
  scree__hops *h = &world->hops;
  const uint32_t classes = scree__route_classes_of(world);
  if (!make_closed(world)) return false;
  if (classes == 1) return true;
  h->tables = route && route->by_arrival ? classes : 1;
  h->hop = malloc(((size_t)world->ranks + classes) * sizeof *h->hop);
  if (!h->hop || !make_tables(h->next, h->tables, classes, world->ranks)) return false;
  h->hop[0] = (scree__hop){world->rank, classes - 1};
  h->count = 1;
  if (!fill_all(world, route) || !make_workers(world)) return false;
  scree__hop *shorter = realloc(h->hop, h->count * sizeof *h->hop);
  if (shorter) h->hop = shorter;
  return true;
}

/* Without a route types to ranks are direct, although there are two classes of hops. */
uint16_t *const *scree__hops_of(const scree_world *world, uint32_t flags) {
  const scree__hops *h = &world->hops;
  if (!(flags & SCREE_ROUTED) || flags & SCREE_URGENT || scree__route_classes_of(world) == 1) return NULL;
  if (flags & SCREE_TO_WORKER) return h->to_worker[0] ? h->to_worker : NULL;
  return passes_on(world) ? h->next : NULL;
}

void scree__hops_close(scree_world *world) {
  free(world->hops.hop);
  free(world->hops.next[0]);
  free(world->hops.to_worker[0]);
  free(world->hops.closed);
}

/* The bytes of the tables above. */
uint64_t scree__hops_bytes(const scree_world *world) {
  const scree__hops *h = &world->hops;
  const uint64_t dests = world->ranks * (1 + (h->to_worker[0] ? world->threads : 0));
  const uint64_t closed = h->closed ? (uint64_t)world->ranks * world->threads * sizeof *h->closed : 0;
  return h->tables * dests * sizeof **h->next + h->count * sizeof *h->hop + closed;
}
