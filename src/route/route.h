/* route.h - routes: by which ranks an item of a routed type travels to its destination. Pure functions of ranks; the
 * tables that the core makes of them are in core/hops.c.
 *
 * Each hop has a class. A block waits, where it arrives, for space in the lanes of hops of a higher class (in `ring`:
 * or of the same class and nearer to the cut of the ring). So the channels, which are the pairs of a rank and a class
 * that receives there, wait for each other in no circle (Dally & Seitz, IEEE Trans. Computers C-36 (1987);
 * test/unit/unit_route.c checks all routes for it). */
#ifndef SCREE__ROUTE_H
#define SCREE__ROUTE_H
#include <stdbool.h>
#include <stdint.h>

enum {
  SCREE__HOP_CLASSES =
      20, /* at most: of `hypercube` with as many ranks as there may be, one within a rank, urgent ones */
  SCREE__ROUTED_MAX = 65536, /* ranks, or endpoints of all ranks, that an item's tag can name */
};

typedef struct {
  uint32_t rank;
  uint32_t hop_class; /* 0: of the first hops */
} scree__hop;

/* The ranks, and their nodes. The tables are only for the route `node`; others may lack them. */
typedef struct {
  uint32_t ranks, nodes;
  const uint32_t *node_of; /* by rank */
  const uint32_t *first;   /* by node, and one more: where its ranks begin in the next array */
  const uint32_t *member;  /* ranks, by node */
} scree__ranks;

typedef struct {
  const char *name;
  bool by_arrival; /* `next` depends on `arrived` */
  /* Classes of hops among these ranks, 1 to SCREE__HOP_CLASSES. Blocks of the last one, by which direct types travel,
   * have arrived: nothing in them is passed on. 1: all items travel directly. */
  uint32_t (*classes)(const scree__ranks *all);
  /* The next hop of an item that is at rank `at`, where it was sent (then `arrived` is 0) or arrived by a hop of the
   * class `arrived`, and that is for another rank. */
  scree__hop (*next)(const scree__ranks *all, uint32_t at, uint32_t arrived, uint32_t dest);
} scree__route;

extern const scree__route scree__rook, scree__hypercube, scree__dissemination, scree__node_route, scree__ring_route;

/* The route of that value of the option `route`; NULL: direct. */
const scree__route *scree__route_of(uint64_t option);
/* Classes of its hops among that many ranks on so many nodes; 1: no item is passed on. */
uint32_t scree__route_classes(uint64_t option, uint32_t ranks, uint32_t nodes);
#endif
