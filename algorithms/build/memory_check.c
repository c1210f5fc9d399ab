/* memory_check.c - the memory that is free on the node, shared by its ranks. */
#include "build/memory_check.h"

#include <inttypes.h>

#include "base/bytes.h"
#include "base/host.h"
#include "base/huge.h"
#include "graph/consensus.h"

scree_status scree__memory_check(scree_graphs *graphs, uint64_t bytes, const char *what) {
  uint32_t ranks = scree_node_ranks(graphs->world);
  uint64_t left = graphs->memory_left ? graphs->memory_left : scree__memory_left("");
  if (bytes <= left / ranks) return SCREE_OK;
  scree__account_drop(graphs->account);
  if (!graphs->memory_left) left = scree__memory_left("");
  if (bytes <= left / ranks) return SCREE_OK;
  return scree__why(graphs, SCREE_ENOMEM,
                    "rank %u: %s needs %s more on each of the %" PRIu32
                    " ranks of this node, which has %s left in total: use more nodes, a smaller graph, or drop what "
                    "the run does not need (weights)",
                    (unsigned)graphs->worker->rank, what, scree__bytes_format((double)bytes).text, ranks,
                    scree__bytes_format((double)left).text);
}
