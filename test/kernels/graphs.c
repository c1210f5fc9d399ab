/* graphs.c - drawn graphs with every awkward trait.
 *
 * A shape is a line in a table, and so is a kind of weights; a graph is up to three
 * shapes side by side, joined or not. */
#include "graphs.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "generate/kron.h"
#include "graph_labels.h"

uint64_t case_draw(uint64_t *state, uint64_t n) {
  return scree__hash(*state += UINT64_C(0x9e3779b97f4a7c15)) % n;
}

void case_graph_add(case_graph *c, uint64_t u, uint64_t v, double weight) {
  if (c->m == c->capacity) {
    c->capacity = 2 * c->capacity + 64;
    c->edges = realloc(c->edges, c->capacity * sizeof *c->edges);
    if (!c->edges) abort();
  }
  c->edges[c->m++] = (scree_edge){u, v, weight};
}

void case_graph_copy(case_graph *to, const case_graph *from) {
  case_graph copy = *from;
  copy.edges = to->edges;
  copy.capacity = to->capacity;
  copy.m = 0;
  for (uint64_t i = 0; i < from->m; i++)
    case_graph_add(&copy, from->edges[i].u, from->edges[i].v, from->edges[i].weight);
  *to = copy;
}

void case_graph_free(case_graph *c) {
  free(c->edges);
  *c = (case_graph){0};
}

/* ---- weights: X(name, kinds, value); kinds: 1: double; 2: float too; 3: uint32 too ---- */

#define D(n) ((double)case_draw(state, (n)))
#define WEIGHTS(X)                                                                                                     \
  X("small ones, zeros, 2^32-1", 3, D(16) < 3 ? 0 : D(13) < 1 ? 4294967295.0 : D(20))                                  \
  X("zero", 3, 0)                                                                                                      \
  X("0 or 1", 3, D(2))                                                                                                 \
  X("1 to 100", 3, 1 + D(100))                                                                                         \
  X("huge range", 3, (double)(case_draw(state, UINT64_C(1) << 32) >> case_draw(state, 32)))                            \
  X("fractions", 2, D(1000) / 97)                                                                                      \
  X("0 to below 1", 2, D(1 << 24) * 0x1p-24)                                                                           \
  X("huge range of exponents", 2, ldexp(1 + D(1000) / 1000, (int)case_draw(state, 160) - 80))                          \
  X("nearly equal", 1, 1 + D(64) * 0x1p-40) /* to a float they are equal */                                            \
  X("sums beyond all doubles", 1, ldexp(1, 1000 + (int)case_draw(state, 24)))

#define ROW(name, kinds, value) {name, kinds},
static const struct {
  const char *name;
  uint32_t kinds;
} weights[] = {WEIGHTS(ROW)};
enum { KINDS = sizeof weights / sizeof *weights };

#define VALUE(name, kinds, value)                                                                                      \
  if (i-- == 0) return value;
static double draw_weight(size_t i, uint64_t *state) {
  WEIGHTS(VALUE)
  return 1;
}

/* ---- shapes: X(name, vertices, edges, from, to, loops). Edge i of n vertices leads from `from` to `to`; h is a random
 * number, the same for all edges; self loops and parallel edges are only where they are intended ---- */

#define SIZE (2 + case_draw(state, case_draw(state, 4) ? 40 : 110))
#define ANY  case_draw(state, n)
#define WIDE (2 + h % 10)
#define SHAPES(X)                                                                                                      \
  X("one vertex", 1, h % 2, 0, 0, true)                                                                                \
  X("no edge", SIZE, 0, 0, 0, false)                                                                                   \
  X("self loops", SIZE, n, i, i, true)                                                                                 \
  X("star", SIZE, n, h % n, i, false)                                                                                  \
  X("star inwards", SIZE, n - 1, i + 1, 0, false)                                                                      \
  X("path", SIZE, n - 1, i, i + 1, false)                                                                              \
  X("path backwards", SIZE, n - 1, i + 1, i, false)                                                                    \
  X("ring", SIZE, n, i, (i + 1) % n, false)                                                                            \
  X("path with shortcuts", SIZE, 2 * n - 3, i % (n - 1), i % (n - 1) + 1 + i / (n - 1), false)                         \
  X("sparse", SIZE, n + n / 4, ANY, ANY, true)                                                                         \
  X("dense", SIZE, 5 * n, ANY, ANY, true)                                                                              \
  X("parallel edges", 2 + h % 3, 60, ANY, ANY, true)                                                                   \
  X("complete", 2 + h % 22, n * n, i / n, i % n, false)                                                                \
  X("hubs", 4 + SIZE, 3 * n, (i / n == 0 ? 0 : (i / n == 1 ? i % n : (h % 2 ? n - 1 : ANY))),                          \
    (i / n == 1 ? 0 : (h % 2 ? i % n : ANY)), true)                                                                    \
  X("grid", WIDE *(2 + h / 10 % 10), 2 * n, i / 2,                                                                     \
    (i % 2                ? i / 2 + WIDE                                                                               \
     : (i / 2 + 1) % WIDE ? i / 2 + 1                                                                                  \
                          : i / 2),                                                                                    \
    false)                                                                                                             \
  X("binary tree", SIZE, n - 1, i / 2, i + 1, false)                                                                   \
  X("parts whose vertices are far apart", SIZE, n, i, (i + 7 * case_draw(state, 9)) % (n - n % 7 ? n - n % 7 : n),     \
    true)                                                                                                              \
  X("Kronecker", UINT64_C(8) << h / 1000 % 4, n * (1 + h % 8), kron_edge(&other, n, i, h), other, true)

