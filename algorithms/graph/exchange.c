/* exchange.c - epochs of plain records, and the verdict of a validator, for callers outside the graph layer. */
#include "graph/internal.h"

static void take_record(scree_graphs *graphs, const void *data, size_t bytes, void *arg) {
  (void)arg;
  graphs->exchange(data, bytes, graphs->exchange_arg);
}

scree_status scree_graphs_exchange_begin(scree_graphs *graphs, scree_exchange_fn *take, void *arg) {
  graphs->exchange = take;
  graphs->exchange_arg = arg;
  return scree__phase_begin(graphs, NULL, take_record, NULL);
}

void scree_graphs_exchange_send(scree_graphs *graphs, uint32_t rank, const void *data, size_t bytes) {
  graph_bytes_send(graphs->worker, graphs->bytes, rank, data, bytes);
}

scree_status scree_graphs_exchange_end(scree_graphs *graphs) {
  return scree__phase_end(graphs, NULL);
}

scree_status scree_graphs_agree_verdict(scree_graphs *graphs, uint64_t key, const char *text, uint64_t *min,
                                        scree_verdict *verdict) {
  return scree__elect_verdict(graphs, key, text, min, verdict);
}
