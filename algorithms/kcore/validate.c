/* validate.c - checks coreness by two rules, which only the right one satisfies:
 *   1 each vertex has as many neighbours of at least its coreness as that is: it is in that core
 *   2 removed in the order of their coreness, each vertex has at most that many neighbours left: it is in no higher one
 * Rule 2 is checked for all values at once: among neighbours of equal coreness the order is found by removal. */
#include "kcore/run.h"
#include "validate/arcs.h"

static void count_remaining(scree__arcs_check *c, uint64_t u, uint64_t value) {
  c->seen[u] += value >= c->value[u];
}

static void remove_equal(scree__arcs_check *c, uint64_t u, uint64_t value) {
  if (value == c->value[u] && c->seen[u]-- == c->value[u] + 1) scree__arcs_push(c, u);
}

static scree_status examine(scree__arcs_check *c, scree_verdict *verdict) {
  for (uint64_t u = 0; u < c->g->locals; u++) scree__arcs_push(c, u);
  c->take = count_remaining;
  scree_status status = scree__arcs_send(c);
  for (uint64_t u = 0; u < c->g->locals; u++) {
    if (c->seen[u] < c->value[u]) scree__arcs_fail(c, 1, u, "at most", c->seen[u]);
    if (c->seen[u] == c->value[u]) scree__arcs_push(c, u);
  }
  if (status == SCREE_OK) status = scree__failure_verdict(&c->first, c->g, verdict);
  if (status || !verdict->valid) return status;
  c->take = remove_equal;
  status = scree__arcs_send(c);
  for (uint64_t u = 0; u < c->g->locals; u++)
    if (c->seen[u] > c->value[u]) scree__arcs_fail(c, 2, u, "more than", c->value[u]);
  return status ? status : scree__failure_verdict(&c->first, c->g, verdict);
}

scree_status scree__kcore_validate(const scree_graph *g, uint64_t source, const void *options,
                                   const scree_answer *answer, scree_verdict *verdict) {
  scree__arcs_check c = {.g = g, .what = "coreness", .value = answer->array[0]};
  (void)source;
  (void)options;
  scree_status status = scree__arcs_open(&c);
  if (status) return status;
  status = examine(&c, verdict);
  scree__arcs_close(&c);
  return status;
}
