/* exchange.c - epochs of the graph layer. */
#include "graph/exchange.h"

#include <stdio.h>

static scree_status world_failed(scree_graphs *graphs, scree_status status) {
  if (status) snprintf(graphs->text, sizeof graphs->text, "%s", scree_error_text(graphs->world));
  if (status && !*graphs->text) snprintf(graphs->text, sizeof graphs->text, "%s", scree_status_text(status));
  return status;
}

scree_status scree__exchange_begin(scree_graphs *graphs, scree__receivers receivers, void *arg) {
  graphs->receivers = receivers;
  graphs->arg = graphs->bytes_arg = arg;
  graphs->left = false;
  return world_failed(graphs, scree_begin(graphs->worker));
}

scree_status scree__exchange_end(scree_graphs *graphs, scree_reduce *inout) {
  return world_failed(graphs, graphs->left ? scree_error(graphs->world) : scree_end(graphs->worker, inout));
}

bool scree__exchange_poll(scree_graphs *graphs) {
  graphs->left = scree_test(graphs->worker, false, NULL);
  return !graphs->left;
}

void scree__exchange_bytes(scree_graphs *graphs,
                           void (*bytes)(scree_graphs *graphs, const void *data, size_t bytes, void *arg), void *arg) {
  graphs->receivers.bytes = bytes;
  graphs->bytes_arg = arg;
}

scree_status scree_graphs_reduce(scree_graphs *graphs, scree_reduce *inout) {
  if (!graphs) return SCREE_EINVAL;
  scree_status status = scree__exchange_begin(graphs, (scree__receivers){0}, NULL);
  return status ? status : scree__exchange_end(graphs, inout);
}

static void add_number(scree_graphs *graphs, const void *data, size_t bytes, void *arg) {
  (void)graphs;
  (void)bytes;
  *(uint64_t *)arg += *(const uint64_t *)data;
}

scree_status scree__prefix_sum(scree_graphs *graphs, uint64_t mine, uint64_t *before) {
  *before = 0;
  scree_status status = scree__exchange_begin(graphs, (scree__receivers){.bytes = add_number}, before);
  if (status) return status;
  for (uint32_t i = graphs->worker->rank + 1; i < graphs->worker->ranks; i++)
    graph_bytes_send(graphs->worker, graphs->bytes, i, &mine, sizeof mine);
  return scree__exchange_end(graphs, NULL);
}
