/* topology.h - the endpoints, and which of them share a node. An endpoint is one thread that sends and
 * receives: worker w of rank r is endpoint r * threads + w, and its progress thread, if there is one, the last of the
 * rank's. Written once, while a world opens; all layers of a
 * transport point to the same one. */
#ifndef SCREE__TOPOLOGY_H
#define SCREE__TOPOLOGY_H
#include <scree/scree.h>
#include <stdint.h>

#include "thread/thread.h"

enum { SCREE__ENDPOINTS_MAX = SCREE_THREADS_MAX + 1 }; /* of a rank */

typedef struct {
  uint32_t endpoint, endpoints;   /* this one; those of all ranks */
  uint32_t threads;               /* endpoints of each rank */
  uint32_t node, nodes;           /* of this endpoint */
  uint32_t node_index, node_size; /* of this endpoint on its node; number of endpoints there */
  uint32_t local_rank;            /* of this endpoint's rank among the `local_ranks` with which it shares memory and */
  uint32_t local_ranks;           /* cores, also where the transport makes each of them a node */
  scree__core_share core_share;   /* of that rank, where the option pin is on */
  const uint32_t *leaders;        /* node -> endpoint of its leader, the one with index 0 */
  const uint32_t *node_endpoints; /* index on this node -> endpoint */
  const uint32_t *node_of;        /* rank -> node */
} scree__topology;

static inline uint32_t scree__topology_rank(const scree__topology *t) {
  return t->endpoint / t->threads;
}
static inline uint32_t scree__topology_ranks(const scree__topology *t) {
  return t->endpoints / t->threads;
}
static inline uint32_t scree__topology_worker(const scree__topology *t) {
  return t->endpoint % t->threads;
}
#endif
