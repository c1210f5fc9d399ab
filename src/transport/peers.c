/* peers.c - the tables of ranks, endpoints and nodes. */
#include "transport/peers.h"

#include <stdlib.h>

bool scree__peers_allocate(scree__peers *p, uint32_t ranks, uint32_t threads) {
  const size_t endpoints = (size_t)ranks * threads;
  p->threads = threads;
  p->topology = calloc(threads, sizeof *p->topology);
  p->leaders = calloc(ranks, sizeof *p->leaders);
  p->node_endpoints = calloc(endpoints, sizeof *p->node_endpoints);
  p->node_of = calloc(ranks, sizeof *p->node_of);
  p->index_on_node = calloc(endpoints, sizeof *p->index_on_node);
  return p->topology && p->leaders && p->node_endpoints && p->node_of && p->index_on_node;
}

void scree__peers_free(scree__peers *p) {
  free(p->topology);
  free(p->leaders);
  free(p->node_endpoints);
  free(p->node_of);
  free(p->index_on_node);
}

static void map_endpoints(scree__peers *p, uint32_t rank, const scree__location *at, bool here) {
  for (uint32_t w = 0; w < p->threads; w++) {
    uint32_t endpoint = rank * p->threads + w, index = at->index * p->threads + w;
    p->index_on_node[endpoint] = here ? index : UINT32_MAX;
    SCREE__INVARIANT(!here || (at->index < p->size && rank < p->all->ranks));
    if (here) p->node_endpoints[index] = endpoint;
  }
}

void scree__peers_locate(scree__peers *p, const scree__location *all, scree__location mine) {
  uint32_t nodes = 0, node = 0, rank = p->all->rank, ranks = p->all->ranks;
  for (uint32_t r = 0; r < ranks; r++) {
    map_endpoints(p, r, &all[r], all[r].leader == mine.leader);
    if (all[r].leader == r) {
      if (r == mine.leader) node = nodes;
      p->node_of[r] = nodes;
      p->leaders[nodes++] = r * p->threads;
    }
    p->node_of[r] = p->node_of[all[r].leader];
  }
  for (uint32_t w = 0; w < p->threads; w++)
    p->topology[w] = (scree__topology){.endpoint = rank * p->threads + w,
                                       .endpoints = ranks * p->threads,
                                       .threads = p->threads,
                                       .node = node,
                                       .nodes = nodes,
                                       .node_index = p->index * p->threads + w,
                                       .node_size = p->size * p->threads,
                                       .local_rank = p->local_rank,
                                       .local_ranks = p->local_ranks,
                                       .core_share = p->core_share,
                                       .leaders = p->leaders,
                                       .node_endpoints = p->node_endpoints,
                                       .node_of = p->node_of};
}
