/* builder.c - a distributed graph from edges that are added in any order, on any rank: the epoch that carries arcs to
 * the owner of their tail. */
#define SCREE_NO_CHECK /* add() checks both vertices, so the owner of each exists */
#include "build/builder.h"

#include <float.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "build/arc_store.h"
#include "build/memory_check.h"
#include "graph/consensus.h"
#include "graph/structure.h"

struct scree_graph_builder {
  scree_graphs *graphs;
  scree_graph *graph; /* under construction */
  scree__arc_store arcs;
  uint64_t edges;    /* added on this rank */
  double weight_max; /* of those */
  scree_status bad;  /* of the first edge refused on this rank; its text is graphs->why */
  bool narrow, decimals, one_way;
};

#define INLINED static inline __attribute__((always_inline))

/* ---- receiving ---- */

INLINED uint64_t tail_of(const void *items, uint32_t i, scree__arc_form form) {
  if (form == SCREE__LINKS) return scree__ends_tail(((const scree__link *)items)[i].ends);
  if (form == SCREE__ARCS) return scree__ends_tail(((const scree__arc *)items)[i].ends);
  return ((const scree__triple *)items)[i].a;
}

INLINED void store(void *to, const scree_graph *g, const void *items, uint32_t i, scree__arc_form form) {
  const uint16_t tail = (uint16_t)tail_of(items, i, form);
  if (form == SCREE__LINKS) {
    *(scree__stored_link *)to = (scree__stored_link){scree__ends_head(((const scree__link *)items)[i].ends), tail};
  } else if (form == SCREE__ARCS) {
    const scree__arc *arc = &((const scree__arc *)items)[i];
    *(scree__stored_arc *)to = (scree__stored_arc){scree__ends_head(arc->ends), arc->weight, tail};
  } else {
    const scree__triple *arc = &((const scree__triple *)items)[i];
    const uint64_t head = scree_graph_pack(g, arc->b);
    if (form == SCREE__WIDE)
      *(scree__stored_wide *)to = (scree__stored_wide){head, arc->w, tail};
    else
      *(scree__stored_double *)to = (scree__stored_double){(uint32_t)head, arc->w, tail};
  }
}

INLINED void receive(scree_graph_builder *b, const void *items, uint32_t count, scree__arc_form form) {
  const size_t bytes = scree__arc_bytes(form);
  scree__range *ranges = b->arcs.ranges; /* copies, which stores of arcs cannot alias */
  const uint32_t shift = b->arcs.shift;
  const scree_graph *g = b->graph;
  for (uint32_t i = 0; i < count; i++) {
    scree__range *range = &ranges[tail_of(items, i, form) >> shift];
    char *to = range->next;
    if (__builtin_expect(to == range->limit, 0)) {
      scree_status grown = b->bad == SCREE_ENOMEM ? SCREE_ENOMEM : scree__arc_store_grow(&b->arcs, range);
      if (grown) {
        b->bad = grown; /* an edge that was refused before keeps its text otherwise */
        return;
      }
      to = range->next;
    }
    store(to, g, items, i, form);
    range->next = to + bytes;
  }
}

static void receive_links(scree_graphs *graphs, const scree__link *items, uint32_t count, void *arg) {
  (void)graphs;
  receive(arg, items, count, SCREE__LINKS);
}

static void receive_arcs(scree_graphs *graphs, const scree__arc *items, uint32_t count, void *arg) {
  (void)graphs;
  receive(arg, items, count, SCREE__ARCS);
}

static void receive_triples(scree_graphs *graphs, const scree__triple *items, uint32_t count, void *arg) {
  (void)graphs;
  scree_graph_builder *b = arg;
  if (b->arcs.form == SCREE__WIDE)
    receive(b, items, count, SCREE__WIDE);
  else
    receive(b, items, count, SCREE__DOUBLES);
}

/* ---- beginning ---- */

static void discard(scree_graph_builder *b) {
  scree_graph_free(b->graph);
  scree__arc_store_close(&b->arcs);
  b->graphs->builder = NULL;
  free(b);
}

scree_status scree__distribution_check(scree_graphs *graphs, scree_distribution_kind kind) {
  if ((unsigned)kind <= SCREE_DISTRIBUTION_HASH) return SCREE_OK;
  return scree__why(graphs, SCREE_EINVAL,
                    "rank %u: distribution %d: legal are SCREE_DISTRIBUTION_BLOCK (%d) .. HASH (%d)",
                    (unsigned)graphs->worker->rank, (int)kind, SCREE_DISTRIBUTION_BLOCK, SCREE_DISTRIBUTION_HASH);
}

