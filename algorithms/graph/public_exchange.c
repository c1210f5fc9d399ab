/* public_exchange.c - exchanges of records for callers outside the graph layer. */
#include "graph/consensus.h"

static void receive_record(scree_graphs *graphs, const void *data, size_t bytes, void *arg) {
  graphs->take(data, bytes, arg);
}

scree_status scree_graphs_exchange_begin(scree_graphs *graphs, scree_exchange_fn *take, void *arg) {
  if (!graphs || !take) return scree__given(graphs, false, __func__, "function");
  graphs->take = take;
  return scree__exchange_begin(graphs, (scree__receivers){.bytes = receive_record}, arg);
}

void scree_graphs_exchange_send(scree_graphs *graphs, uint32_t rank, const void *data, size_t bytes) {
  graph_bytes_send(graphs->worker, graphs->bytes, rank, data, bytes);
}

scree_status scree_graphs_exchange_end(scree_graphs *graphs) {
  if (!graphs) return SCREE_EINVAL;
  return scree__exchange_end(graphs, NULL);
}
