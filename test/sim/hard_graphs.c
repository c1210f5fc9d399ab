/* hard_graphs.c - families of graphs and kinds of weights that are hard for one algorithm or another. */
#include "hard_graphs.h"

#include <math.h>
#include <scree/generate.h>
#include <stdio.h>

#include "base/hash.h"

enum { N = 1 << 13, BATCH = 256, NEIGHBOURS = 4, FANOUT = 8, JUMPS = 13 };
enum { CLIQUE = 32, CLIQUES = N / 8 / CLIQUE + 1, INSIDE = CLIQUE * (CLIQUE - 1) / 2 /* edges of a clique */ };

/* A family: of a generator of the library, by its text, or of this file, by its `edge`. */
typedef struct family {
  const char *name, *text;
  uint64_t n, edges; /* of this file */
  void (*edge)(const struct family *f, uint64_t i, scree_edge *edge);
  bool directed, weighted; /* weighted: its edges have weights of their own */
} family;

static double unit(uint64_t key) {
  return (double)(scree__hash(key) >> 11) * 0x1p-53;
}

/* ---- families of this file ---- */

static void tree_edge(const family *f, uint64_t i, scree_edge *edge) {
  (void)f;
  *edge = (scree_edge){i / 2, i + 1, 0};
}

/* A ring whose vertices know some neighbours; one edge in 32 leads anywhere (Watts & Strogatz, Nature 393, 1998). */
static void small_world_edge(const family *f, uint64_t i, scree_edge *edge) {
  const uint64_t u = i / NEIGHBOURS, v = (u + 1 + i % NEIGHBOURS) % f->n, draw = scree__hash(i);
  *edge = (scree_edge){u, draw % 32 ? v : scree__hash(draw) % f->n, 0};
}

/* Heads by a power law, tails at random: few are led to by many. */
static void power_law_edge(const family *f, uint64_t i, scree_edge *edge) {
  const double r = unit(2 * i);
  *edge = (scree_edge){scree__hash(2 * i + 1) % f->n, (uint64_t)(r * r * r * (double)f->n), 0};
}

/* Cliques in a chain, with weights of their own: in a clique the way over all vertices is the shortest one, arcs that
 * skip some cost more, and the arc to the next clique as much as many buckets: whoever relaxes a clique's vertices in
 * another order than by distance improves them again and again. */
static void chain_edge(const family *f, uint64_t i, scree_edge *edge) {
  const uint64_t clique = i / (INSIDE + 1), k = i % (INSIDE + 1);
  (void)f;
  uint64_t high = 1;
  while (high * (high + 1) / 2 <= k) high++;
  const uint64_t low = k - high * (high - 1) / 2;
  if (k == INSIDE)
    *edge = (scree_edge){clique * CLIQUE + CLIQUE - 1, (clique + 1) * CLIQUE, 1000};
  else
    *edge = (scree_edge){clique * CLIQUE + low, clique * CLIQUE + high, (double)(2 * (high - low) - 1)};
}

/* A row of vertices with arcs over 1, 2, 4, ... of them, which cost the more, per vertex passed, the longer they are: a
 * vertex is reached first by few long arcs, then again and again by more and shorter ones. Weights of their own. */
static void jumps_edge(const family *f, uint64_t i, scree_edge *edge) {
  const uint64_t u = i / JUMPS, k = i % JUMPS, over = UINT64_C(1) << k;
  *edge = (scree_edge){u, u + over < f->n ? u + over : f->n - 1, (double)(over * (10 + k))};
}

/* A path to a random graph: first many levels of one vertex, then few of many. */
static void path_to_uniform_edge(const family *f, uint64_t i, scree_edge *edge) {
  const uint64_t u = i / NEIGHBOURS, path = f->n / 64;
  *edge = (scree_edge){u, u + 1, 0};
  if (u >= path) edge->v = path + scree__hash(i) % (f->n - path);
}

/* ---- all of them ---- */