static scree_status check_shape(scree_graphs *graphs, const scree_graph_shape *shape) {
  if (graphs->builder)
    return scree__why(graphs, SCREE_ESTATE, "a builder is open: finish it before the next one begins");
  if (shape->n < 1 || shape->n > SCREE_VERTICES_MAX)
    return scree__why(graphs, SCREE_EINVAL, "a graph of %" PRIu64 " vertices; expected 1 .. %" PRIu64, shape->n,
                      SCREE_VERTICES_MAX);
  return scree__distribution_check(graphs, shape->distribution);
}

enum { LARGE = 1 << 26 }; /* bytes from which on it is checked whether the graph fits */

static scree_status make(scree_graphs *graphs, const scree_graph_shape *shape, scree_graph_builder **out) {
  scree_status status = check_shape(graphs, shape);
  if (status) return status;
  scree_graph_builder *b = calloc(1, sizeof *b);
  scree_graph *g = scree__graph_new(graphs);
  if (!b || !g) {
    free(b);
    scree_graph_free(g);
    return scree__no_memory(graphs, "a graph builder", sizeof *b + sizeof *g);
  }
  g->weight = shape->weight;
  g->directed = shape->directed;
  scree_distribution_init(&g->vertices, shape->distribution, shape->n, graphs->worker->ranks);
  scree__graph_set_width(g, shape->wide);
  g->locals = scree_distribution_count(&g->vertices, graphs->worker->rank);
  b->graphs = graphs;
  b->graph = g;
  *out = b;
  uint64_t min = scree_graph_plan(shape, 0, graphs->worker->ranks).graph;
  if (min > LARGE && (status = scree__memory_check(graphs, min, "a graph without edges"))) return status;
  if (scree__arc_store_open(&b->arcs, graphs, g->locals, scree__arc_form_of(g))) return SCREE_OK;
  return scree__no_memory(graphs, "the arcs of a graph", g->locals);
}

