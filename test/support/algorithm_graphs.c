/* algorithm_graphs.c - drawn graphs with every awkward trait, and their answers by the serial algorithms.
 *
 * A shape is a line in a table, and so is a kind of weights; a graph is up to three
 * shapes side by side, joined or not. */
#include "algorithm_graphs.h"

#include <inttypes.h>
#include <math.h>

#include "base/hash.h"
#include "generate/kron.h"
#include "yardstick/serial.h"

uint64_t case_draw(uint64_t *state, uint64_t n) {
  return scree__hash(*state += UINT64_C(0x9e3779b97f4a7c15)) % n;
}

/* ---- weights ---- */

static double mostly_small(uint64_t *state) {
  uint64_t r = case_draw(state, 16);
  return r < 3 ? 0 : r == 3 ? 4294967295.0 : (double)case_draw(state, 20);
}
static double all_zero(uint64_t *state) {
  (void)state;
  return 0;
}
static double zero_or_one(uint64_t *state) {
  return (double)case_draw(state, 2);
}
static double to_hundred(uint64_t *state) {
  return 1 + (double)case_draw(state, 100);
}
static double huge_range(uint64_t *state) {
  const uint64_t drawn = case_draw(state, UINT64_C(1) << 32);
  return (double)(drawn >> case_draw(state, 32));
}
static double fractions(uint64_t *state) {
  return (double)case_draw(state, 1000) / 97;
}
static double unit_interval(uint64_t *state) {
  return (double)case_draw(state, 1 << 24) * 0x1p-24;
}
static double wide_exponents(uint64_t *state) {
  const double mantissa = 1 + (double)case_draw(state, 1000) / 1000;
  return ldexp(mantissa, (int)case_draw(state, 160) - 80);
}

static double nearly_equal(uint64_t *state) { /* to a float they are */
  return 1 + (double)case_draw(state, 64) * 0x1p-40;
}
static double overflowing(uint64_t *state) {
  return ldexp(1, 1000 + (int)case_draw(state, 24));
}

static const struct {
  const char *name;
  uint32_t kinds; /* 1: double; 2: float too; 3: uint32 too */
  double (*draw)(uint64_t *state);
} weights[] = {
    {"small ones, zeros, 2^32-1", 3, mostly_small},
    {"zero", 3, all_zero},
    {"0 or 1", 3, zero_or_one},
    {"1 to 100", 3, to_hundred},
    {"huge range", 3, huge_range},
    {"fractions", 2, fractions},
    {"0 to below 1", 2, unit_interval},
    {"huge range of exponents", 2, wide_exponents},
    {"nearly equal", 1, nearly_equal},
    {"sums beyond all doubles", 1, overflowing},
};
enum { WEIGHTS = sizeof weights / sizeof *weights };

/* ---- shapes: each adds its vertices from `base` on and its edges, and returns the number of its vertices ---- */

static void add(case_graph *c, uint64_t a, uint64_t b) {
  if (c->m < CASE_EDGES_MAX) c->edges[c->m++] = (scree_edge){a, b, 0};
}
static uint64_t size(uint64_t *state) {
  return 2 + case_draw(state, case_draw(state, 4) ? 40 : 110);
}

