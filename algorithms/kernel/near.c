/* near.c - values that the ranks of a node read of each other's vertices. */
#include "kernel/near.h"

uint64_t scree__near_bytes(const scree_graph *g, uint64_t locals) {
  (void)locals;
  return sizeof(unsigned) << g->local_bits;
}

/* Ranks of the node, if all hold adjacent parts of the graph; else 1. */
static uint32_t adjacent_ranks(const scree_graph *g, const scree_node_array *array) {
  const uint32_t me = scree_graph_rank(g);
  if (array->alone) return 1;
  for (uint32_t i = 0; i < array->ranks; i++)
    if (me - array->index + i >= g->vertices.ranks || array->index_of[me - array->index + i] != i) return 1;
  return array->ranks;
}

scree_status scree__near_open(const scree__run *run, scree__near *near) {
  const scree_graph *g = run->graph;
  scree_world *world = scree_world_of(run->worker);
  const bool off = scree_options_of(world)->node_arrays == SCREE_NODE_ARRAYS_OFF;
  scree_reduce most = {.min = UINT64_MAX, .max = off ? 1 : scree_node_ranks(world)};
  const scree_node_array *array = NULL;
  const uint64_t bytes = scree__near_bytes(g, g->locals);
  uint32_t index = 0, ranks = 1;
  scree_status status = scree_graphs_reduce(g->graphs, &most);
  if (status == SCREE_OK && most.max > 1) status = scree__run_share(run, most.max * bytes, &array);
  if (status) return status;
  near->own = array ? (void *)(array->at + array->index * bytes) : scree__run_alloc(run, bytes);
  if (array && (ranks = adjacent_ranks(g, array)) > 1) index = array->index;
  near->at = near->own ? near->own - ((uint64_t)index << g->local_bits) : NULL;
  near->first = (uint64_t)(scree_graph_rank(g) - index) << g->local_bits;
  near->count = (uint64_t)ranks << g->local_bits;
  return SCREE_OK;
}
