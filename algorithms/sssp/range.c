/* range.c - distances that a double does not hold. Sums of integers are rounded from 2^53 on. A sum beyond the largest
 * double is infinite, as if there were no path. */
#include "sssp/range.h"

#include <float.h>
#include <math.h>

#include "graph/exchange.h"
#include "sssp/relax.h"

static uint64_t label_of(const scree_graph *graph, uint64_t u) {
  return scree_graph_label(graph, scree_distribution_global(&graph->vertices, scree_graph_rank(graph), u));
}

/* Sums of integers are doubles: exact below 2^53, which 2^53 + 1 is rounded to. */
static scree_status check_exact(const scree__run *run) {
  const scree_graph *graph = run->graph;
  const double limit = 9007199254740992.0;
  uint64_t bad = UINT64_MAX;
  for (uint64_t u = 0; u < graph->locals; u++)
    if (scree__distance(run)[u] >= limit && scree__distance(run)[u] < INFINITY) bad = u;
  if (bad == UINT64_MAX) return scree_graphs_agree(graph->graphs, SCREE_OK, " ");
  return scree_graphs_agree(graph->graphs, SCREE_EINVAL,
                            "the distance of vertex %llu is %.17g; sums of integer weights are exact below 2^53 = "
                            "%.17g only; use smaller weights, or decimals if rounded distances are sufficient",
                            (unsigned long long)label_of(graph, bad), scree__distance(run)[bad], limit);
}

typedef struct {
  const scree__run *run;
  uint64_t bad; /* the smallest local vertex to which only paths of infinite length lead; or UINT64_MAX */
} overflow;

static void receive(scree_graphs *graphs, const scree__triple *items, uint32_t count, void *arg) {
  (void)graphs;
  overflow *o = arg;
  for (uint32_t i = 0; i < count; i++)
    if (scree__distance(o->run)[items[i].a] == INFINITY && items[i].a < o->bad) o->bad = items[i].a;
}

/* Tells the head of each arc of local vertex u that its sum is infinite, if it is. */
static void send(const scree__run *run, uint64_t u) {
  const scree_graph *g = run->graph;
  const double d = scree__distance(run)[u];
  for (uint64_t e = g->offsets[u]; d < INFINITY && e < g->offsets[u + 1]; e++) {
    const scree_location head = scree_graph_target(g, e);
    if (d + scree_graph_weight(g, e) < INFINITY) continue;
    graph_triple_send(g->graphs->worker, g->graphs->triple, scree_location_owner(head),
                      (scree__triple){.a = scree_location_local(head)});
  }
}

static scree_status check_finite(const scree__run *run) {
  const scree_graph *graph = run->graph;
  overflow o = {run, UINT64_MAX};
  scree_status status = scree__exchange_begin(graph->graphs, (scree__receivers){.triples = receive}, &o);
  if (status) return status;
  for (uint64_t u = 0; u < graph->locals; u++) send(run, u);
  status = scree__exchange_end(graph->graphs, NULL);
  if (status) return status;
  if (o.bad == UINT64_MAX) return scree_graphs_agree(graph->graphs, SCREE_OK, " ");
  return scree_graphs_agree(graph->graphs, SCREE_EINVAL,
                            "the distance of vertex %llu exceeds the largest double, %.17g, though there is a path to "
                            "it; use smaller weights",
                            (unsigned long long)label_of(graph, o.bad), DBL_MAX);
}

scree_status scree__sssp_check_range(const scree__run *run) {
  const scree_graph *graph = run->graph;
  const double max = graph->weight_max * (double)(graph->vertices.n - 1);
  if (graph->weight != SCREE_WEIGHT_FLOAT && graph->weight != SCREE_WEIGHT_DOUBLE) return check_exact(run);
  return max <= DBL_MAX / 2 ? SCREE_OK : check_finite(run); /* half: for the rounding of the sums */
}
