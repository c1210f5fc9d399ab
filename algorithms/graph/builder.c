/* builder.c - a distributed graph from edges that arrive in any order, on any rank.
 *
 * Room: the epoch that carries arcs to the owner of their tail, and the rows that are made of them at its end. Each
 * rank holds its arcs twice, for a moment, at the end: 24 bytes an arc and the rows. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

struct scree_graph_builder {
  scree_graphs *graphs;
  scree_graph *graph;  /* in the making */
  scree__triple *arcs; /* local tail, place of the head, weight */
  uint64_t count, room;
  uint64_t edges;        /* added on this rank */
  double weight_max;     /* of those */
  scree_status bad;      /* of the first edge refused on this rank; its text is graphs->why */
  bool narrow, decimals; /* see scree__builder_narrow */
};

static bool make_room(scree_graph_builder *b, uint32_t count) {
  if (b->count + count <= b->room) return true;
  uint64_t room = 2 * b->room > b->count + count ? 2 * b->room : b->count + count + 256;
  scree__triple *arcs = realloc(b->arcs, room * sizeof *arcs);
  if (!arcs) return false;
  b->arcs = arcs;
  b->room = room;
  return true;
}

static void take_arcs(scree_graphs *graphs, const scree__triple *items, uint32_t count, void *arg) {
  scree_graph_builder *b = arg;
  if (!make_room(b, count)) {
    scree_fail(graphs->worker, SCREE_ENOMEM,
               "out of memory for the arcs of a graph: use more ranks or a smaller graph");
    return;
  }
  memcpy(b->arcs + b->count, items, count * sizeof *items);
  b->count += count;
}

static void discard(scree_graph_builder *b) {
  scree_graph_free(b->graph);
  free(b->arcs);
  b->graphs->builder = NULL;
  free(b);
}

static scree_status check_shape(scree_graphs *graphs, const scree_graph_shape *shape) {
  if (graphs->builder)
    return scree__why(graphs, SCREE_ESTATE, "a builder is open: finish it before the next one begins");
  if (shape->n < 1 || shape->n > SCREE_VERTICES_MAX)
    return scree__why(graphs, SCREE_EINVAL, "a graph of %" PRIu64 " vertices; expected 1 .. %" PRIu64, shape->n,
                      SCREE_VERTICES_MAX);
  return SCREE_OK;
}

/* Rank 0 has the most vertices. */
static void choose_width(scree_graph *g, bool wide) {
  uint64_t most = scree_distribution_count(&g->vertices, 0);
  while (UINT64_C(1) << g->local_bits < most) g->local_bits++;
  g->wide = wide || scree_graph_slots(g) > (UINT64_C(1) << 32);
}

static scree_status make(scree_graphs *graphs, const scree_graph_shape *shape, scree_graph_builder **out) {
  scree_status status = check_shape(graphs, shape);
  if (status) return status;
  scree_graph_builder *b = calloc(1, sizeof *b);
  scree_graph *g = calloc(1, sizeof *g);
  if (!b || !g) {
    free(b);
    free(g);
    return scree__no_memory(graphs, sizeof *b + sizeof *g);
  }
  g->graphs = graphs;
  g->weight = shape->weight;
  g->directed = shape->directed;
  scree_distribution_init(&g->vertices, shape->distribution, shape->n, scree_ranks(graphs->worker));
  choose_width(g, shape->wide);
  g->locals = scree_distribution_count(&g->vertices, scree_rank(graphs->worker));
  b->graphs = graphs;
  b->graph = g;
  *out = b;
  return SCREE_OK;
}

scree_status scree_graph_builder_begin(scree_graphs *graphs, const scree_graph_shape *shape,
                                       scree_graph_builder **builder) {
  if (graphs->builder) { /* its epoch is open, so there is no agreeing; on all ranks alike */
    check_shape(graphs, shape);
    memcpy(graphs->text, graphs->why, sizeof graphs->text);
    return SCREE_ESTATE;
  }
  scree_graph_builder *b = NULL;
  scree_status status = scree__agree(graphs, make(graphs, shape, &b));
  if (!status) status = scree__phase_begin(graphs, take_arcs, NULL, b);
  if (status) {
    if (b) discard(b);
    return status;
  }
  *builder = graphs->builder = b;
  return SCREE_OK;
}

void scree__builder_narrow(scree_graph_builder *builder) {
  builder->narrow = true;
}

void scree__builder_decimals(scree_graph_builder *builder) {
  builder->decimals = true;
}

static bool legal_weight(const scree_graph *g, double w) {
  if (g->weight == SCREE_WEIGHT_NONE) return true;
  if (g->weight == SCREE_WEIGHT_FLOAT && (double)(float)w != w) return false;
  if (g->weight == SCREE_WEIGHT_UINT32 && (!(w >= 0 && w <= UINT32_MAX) || w != (double)(uint32_t)w)) return false;
  return w >= 0 && isfinite(w);
}