scree_status scree_graph_builder_begin(scree_graphs *graphs, const scree_graph_shape *shape,
                                       scree_graph_builder **builder) {
  if (!graphs || !shape || !builder)
    return scree__given(graphs, false, __func__, shape ? "place for the builder" : "shape");
  if (graphs->builder) { /* its epoch is open, so no consensus is possible; the same on all ranks */
    check_shape(graphs, shape);
    memcpy(graphs->text, graphs->why, sizeof graphs->text);
    return SCREE_ESTATE;
  }
  scree_graph_builder *b = NULL;
  scree_status status = scree__consensus(graphs, make(graphs, shape, &b));
  const scree__receivers receivers = {.triples = receive_triples, .links = receive_links, .arcs = receive_arcs};
  if (!status) status = scree__exchange_begin(graphs, receivers, b);
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

void scree__builder_one_way(scree_graph_builder *builder) {
  builder->one_way = true;
}

void scree__builder_decimals(scree_graph_builder *builder) {
  builder->decimals = true;
}

/* ---- adding ---- */

INLINED bool legal_weight(scree_weight_kind kind, double w) {
  if (kind == SCREE_WEIGHT_NONE) return true;
  if (kind == SCREE_WEIGHT_FLOAT && (double)(float)w != w) return false;
  if (kind == SCREE_WEIGHT_UINT32) return w >= 0 && w <= UINT32_MAX && w == (double)(uint32_t)w;
  return w >= 0 && w <= DBL_MAX;
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

/* Bits of a weight of a kind of 4 bytes. */
INLINED uint32_t weight_bits(scree_weight_kind kind, double w) {
  if (kind == SCREE_WEIGHT_UINT32) return (uint32_t)w;
  float f = (float)w;
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  return bits;
}

/* What the loop over edges needs: a copy, which stores of messages cannot alias. */
typedef struct {
  scree_distribution vertices;
  scree_worker *worker;
  graph_triple_type triple;
  graph_link_type link;
  graph_arc_type arc;
  uint32_t local_bits;
} sender;

/* Sends the arc from u to v, whose locations are given, to the owner of u. */
INLINED void send(const sender *s, scree_location u, scree_location v, double w, uint32_t bits, scree__arc_form form) {
  uint32_t to = scree_location_owner(u);
  uint64_t ends = scree__ends(scree_location_local(u),
                              (uint64_t)scree_location_owner(v) << s->local_bits | scree_location_local(v));
  if (form == SCREE__WIDE)
    graph_triple_send(s->worker, s->triple, to, (scree__triple){scree_location_local(u), v, w});
  else if (form == SCREE__ARCS)
    graph_arc_send(s->worker, s->arc, to, (scree__arc){ends, bits});
  else
    graph_link_send(s->worker, s->link, to, (scree__link){ends});
}

INLINED void add(scree_graph_builder *b, uint64_t count, const scree_edge *edges, scree_weight_kind kind,
                 scree__arc_form form) {
  const scree_graphs *graphs = b->graphs;
  const sender s = {b->graph->vertices, graphs->worker, graphs->triple,
                    graphs->link,       graphs->arc,    b->graph->local_bits};
  const bool both = !b->graph->directed && !b->one_way;
  double max = b->weight_max;
  uint64_t refused = 0;
  for (uint64_t i = 0; i < count; i++) {
    const uint64_t u = edges[i].u, v = edges[i].v;
    const double w = kind ? edges[i].weight : 1;
    if (__builtin_expect(u >= s.vertices.n || v >= s.vertices.n || !legal_weight(kind, w), 0)) {
      refuse(b, u, v, w);
      refused++;
      continue;
    }
    if (w > max) max = w;
    scree_location pu = scree_distribution_location(&s.vertices, u), pv = scree_distribution_location(&s.vertices, v);
    uint32_t bits = form == SCREE__ARCS ? weight_bits(kind, w) : 0;
    send(&s, pu, pv, w, bits, form);
    if (both && u != v) send(&s, pv, pu, w, bits, form);
  }
  b->weight_max = max;
  b->edges += count - refused;
}

static void add_any(scree_graph_builder *b, uint64_t count, const scree_edge *edges) {
  scree_weight_kind kind = b->graph->weight;
  if (b->arcs.form >= SCREE__DOUBLES) /* triples, too */
    add(b, count, edges, kind, SCREE__WIDE);
  else if (kind == SCREE_WEIGHT_NONE)
    add(b, count, edges, SCREE_WEIGHT_NONE, SCREE__LINKS);
  else if (kind == SCREE_WEIGHT_FLOAT)
    add(b, count, edges, SCREE_WEIGHT_FLOAT, SCREE__ARCS);
  else
    add(b, count, edges, SCREE_WEIGHT_UINT32, SCREE__ARCS);
}

/* Few edges take less time than reading the clock twice. */
void scree_graph_builder_add_many(scree_graph_builder *b, uint64_t count, const scree_edge *edges) {
  if (!b || !edges) return;
  enum { MANY = 64 };
  scree_graphs *graphs = b->graphs;
  const scree_phase phase = count < MANY ? SCREE_PHASES : scree_graphs_enter(graphs, SCREE_PHASE_EXCHANGE);
  add_any(b, count, edges);
  if (phase < SCREE_PHASES) scree_graphs_enter(graphs, phase);
}

void scree_graph_builder_add(scree_graph_builder *b, uint64_t u, uint64_t v, double weight) {
  scree_graph_builder_add_many(b, 1, &(scree_edge){u, v, weight});
}

/* ---- ending ---- */

/* The sums over ranks: edges, arcs, largest weight (bits of a double that is not negative sort like it), kind. */
static scree_status sum_up(scree_graph_builder *b, uint64_t *arcs) {
  scree_graph *g = b->graph;
  scree_reduce r = {.sum = {b->edges, b->decimals}, .min = UINT64_MAX};
  memcpy(&r.max, &b->weight_max, sizeof r.max);
  scree_status status = scree__exchange_end(b->graphs, &r); /* the arcs are here */
  if (status) return status;
  g->edges = r.sum[0];
  memcpy(&g->weight_max, &r.max, sizeof r.max);
  if (!g->weight) g->weight_max = 1;
  if (b->narrow && !r.sum[1] && g->weight) g->weight = SCREE_WEIGHT_UINT32;
  scree_graphs_enter(b->graphs, SCREE_PHASE_BUILD);
  return scree__consensus(b->graphs, b->bad ? b->bad : scree__arc_store_to_csr(&b->arcs, g, arcs));
}

scree_status scree_graph_builder_finish(scree_graph_builder *b, scree_graph **graph) {
  if (!b) return SCREE_EINVAL;
  scree_graphs *graphs = b->graphs;
  const scree_phase phase = scree_graphs_enter(graphs, SCREE_PHASE_EXCHANGE);
  scree_reduce r = {.min = UINT64_MAX};
  if (!graph && !b->bad)
    b->bad = scree__why(graphs, SCREE_EINVAL, "rank %u: %s: no place for the graph: pass what is not NULL",
                        (unsigned)graphs->worker->rank, __func__);
  scree_status status = sum_up(b, &r.sum[0]); /* all agree on what is bad */
  if (!status) status = scree_graphs_reduce(b->graphs, &r);
  if (!status) {
    b->graph->arcs = r.sum[0];
    *graph = b->graph;
    b->graph = NULL;
  }
  discard(b);
  scree_graphs_enter(graphs, phase);
  return status;
}