static const family families[] = {
    {.name = "kron", .text = "kron:13"},
    {.name = "kron-2", .text = "kron:11"},
    {.name = "kron-4", .text = "kron:9"},
    {.name = "uniform-2", .text = "uniform:8192,8192"},
    {.name = "uniform-4", .text = "uniform:8192,16384"},
    {.name = "uniform-16", .text = "uniform:4096,32768"},
    {.name = "grid", .text = "grid:64,128"},
    {.name = "thin-grid", .text = "grid:16,512"},
    {.name = "path", .text = "path:2048"},
    {.name = "star", .text = "star:8192"},
    {.name = "tree", .n = N, .edges = N - 1, .edge = tree_edge},
    {.name = "small-world", .n = N, .edges = NEIGHBOURS * N, .edge = small_world_edge},
    {.name = "path-to-uniform", .n = N / 2, .edges = NEIGHBOURS * N / 2, .edge = path_to_uniform_edge},
    {.name = "power-law", .n = N / 2, .edges = FANOUT * N / 2, .edge = power_law_edge, .directed = true},
    {.name = "jumps", .n = N / 8, .edges = JUMPS * N / 8, .edge = jumps_edge, .weighted = true},
    {.name = "clique-chain",
     .n = CLIQUES * CLIQUE,
     .edges = CLIQUES * (INSIDE + 1) - 1,
     .edge = chain_edge,
     .weighted = true},
};
enum { FAMILIES = sizeof families / sizeof *families };

const char *hard_family_at(size_t i) {
  return i < FAMILIES ? families[i].name : NULL;
}

/* ---- weights ---- */

static double one(double r) {
  (void)r;
  return 1;
}
static double to_hundred(double r) {
  return 1 + floor(100 * r);
}
static double to_million(double r) {
  return 1 + floor(1e6 * r);
}
static double real(double r) {
  return (double)(float)r;
}
static double heavy_tailed(double r) {
  return floor(fmin(1e6, pow(1 - r, -1.5)));
}
static double mostly_zero(double r) {
  return r < 0.9 ? 0 : 1 + floor(1000 * (r - 0.9));
}

static const struct {
  const char *name;
  scree_weight_kind kind;
  double (*of)(double r);
} weights[] = {
    {"1", SCREE_WEIGHT_UINT32, one},
    {"1..100", SCREE_WEIGHT_UINT32, to_hundred},
    {"1..10^6", SCREE_WEIGHT_UINT32, to_million},
    {"float", SCREE_WEIGHT_FLOAT, real},
    {"heavy-tailed", SCREE_WEIGHT_UINT32, heavy_tailed},
    {"mostly-zero", SCREE_WEIGHT_UINT32, mostly_zero},
};
enum { WEIGHTS = sizeof weights / sizeof *weights };

const char *hard_weights_at(size_t i) {
  return i < WEIGHTS ? weights[i].name : NULL;
}

/* ---- building ---- */

/* The part of one rank. */
static void add_part(scree_graph_builder *builder, const family *f, const scree_generated *generated, size_t k,
                     uint64_t from, uint64_t to) {
  scree_edge batch[BATCH];
  for (uint64_t count; from < to; from += count) {
    count = to - from < BATCH ? to - from : BATCH;
    if (generated) scree_generated_make(generated, from, count, batch);
    for (uint64_t i = 0; i < count; i++) {
      if (!generated) f->edge(f, from + i, &batch[i]);
      if (!f->weighted) batch[i].weight = weights[k].of(unit(~(from + i)));
    }
    scree_graph_builder_add_many(builder, count, batch);
  }
}

scree_status hard_graph(scree_graphs *graphs, size_t i, size_t k, scree_graph **graph) {
  const family *f = &families[i];
  const scree_worker *w = scree_graphs_worker(graphs);
  char why[200];
  scree_generated *generated = NULL;
  if (f->text && scree_generated_parse(f->text, why, sizeof why, &generated) != SCREE_OK) return SCREE_EINVAL;
  const uint64_t n = f->text ? scree_generated_vertices(generated) : f->n;
  const uint64_t edges = f->text ? scree_generated_edges(generated) : f->edges;
  const scree_graph_shape shape = {.n = n, .weight = weights[k].kind, .directed = f->directed};
  scree_graph_builder *builder;
  uint64_t from, to;
  scree_distribution_block_range(edges, w->rank, w->ranks, &from, &to);
  scree_status status = scree_graph_builder_begin(graphs, &shape, &builder);
  if (status == SCREE_OK) {
    add_part(builder, f, generated, k, from, to);
    status = scree_graph_builder_finish(builder, graph);
  }
  scree_generated_free(generated);
  return status;
}
