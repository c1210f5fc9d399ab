/* validate.c - checks an independent set by three rules:
 *   1 each vertex is in it (1) or not (0)
 *   2 it is independent: no neighbour of a vertex in it is in it
 *   3 it is maximal: each other vertex has a neighbour in it */
#include "mis/run.h"
#include "validate/arcs.h"

static void count_members(scree__arcs_check *c, uint64_t u, uint64_t value) {
  c->seen[u] += value;
}

scree_status scree__mis_validate(const scree_graph *g, uint64_t source, const void *options, const scree_answer *answer,
                                 scree_verdict *verdict) {
  scree__arcs_check c = {.g = g, .what = "member", .value = answer->array[0], .take = count_members};
  (void)source;
  (void)options;
  scree_status status = scree__arcs_open(&c);
  if (status) return status;
  for (uint64_t u = 0; u < g->locals; u++) {
    if (c.value[u] > 1) scree__arcs_fail(&c, 1, u, "at most", 1);
    scree__arcs_push(&c, u);
  }
  status = scree__arcs_send(&c);
  for (uint64_t u = 0; u < g->locals; u++) {
    if (c.value[u] && c.seen[u]) scree__arcs_fail(&c, 2, u, "beside members", 0);
    if (!c.value[u] && !c.seen[u]) scree__arcs_fail(&c, 3, u, "without a neighbour that is one", 1);
  }
  if (status == SCREE_OK) status = scree__failure_verdict(&c.first, g, verdict);
  scree__arcs_close(&c);
  return status;
}
