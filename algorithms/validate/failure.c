/* failure.c - the first failure of all ranks. */
#include "validate/failure.h"

scree_status scree__failure_verdict(const scree__failure *f, const scree_graph *g, scree_verdict *verdict) {
  scree__failure first;
  const scree_status status = scree_graphs_agree_verdict(g->graphs, f->key, f->text, &first.key, verdict);
  if (status || verdict->valid) return status;
  verdict->rule = scree__failure_rule(&first);
  const uint64_t vertex = first.key ^ (uint64_t)verdict->rule << 56;
  return scree_graph_labels(g, 1, &vertex, &verdict->label);
}