static uint64_t one_vertex(case_graph *c, uint64_t base, uint64_t *state) {
  if (case_draw(state, 2)) add(c, base, base);
  return 1;
}
static uint64_t no_edge(case_graph *c, uint64_t base, uint64_t *state) {
  (void)c;
  (void)base;
  return size(state);
}
static uint64_t loops(case_graph *c, uint64_t base, uint64_t *state) {
  uint64_t n = size(state);
  for (uint64_t v = 0; v < n; v++) add(c, base + v, base + v);
  return n;
}
static uint64_t star(case_graph *c, uint64_t base, uint64_t *state) {
  uint64_t n = size(state), hub = case_draw(state, n);
  for (uint64_t v = 0; v < n; v++)
    if (v != hub) add(c, base + hub, base + v);
  return n;
}
static uint64_t star_inwards(case_graph *c, uint64_t base, uint64_t *state) {
  uint64_t n = size(state);
  for (uint64_t v = 1; v < n; v++) add(c, base + v, base);
  return n;
}
static uint64_t path(case_graph *c, uint64_t base, uint64_t *state) {
  uint64_t n = size(state);
  for (uint64_t v = 1; v < n; v++) add(c, base + v - 1, base + v);
  return n;
}
static uint64_t ring(case_graph *c, uint64_t base, uint64_t *state) {
  uint64_t n = path(c, base, state);
  add(c, base + n - 1, base);
  return n;
}
static uint64_t ladder(case_graph *c, uint64_t base, uint64_t *state) { /* a path with shortcuts: many detours */
  uint64_t n = path(c, base, state);
  for (uint64_t v = 0; v + 2 < n && v < 30; v++) add(c, base + v, base + v + 2);
  return n;
}
static uint64_t random_edges(case_graph *c, uint64_t base, uint64_t n, uint64_t m, uint64_t *state) {
  for (uint64_t i = 0; i < m; i++) {
    uint64_t a = base + case_draw(state, n), b = base + case_draw(state, n);
    add(c, a, b);
    if (case_draw(state, 8) == 0) add(c, a, b);
  }
  return n;
}
static uint64_t sparse(case_graph *c, uint64_t base, uint64_t *state) {
  uint64_t n = size(state);
  return random_edges(c, base, n, n + n / 4, state);
}
static uint64_t dense(case_graph *c, uint64_t base, uint64_t *state) {
  uint64_t n = size(state);
  return random_edges(c, base, n, 5 * n, state);
}
static uint64_t parallel(case_graph *c, uint64_t base, uint64_t *state) {
  return random_edges(c, base, 2 + case_draw(state, 3), 60, state);
}
static uint64_t complete(case_graph *c, uint64_t base, uint64_t *state) {
  uint64_t n = 2 + case_draw(state, 22);
  for (uint64_t a = 0; a < n; a++)
    for (uint64_t b = 0; b < n; b++)
      if (a < b || (c->shape.directed && a != b)) add(c, base + a, base + b);
  return n;
}
static uint64_t hubs(case_graph *c, uint64_t base, uint64_t *state) { /* one or two have most arcs */
  uint64_t n = 4 + size(state), two = case_draw(state, 2);
  for (uint64_t v = 0; v < n; v++) {
    add(c, base, base + v);
    add(c, base + v, base);
    if (two) add(c, base + n - 1, base + v);
  }
  return random_edges(c, base, n, n / 2, state);
}
static uint64_t grid(case_graph *c, uint64_t base, uint64_t *state) {
  uint64_t wide = 2 + case_draw(state, 10), high = 2 + case_draw(state, 10);
  for (uint64_t y = 0; y < high; y++)
    for (uint64_t x = 0; x < wide; x++) {
      if (x + 1 < wide) add(c, base + y * wide + x, base + y * wide + x + 1);
      if (y + 1 < high) add(c, base + y * wide + x, base + (y + 1) * wide + x);
    }
  return wide * high;
}
static uint64_t tree(case_graph *c, uint64_t base, uint64_t *state) {
  uint64_t n = size(state);
  for (uint64_t v = 1; v < n; v++) add(c, base + (v - 1) / 2, base + v);
  return n;
}
static uint64_t kronecker(case_graph *c, uint64_t base, uint64_t *state) {
  scree__kron kron;
  char why[200], text[40];
  uint64_t scale = 3 + case_draw(state, 4), factor = 1 + case_draw(state, 8), u, v;
  float w;
  snprintf(text, sizeof text, "%u,%u,%u", (unsigned)scale, (unsigned)factor, (unsigned)case_draw(state, 1000));
  if (!scree__kron_parse(&kron, text, why, sizeof why)) return 1;
  for (uint64_t i = 0; i < factor << scale; i++) {
    scree__kron_edge(&kron, i, &u, &v, &w);
    add(c, base + u, base + v);
  }
  return UINT64_C(1) << scale;
}

