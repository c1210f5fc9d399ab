/* queries.c - properties of a finished graph: balance, edges traversed, a random source. */
#include <math.h>

#include "graph/consensus.h"
#include "graph/structure.h"

scree_status scree_graph_balance(const scree_graph *g, scree_balance *balance) {
  if (!g || !balance) return scree__missing(g, __func__, "place for the balance");
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

static bool is_reached(const double *dist, const int64_t *level, uint64_t u) {
  return level ? level[u] >= 0 : dist[u] < INFINITY;
}

/* Counts those of local u in an undirected graph, where a self loop is one arc and other edges are two. */
static uint64_t count_loops(const scree_graph *g, uint64_t u) {
  const uint64_t self = scree_graph_pack(g, scree_location_make(scree_graph_rank(g), u)), end = g->offsets[u + 1];
  const scree__head32 *heads = g->targets;
  uint64_t loops = 0;
  for (uint64_t e = g->offsets[u]; g->wide && e < end; e++) loops += scree_graph_packed_target(g, e) == self;
  for (uint64_t e = g->offsets[u]; !g->wide && e < end; e++) loops += heads[e] == (uint32_t)self;
  return loops;
}

/* Self loops of the reached vertices, which have so many arcs. Their total number is known, so only the rows of the
 * reached or those of the other vertices are read, whichever have fewer arcs: where nearly all are reached, few
 * rows. */
static scree_status reached_loops(const scree_graph *g, const double *dist, const int64_t *level, uint64_t arcs,
                                  uint64_t *loops) {
  const uint64_t all = 2 * g->edges - g->arcs;
  const bool reached = 2 * arcs < g->arcs;
  scree_reduce r = {.min = UINT64_MAX};
  *loops = all;
  if (all == 0 || arcs == g->arcs) return SCREE_OK;
  for (uint64_t u = 0; u < g->locals; u++)
    if (is_reached(dist, level, u) == reached) r.sum[0] += count_loops(g, u);
  scree_status status = scree_graphs_reduce(g->graphs, &r);
  *loops = reached ? r.sum[0] : all - r.sum[0];
  return status;
}

scree_status scree_graph_traversed(const scree_graph *g, const double *dist, const int64_t *level, uint64_t *vertices,
                                   uint64_t *edges) {
  if (!g || !vertices || !edges)
    return scree__missing(g, __func__, vertices ? "place for the edges" : "place for the vertices");
  const scree_status given = scree__given(g->graphs, dist || level || !g->locals, __func__, "distances or levels");
  if (given) return given;
  scree_reduce r = {.min = UINT64_MAX};
  uint64_t loops = 0;
  for (uint64_t u = 0; u < g->locals; u++)
    if (is_reached(dist, level, u)) {
      r.sum[0]++;
      r.sum[1] += scree_graph_degree(g, u);
    }
  scree_status status = scree_graphs_reduce(g->graphs, &r);
  if (!status && !g->directed) status = reached_loops(g, dist, level, r.sum[1], &loops);
  if (status) return status;
  *vertices = r.sum[0];
  *edges = g->directed ? r.sum[1] : (r.sum[1] + loops) / 2;
  return SCREE_OK;
}

/* The draws: the vertex whose label has the index scree_bijection_apply(order, i) is the i-th. */
typedef struct {
  const scree_graph *g;
  const uint32_t *by_label; /* of scree_graph_by_label */
  scree_bijection order;
} draws;

/* The local vertex of the i-th draw, if it is here and has an arc; UINT64_MAX: no. */
static uint64_t drawn(const draws *d, uint64_t i) {
  const scree_graph *g = d->g;
  const uint64_t index = scree_bijection_apply(&d->order, i);
  uint64_t u;
  if (d->by_label) {
    const uint64_t at = scree__label_search(g, d->by_label, index);
    if (at == g->locals || g->label_index[d->by_label[at]] != index) return UINT64_MAX;
    u = d->by_label[at];
  } else {
    const scree_location p = scree_graph_location(g, index);
    if (scree_location_owner(p) != scree_graph_rank(g)) return UINT64_MAX;
    u = scree_location_local(p);
  }
  return scree_graph_degree(g, u) ? u : UINT64_MAX;
}

/* The first of the draws from .. to-1 that is here and has an arc. */
static uint64_t first_with_arc(const draws *d, uint64_t from, uint64_t to) {
  for (uint64_t i = from; i < to; i++)
    if (drawn(d, i) != UINT64_MAX) return i;
  return UINT64_MAX;
}

/* All ranks learn the vertex of a draw that one of them has. */
static scree_status share_draw(const draws *d, uint64_t i, uint64_t *v) {
  const uint64_t u = drawn(d, i);
  scree_reduce r = {.min = UINT64_MAX};
  if (u != UINT64_MAX) r.min = scree_graph_vertex(d->g, scree_location_make(scree_graph_rank(d->g), u));
  scree_status status = scree_graphs_reduce(d->g->graphs, &r);
  *v = r.min;
  return status;
}

scree_status scree_graph_random_source(const scree_graph *g, uint64_t seed, uint64_t *v) {
  if (!g || !v) return scree__missing(g, __func__, "place for the vertex");
  draws d = {.g = g};
  scree_bijection_init(&d.order, g->vertices.n, seed);
  scree_status status = scree_graph_by_label(g, &d.by_label);
  for (uint64_t from = 0, many = 64; !status && from < g->vertices.n; from += many, many *= 2) {
    uint64_t to = g->vertices.n - from < many ? g->vertices.n : from + many;
    scree_reduce r = {.min = first_with_arc(&d, from, to)};
    status = scree_graphs_reduce(g->graphs, &r);
    if (status) return status;
    if (r.min == UINT64_MAX) continue;
    if (d.by_label) return share_draw(&d, r.min, v);
    *v = scree_bijection_apply(&d.order, r.min);
    return SCREE_OK;
  }
  return status ? status
                : scree__consensus(g->graphs, scree__why(g->graphs, SCREE_EINVAL,
                                                         "no vertex has an edge that leaves it; expected one to "
                                                         "start from"));
}
