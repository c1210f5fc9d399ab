/* queries.c - properties of a finished graph: labels, balance, edges traversed, a random source. */
#include <math.h>

#include "graph/consensus.h"
#include "graph/structure.h"

uint64_t scree_graph_find(const scree_graph *g, uint64_t label) {
  uint64_t n = g->vertices.n, low = 0, high = n;
  if (!g->labels) return label >= g->label_base && label - g->label_base < n ? label - g->label_base : SCREE_NO_VERTEX;
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    if (g->labels[scree_graph_nth_vertex(g, middle)] < label)
      low = middle + 1;
    else
      high = middle;
  }
  return low < n && g->labels[scree_graph_nth_vertex(g, low)] == label ? scree_graph_nth_vertex(g, low)
                                                                       : SCREE_NO_VERTEX;
}

scree_status scree_graph_balance(const scree_graph *g, scree_balance *balance) {
  double ranks = g->vertices.ranks;
  scree_reduce r = {.max = g->offsets[g->locals], .min = UINT64_MAX};
  scree_status status = scree_graphs_reduce(g->graphs, &r);
  if (status) return status;
  balance->vertices = (double)scree_distribution_count(&g->vertices, 0) * ranks / (double)g->vertices.n;
  balance->arcs = g->arcs ? (double)r.max * ranks / (double)g->arcs : 1;
  return SCREE_OK;
}

scree_status scree__graph_hubs(const scree_graph *g, double times, uint64_t *vertices, uint64_t *arcs) {
  scree_reduce r = {.min = UINT64_MAX};
  const double many = times * (double)g->arcs / (double)g->vertices.n;
  for (uint64_t u = 0; u < g->locals; u++) {
    const uint64_t degree = scree_graph_degree(g, u);
    if ((double)degree <= many) continue;
    r.sum[0]++;
    r.sum[1] += degree;
  }
  scree_status status = scree_graphs_reduce(g->graphs, &r);
  *vertices = r.sum[0];
  *arcs = r.sum[1];
  return status;
}

/* Twice the edges of local u that are counted at u: an undirected edge counts half at each end. */
static uint64_t halves(const scree_graph *g, uint64_t u) {
  uint64_t degree = scree_graph_degree(g, u), loops = 0;
  if (g->directed) return 2 * degree;
  scree_location self = scree_location_make(scree_graph_rank(g), u);
  for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) loops += scree_graph_target(g, e) == self;
  return degree + loops;
}

scree_status scree_graph_traversed(const scree_graph *g, const double *dist, const int64_t *level, uint64_t *vertices,
                                   uint64_t *edges) {
  scree_reduce r = {.min = UINT64_MAX};
  for (uint64_t u = 0; u < g->locals; u++)
    if (level ? level[u] >= 0 : dist[u] < INFINITY) {
      r.sum[0]++;
      r.sum[1] += halves(g, u);
    }
  scree_status status = scree_graphs_reduce(g->graphs, &r);
  if (status) return status;
  *vertices = r.sum[0];
  *edges = r.sum[1] / 2;
  return SCREE_OK;
}

/* The first of order[from .. to-1], as `order` permutes them, that is here and has an arc. */
static uint64_t first_with_arc(const scree_graph *g, const scree_bijection *order, uint64_t from, uint64_t to) {
  for (uint64_t i = from; i < to; i++) {
    scree_location p = scree_graph_location(g, scree_graph_nth_vertex(g, scree_bijection_apply(order, i)));
    if (scree_location_owner(p) == scree_graph_rank(g) && scree_graph_degree(g, scree_location_local(p))) return i;
  }
  return UINT64_MAX;
}

scree_status scree_graph_random_source(const scree_graph *g, uint64_t seed, uint64_t *v) {
  scree_bijection order;
  scree_bijection_init(&order, g->vertices.n, seed);
  for (uint64_t from = 0, many = 64; from < g->vertices.n; from += many, many *= 2) {
    uint64_t to = g->vertices.n - from < many ? g->vertices.n : from + many;
    scree_reduce r = {.min = first_with_arc(g, &order, from, to)};
    scree_status status = scree_graphs_reduce(g->graphs, &r);
    if (status) return status;
    if (r.min == UINT64_MAX) continue;
    *v = scree_graph_nth_vertex(g, scree_bijection_apply(&order, r.min));
    return SCREE_OK;
  }
  return scree__consensus(g->graphs, scree__why(g->graphs, SCREE_EINVAL,
                                                "no vertex has an edge that leaves it; expected one to start from"));
}
