/* validate.c - checks a colouring by two rules:
 *   1 the colour of a vertex is at most the number of its arcs that are not loops: lower ones are its neighbours'
 *   2 it is proper: no neighbour has the same */
#include "colour/run.h"
#include "kernel/near.h"
#include "validate/arcs.h"

static void compare(scree__arcs_check *c, uint64_t u, uint64_t value) {
  c->seen[u] += value == c->value[u];
}

scree_status scree__colour_validate(const scree_graph *g, uint64_t source, const void *options,
                                    const scree_answer *answer, scree_verdict *verdict) {
  scree__arcs_check c = {.g = g, .what = "colour", .value = answer->array[0], .take = compare};
  (void)source;
  (void)options;
  scree_status status = scree__arcs_open(&c);
  if (status) return status;
  for (uint64_t u = 0; u < g->locals; u++) {
    const uint64_t degree = scree__degree_without_loops(g, u);
    if (c.value[u] > degree) scree__arcs_fail(&c, 1, u, "at most", degree);
    scree__arcs_push(&c, u);
  }
  status = scree__arcs_send(&c);
  for (uint64_t u = 0; u < g->locals; u++)
    if (c.seen[u]) scree__arcs_fail(&c, 2, u, "another than that of neighbours:", c.seen[u]);
  if (status == SCREE_OK) status = scree__failure_verdict(&c.first, g, verdict);
  scree__arcs_close(&c);
  return status;
}
