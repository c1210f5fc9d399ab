/* lookup.c - access to results that stay distributed: the values of requested vertices, and all values on one rank or
 * on all. Values have 8 bytes and are copied bit by bit. */
#include "graph/consensus.h"

/* ---- lookup ---- */

typedef struct {
  const uint64_t *local;
  uint64_t *out;
} lookup;

#define REPLY (-1.0) /* instead of the requesting rank */

/* A request is (local index, index in out, requesting rank); its reply is (value, index in out, REPLY). */
static void receive_lookups(scree_graphs *graphs, const scree__triple *items, uint32_t count, void *arg) {
  const lookup *l = arg;
  for (uint32_t i = 0; i < count; i++)
    if (items[i].w == REPLY)
      l->out[items[i].b] = items[i].a;
    else
      graph_triple_send(graphs->worker, graphs->triple, (uint32_t)items[i].w,
                        (scree__triple){l->local[items[i].a], items[i].b, REPLY});
}

/* One agreement, as ranks may look up nothing. */
static scree_status check_arrays(const scree_graph *g, const void *local, uint64_t count, const uint64_t *vertices,
                                 const void *out) {
  const char *call = "a lookup";
  uint64_t i = 0;
  if (g->locals && !local) return scree__missing(g, call, "values");
  if (count && (!vertices || !out)) return scree__missing(g, call, vertices ? "place for the result" : "vertices");
  while (i < count && vertices[i] < g->vertices.n) i++;
  return scree_graphs_agree(g->graphs, i < count ? SCREE_EINVAL : SCREE_OK,
                            "rank %u: entry %llu of a lookup is vertex %llu; legal: 0 to %llu", scree_graph_rank(g),
                            (unsigned long long)i, i < count ? (unsigned long long)vertices[i] : 0,
                            (unsigned long long)g->vertices.n - 1);
}

static scree_status look_up(const scree_graph *g, const void *local, uint64_t count, const uint64_t *vertices,
                            void *out) {
  if (!g) return SCREE_EINVAL;
  lookup l = {local, out};
  scree_graphs *graphs = g->graphs;
  scree_status status = check_arrays(g, local, count, vertices, out);
  if (status == SCREE_OK) status = scree__exchange_begin(graphs, (scree__receivers){.triples = receive_lookups}, &l);
  if (status) return status;
  for (uint64_t i = 0; i < count; i++) {
    scree_location location = scree_graph_location(g, vertices[i]);
    graph_triple_send(graphs->worker, graphs->triple, scree_location_owner(location),
                      (scree__triple){scree_location_local(location), i, scree_graph_rank(g)});
  }
  return scree__exchange_end(graphs, NULL);
}

scree_status scree_graph_lookup_double(const scree_graph *g, const double *local, uint64_t count,
                                       const uint64_t *vertices, double *out) {
  return look_up(g, local, count, vertices, out);
}
scree_status scree_graph_lookup_int64(const scree_graph *g, const int64_t *local, uint64_t count,
                                      const uint64_t *vertices, int64_t *out) {
  return look_up(g, local, count, vertices, out);
}
scree_status scree_graph_lookup_uint64(const scree_graph *g, const uint64_t *local, uint64_t count,
                                       const uint64_t *vertices, uint64_t *out) {
  return look_up(g, local, count, vertices, out);
}

/* ---- gather ---- */

static void receive_values(scree_graphs *graphs, const scree__triple *items, uint32_t count, void *all) {
  (void)graphs;
  for (uint32_t i = 0; i < count; i++) ((uint64_t *)all)[items[i].a] = items[i].b;
}

static scree_status check_gather(const scree_graph *g, uint32_t to, const void *all) {
  bool known = to == SCREE_ALL || to < g->vertices.ranks, takes = to == SCREE_ALL || to == scree_graph_rank(g);
  if (!known)
    return scree_graphs_agree(g->graphs, SCREE_EINVAL, "a gather goes to rank %u; legal: 0 to %u, or SCREE_ALL", to,
                              g->vertices.ranks - 1);
  return scree_graphs_agree(g->graphs, takes && !all ? SCREE_EINVAL : SCREE_OK,
                            "rank %u: a gather has no array to go to; give one of %llu values", scree_graph_rank(g),
                            (unsigned long long)g->vertices.n);
}

static scree_status gather(const scree_graph *g, const void *local, uint32_t to, void *all) {
  if (!g) return SCREE_EINVAL;
  scree_graphs *graphs = g->graphs;
  scree_status status = scree__given(graphs, local || !g->locals, "a gather", "values");
  if (status == SCREE_OK) status = check_gather(g, to, all);
  if (status == SCREE_OK) status = scree__exchange_begin(graphs, (scree__receivers){.triples = receive_values}, all);
  if (status) return status;
  for (uint64_t u = 0; u < g->locals; u++) {
    scree_location location = scree_location_make(scree_graph_rank(g), u);
    const scree__triple item = {scree_graph_vertex(g, location), ((const uint64_t *)local)[u], 0};
    if (to == SCREE_ALL)
      graph_triple_send_all(graphs->worker, graphs->triple, item);
    else
      graph_triple_send(graphs->worker, graphs->triple, to, item);
  }
  return scree__exchange_end(graphs, NULL);
}

scree_status scree_graph_gather_double(const scree_graph *g, const double *local, uint32_t to, double *all) {
  return gather(g, local, to, all);
}
scree_status scree_graph_gather_int64(const scree_graph *g, const int64_t *local, uint32_t to, int64_t *all) {
  return gather(g, local, to, all);
}
scree_status scree_graph_gather_uint64(const scree_graph *g, const uint64_t *local, uint32_t to, uint64_t *all) {
  return gather(g, local, to, all);
}