static void refuse(scree_graph_builder *b, uint64_t u, uint64_t v, double w) {
  static const char *const expected[] = {"", "an integer of 0 .. 4294967295", "a float of 0 or more",
                                         "a finite number of 0 or more"};
  if (b->bad) return;
  const scree_graph *g = b->graph;
  if (u >= g->vertices.n || v >= g->vertices.n)
    b->bad = scree__why(b->graphs, SCREE_EINVAL,
                        "edge %" PRIu64 " - %" PRIu64 ": a vertex is out of range; expected 0 .. %" PRIu64, u, v,
                        g->vertices.n - 1);
  else
    b->bad = scree__why(b->graphs, SCREE_EINVAL, "edge %" PRIu64 " - %" PRIu64 ": found weight %.17g, expected %s", u,
                        v, w, expected[g->weight]);
}

void scree_graph_builder_add(scree_graph_builder *b, uint64_t u, uint64_t v, double weight) {
  const scree_graph *g = b->graph;
  if (u >= g->vertices.n || v >= g->vertices.n || !legal_weight(g, weight)) {
    refuse(b, u, v, weight);
    return;
  }
  scree_graphs *graphs = b->graphs;
  scree_place pu = scree_graph_place(g, u), pv = scree_graph_place(g, v);
  b->edges++;
  if (weight > b->weight_max) b->weight_max = weight;
  graph_triple_send(graphs->worker, graphs->triple, scree_place_owner(pu),
                    (scree__triple){scree_place_local(pu), pv, weight});
  if (!g->directed && u != v)
    graph_triple_send(graphs->worker, graphs->triple, scree_place_owner(pv),
                      (scree__triple){scree_place_local(pv), pu, weight});
}

/* ---- rows ---------------------------------------------------------------------------------------------------------
 */

static void store_weight(void *weights, scree_weight_kind kind, uint64_t at, double w) {
  switch (kind) {
  case SCREE_WEIGHT_UINT32:
    ((uint32_t *)weights)[at] = (uint32_t)w;
    break;
  case SCREE_WEIGHT_FLOAT:
    ((float *)weights)[at] = (float)w;
    break;
  case SCREE_WEIGHT_DOUBLE:
    ((double *)weights)[at] = w;
    break;
  case SCREE_WEIGHT_NONE:
    break;
  }
}

/* Counting sort of the arcs by tail. offsets[u + 1] is the place of u's next arc while they are dealt out. */
static scree_status make_rows(scree_graph_builder *b) {
  static const size_t bytes[] = {0, sizeof(uint32_t), sizeof(float), sizeof(double)};
  scree_graph *g = b->graph;
  uint64_t *offsets = scree__graph_array(b->graphs, (g->locals + 2) * sizeof *offsets);
  const size_t head = g->wide ? sizeof(uint64_t) : sizeof(uint32_t);
  void *targets = scree__graph_array(b->graphs, (b->count + 1) * head);
  void *weights = g->weight ? scree__graph_array(b->graphs, (b->count + 1) * bytes[g->weight]) : NULL;
  g->offsets = offsets;
  g->targets = targets;
  g->weights = weights;
  if (!offsets || !targets || (g->weight && !weights))
    return scree__no_memory(b->graphs, b->count * (head + bytes[g->weight]));
  for (uint64_t i = 0; i < b->count; i++) offsets[b->arcs[i].a + 2]++;
  for (uint64_t u = 1; u <= g->locals; u++) offsets[u + 1] += offsets[u];
  for (uint64_t i = 0; i < b->count; i++) {
    const scree__triple *arc = &b->arcs[i];
    uint64_t at = offsets[arc->a + 1]++;
    if (g->wide)
      ((uint64_t *)targets)[at] = scree_graph_pack(g, arc->b);
    else
      ((uint32_t *)targets)[at] = (uint32_t)scree_graph_pack(g, arc->b);
    store_weight(weights, g->weight, at, arc->w);
  }
  return SCREE_OK;
}

/* The sums over ranks: edges, arcs, largest weight (bits of a double that is not negative sort like it), kind. */
static scree_status sum_up(scree_graph_builder *b) {
  scree_graph *g = b->graph;
  scree_reduce r = {.sum = {b->edges, b->decimals}, .min = UINT64_MAX};
  memcpy(&r.max, &b->weight_max, sizeof r.max);
  scree_status status = scree__phase_end(b->graphs, &r); /* the arcs are here */
  if (status) return status;
  g->edges = r.sum[0];
  memcpy(&g->weight_max, &r.max, sizeof r.max);
  if (!g->weight) g->weight_max = 1;
  if (b->narrow && !r.sum[1] && g->weight) g->weight = SCREE_WEIGHT_UINT32;
  return scree__agree(b->graphs, b->bad ? b->bad : make_rows(b));
}

scree_status scree_graph_builder_finish(scree_graph_builder *b, scree_graph **graph) {
  scree_status status = sum_up(b);
  scree_reduce r = {.sum = {b->count}};
  if (!status) status = scree_graphs_reduce(b->graphs, &r);
  if (!status) {
    b->graph->arcs = r.sum[0];
    *graph = b->graph;
    b->graph = NULL;
  }
  discard(b);
  return status;
}