/* One end of edge i of a Kronecker graph of n vertices; the other one is *v. */
static uint64_t kron_edge(uint64_t *v, uint64_t n, uint64_t i, uint64_t h) {
  scree__kron kron;
  char why[200], text[40];
  uint64_t u = 0;
  float w;
  snprintf(text, sizeof text, "%u,%u,%u", (unsigned)log2((double)n), (unsigned)(1 + h % 8), (unsigned)(h % 1000));
  if (!scree__kron_parse(&kron, text, why, sizeof why)) abort();
  scree__kron_edge(&kron, i, &u, v, &w);
  return u;
}

/* Edges that lead past the last vertex are none. */
static void add(case_graph *c, uint64_t base, uint64_t n, uint64_t u, uint64_t v, bool loops, uint64_t *state) {
  if (v >= n || (u == v && !loops)) return;
  for (int times = loops && case_draw(state, 8) == 0 ? 2 : 1; times && c->m < CASE_EDGES_MAX; times--)
    case_graph_add(c, base + u, base + v, 1);
}

#define NAME(name, vertices, count, from, to, loops) name,
static const char *const shapes[] = {SHAPES(NAME)};
enum { COUNT = sizeof shapes / sizeof *shapes };

/* Adds a shape with the vertices from `base` on; returns their number. */
#define ADD(name, vertices, count, from, to, loops)                                                                    \
  if (k-- == 0) {                                                                                                      \
    n = (vertices);                                                                                                    \
    for (uint64_t i = 0, edges = (count); i < edges; i++) {                                                            \
      const uint64_t u = (from);                                                                                       \
      add(c, base, n, u, (to), loops, state);                                                                          \
    }                                                                                                                  \
  }
static uint64_t add_shape(case_graph *c, size_t k, uint64_t base, uint64_t *state) {
  const uint64_t h = case_draw(state, 1 << 20);
  uint64_t n = 1, other = 0;
  SHAPES(ADD)
  return n;
}

/* ---- a graph ---- */

static void draw_weights(case_graph *c, uint64_t *state) {
  static const scree_weight_kind kinds[] = {SCREE_WEIGHT_DOUBLE, SCREE_WEIGHT_FLOAT, SCREE_WEIGHT_UINT32};
  size_t i = case_draw(state, KINDS);
  c->shape.weight = kinds[case_draw(state, weights[i].kinds)];
  c->weights = weights[i].name;
  for (uint64_t e = 0; e < c->m; e++) {
    double w = draw_weight(i, state);
    c->edges[e].weight = c->shape.weight == SCREE_WEIGHT_FLOAT ? (double)(float)w : w;
  }
}

/* The last vertex is alone, and sometimes the source. */
static uint64_t draw_source(const case_graph *c, uint64_t *state) {
  const uint64_t kind = case_draw(state, 8);
  if (kind < 3) return kind == 0 ? c->shape.n - 1 : 0;
  return c->m ? c->edges[case_draw(state, c->m)].u : case_draw(state, c->shape.n);
}

void case_graph_draw(case_graph *c, uint64_t *state) {
  const uint64_t parts = case_draw(state, 3) ? 1 : 2 + case_draw(state, 2);
  uint64_t base = 0;
  c->m = 0;
  c->weights = "none";
  c->shape = (scree_graph_shape){.distribution = (scree_distribution_kind)case_draw(state, 3)};
  c->shape.directed = case_draw(state, 2) == 0;
  c->shape.wide = case_draw(state, 4) == 0;
  for (uint64_t i = 0; i < parts; i++) {
    const size_t k = case_draw(state, COUNT);
    const uint64_t old = base;
    c->name = shapes[k];
    base += add_shape(c, k, base, state);
    if (i == 0 || case_draw(state, 2) == 0) continue;
    const uint64_t u = case_draw(state, old), v = old + case_draw(state, base - old);
    case_graph_add(c, u, v, 1);
  }
  c->shape.n = base + case_draw(state, 2);
  if (case_draw(state, 5)) draw_weights(c, state);
  c->source = draw_source(c, state);
}

static scree_graph *by_degree(scree_graph *g, case_graph *c) {
  scree_graph *other = NULL;
  scree_status status = scree_graph_relabel_by_degree(g, g->vertices.kind, &other);
  scree_graph_free(g);
  uint64_t *labels = status ? NULL : graph_labels_of(other), *vertex = calloc(c->shape.n, sizeof *vertex);
  if (!labels || !vertex) return NULL;
  for (uint64_t v = 0; v < c->shape.n; v++) vertex[labels[v]] = v;
  for (uint64_t i = 0; i < c->m; i++)
    c->edges[i] = (scree_edge){vertex[c->edges[i].u], vertex[c->edges[i].v], c->edges[i].weight};
  c->source = vertex[c->source];
  free(labels);
  free(vertex);
  return other;
}

scree_graph *case_graph_build(scree_graphs *graphs, case_graph *c, uint64_t draw) {
  scree_worker *w = scree_graphs_worker(graphs);
  scree_graph_builder *builder;
  scree_graph *g = NULL;
  if (scree_graph_builder_begin(graphs, &c->shape, &builder)) return NULL;
  for (uint64_t i = 0; i < c->m; i++)
    if (w->rank == (draw % 2 ? draw : i) % w->ranks)
      scree_graph_builder_add(builder, c->edges[i].u, c->edges[i].v, c->edges[i].weight);
  if (scree_graph_builder_finish(builder, &g)) return NULL;
  if (draw / 2 % 4 == 0) g = by_degree(g, c);
  if (g && draw / 8 % 2) scree_graph_allow_reordering(g);
  return g;
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