static const struct {
  const char *name;
  uint64_t (*draw)(case_graph *c, uint64_t base, uint64_t *state);
} shapes[] = {
    {"one vertex", one_vertex},
    {"no edge", no_edge},
    {"self loops", loops},
    {"star", star},
    {"star inwards", star_inwards},
    {"path", path},
    {"ring", ring},
    {"path with shortcuts", ladder},
    {"sparse", sparse},
    {"dense", dense},
    {"parallel edges", parallel},
    {"complete", complete},
    {"hubs", hubs},
    {"grid", grid},
    {"binary tree", tree},
    {"Kronecker", kronecker},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* ---- a graph ---- */

static scree_weight_kind draw_weights(case_graph *c, uint64_t *state) {
  static const scree_weight_kind kinds[] = {SCREE_WEIGHT_DOUBLE, SCREE_WEIGHT_FLOAT, SCREE_WEIGHT_UINT32};
  size_t i = case_draw(state, WEIGHTS);
  scree_weight_kind kind = kinds[case_draw(state, weights[i].kinds)];
  c->weights = weights[i].name;
  for (uint64_t e = 0; e < c->m; e++) {
    double w = weights[i].draw(state);
    c->edges[e].weight = kind == SCREE_WEIGHT_FLOAT ? (double)(float)w : w;
  }
  return kind;
}

static void draw_no_weights(case_graph *c) {
  c->weights = "none";
  for (uint64_t e = 0; e < c->m; e++) c->edges[e].weight = 1;
}

/* The last vertex is alone, and sometimes the source. */
static uint64_t draw_source(const case_graph *c, uint64_t *state) {
  switch (case_draw(state, 8)) {
  case 0:
    return c->shape.n - 1;
  case 1:
  case 2:
    return 0;
  default:
    return c->m ? c->edges[case_draw(state, c->m)].u : case_draw(state, c->shape.n);
  }
}

void case_graph_draw(case_graph *c, uint64_t *state) {
  const bool several = case_draw(state, 3) == 0;
  const uint64_t more = 1 + case_draw(state, 2), parts = several ? 1 + more : 1;
  uint64_t base = 0;
  c->m = 0;
  c->shape = (scree_graph_shape){.distribution = (scree_distribution_kind)case_draw(state, 3)};
  c->shape.directed = case_draw(state, 2) == 0;
  c->shape.wide = case_draw(state, 4) == 0;
  for (uint64_t i = 0; i < parts; i++) {
    size_t s = case_draw(state, SHAPES);
    uint64_t old = base;
    c->name = shapes[s].name;
    base += shapes[s].draw(c, base, state);
    if (i == 0 || case_draw(state, 2) == 0) continue;
    const uint64_t u = case_draw(state, old), v = old + case_draw(state, base - old);
    add(c, u, v);
  }
  c->shape.n = base + case_draw(state, 2);
  if (case_draw(state, 5))
    c->shape.weight = draw_weights(c, state);
  else
    draw_no_weights(c);
  c->source = draw_source(c, state);
}

bool case_graph_solve(const case_graph *c, case_answer *answer) {
  static _Thread_local scree_edge arcs[2 * CASE_EDGES_MAX];
  uint32_t level[CASE_VERTICES_MAX], parent[CASE_VERTICES_MAX];
  uint64_t m = 0;
  serial_csr csr;
  for (uint64_t i = 0; i < c->m; i++) {
    const scree_edge *e = &c->edges[i];
    arcs[m++] = *e;
    if (!c->shape.directed && e->u != e->v) arcs[m++] = (scree_edge){e->v, e->u, e->weight};
  }
  if (!serial_csr_build(&csr, c->shape.n, m, arcs, c->shape.weight)) return false;
  bool ok = serial_dijkstra(&csr, (uint32_t)c->source, answer->distance) &&
            serial_bfs(&csr, (uint32_t)c->source, level, parent);
  serial_csr_free(&csr);
  for (uint64_t v = 0; ok && v < c->shape.n; v++)
    answer->level[v] = level[v] == SERIAL_UNREACHED ? INFINITY : (double)level[v];
  return ok;
}

static scree_graph *by_degree(scree_graph *g) {
  scree_graph *other = NULL;
  scree_status status = scree_graph_relabel_by_degree(g, g->vertices.kind, &other);
  scree_graph_free(g);
  return status ? NULL : other;
}

scree_graph *case_graph_build(scree_graphs *graphs, const case_graph *c, uint64_t draw) {
  scree_worker *w = scree_graphs_worker(graphs);
  scree_graph_builder *builder;
  scree_graph *g = NULL;
  if (scree_graph_builder_begin(graphs, &c->shape, &builder)) return NULL;
  for (uint64_t i = 0; i < c->m; i++)
    if (w->rank == (draw % 2 ? draw : i) % w->ranks)
      scree_graph_builder_add(builder, c->edges[i].u, c->edges[i].v, c->edges[i].weight);
  if (scree_graph_builder_finish(builder, &g)) return NULL;
  return draw / 2 % 4 ? g : by_degree(g);
}

bool case_graph_joins(const case_graph *c, uint64_t p, uint64_t v, double from, double to, bool with_weights) {
  for (uint64_t i = 0; i < c->m; i++) {
    const scree_edge *e = &c->edges[i];
    bool there = (e->u == p && e->v == v) || (!c->shape.directed && e->u == v && e->v == p);
    if (there && from + (with_weights ? e->weight : 1) == to) return true;
  }
  return false;
}

void case_graph_print(const case_graph *c, FILE *to) {
  static const char *const kinds[] = {"none", "uint32", "float", "double"}, *const spread[] = {"block", "cyclic",
                                                                                               "hash"};
  fprintf(to, "%" PRIu64 " vertices, %" PRIu64 " edges, source %" PRIu64 ", %s, %s, weights %s%s; drawn as %s, %s\n",
          c->shape.n, c->m, c->source, c->shape.directed ? "directed" : "undirected", spread[c->shape.distribution],
          kinds[c->shape.weight], c->shape.wide ? ", wide" : "", c->name, c->weights);
  for (uint64_t i = 0; i < c->m; i++)
    fprintf(to, "  %" PRIu64 " %" PRIu64 " %.17g\n", c->edges[i].u, c->edges[i].v, c->edges[i].weight);
}
