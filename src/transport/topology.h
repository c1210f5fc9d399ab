/* topology.h - which ranks there are and which of them share a node. Written once, while a world opens; all layers of a
 * transport point to the same one. */
#ifndef SCREE__TOPOLOGY_H
#define SCREE__TOPOLOGY_H
#include <stdint.h>

typedef struct {
  uint32_t rank, ranks;
  uint32_t node, nodes;           /* of this rank */
  uint32_t node_index, node_size; /* of this rank on its node; number of ranks there */
  const uint32_t *leaders;        /* node -> rank of its leader, the rank with index 0 */
  const uint32_t *node_ranks;     /* index on this node -> rank */
} scree__topology;
#endif
