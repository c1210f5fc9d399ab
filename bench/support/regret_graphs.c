/* regret_graphs.c - families of graphs and kinds of weights that are hard for one algorithm or another. */
#include "regret_graphs.h"

#include <math.h>
#include <scree/generate.h>
#include <stdio.h>

#include "base/hash.h"

enum { BATCH = 256, CLIQUE = 32, NEIGHBOURS = 4, FANOUT = 8, JUMPS = 13 };

typedef struct {
  uint64_t n, edges;
  scree_generated *generated; /* NULL: by the family's `edge` */
} family_size;

/* A family: of a generator of the library, by its text for a scale, or of this file. */
typedef struct {
  const char *name;
  void (*text)(int scale, char *text, size_t size);
  void (*size)(int scale, family_size *f);
  void (*edge)(const family_size *f, uint64_t i, scree_edge *edge);
  bool directed, weighted; /* weighted: its edges have weights of their own */
} family;

static double unit(uint64_t key) {
  return (double)(scree__hash(key) >> 11) * 0x1p-53;
}

/* ---- families of this file ---- */

static void tree_size(int scale, family_size *f) {
  f->n = UINT64_C(1) << scale;
  f->edges = f->n - 1;
}
static void tree_edge(const family_size *f, uint64_t i, scree_edge *edge) {
  (void)f;
  *edge = (scree_edge){i / 2, i + 1, 0};
}

/* A ring whose vertices know some neighbours; one edge in 32 leads anywhere (Watts & Strogatz, Nature 393, 1998). */
static void small_world_size(int scale, family_size *f) {
  f->n = UINT64_C(1) << scale;
  f->edges = NEIGHBOURS * f->n;
}
static void small_world_edge(const family_size *f, uint64_t i, scree_edge *edge) {
  const uint64_t u = i / NEIGHBOURS, v = (u + 1 + i % NEIGHBOURS) % f->n, draw = scree__hash(i);
  *edge = (scree_edge){u, draw % 32 ? v : scree__hash(draw) % f->n, 0};
}

/* Heads by a power law, tails at random: few are led to by many. */
static void power_law_size(int scale, family_size *f) {
  f->n = UINT64_C(1) << (scale - 1);
  f->edges = FANOUT * f->n;
}
static void power_law_edge(const family_size *f, uint64_t i, scree_edge *edge) {
  const double r = unit(2 * i);
  *edge = (scree_edge){scree__hash(2 * i + 1) % f->n, (uint64_t)(r * r * r * (double)f->n), 0};
}

/* Cliques in a chain, with weights of their own: in a clique the way over all vertices is the shortest one, arcs that
 * skip some cost more, and the arc to the next clique as much as many buckets: whoever relaxes a clique's vertices in
 * another order than by distance improves them again and again. */
static void chain_size(int scale, family_size *f) {
  const uint64_t cliques = (UINT64_C(1) << (scale - 3)) / CLIQUE + 1, inside = CLIQUE * (CLIQUE - 1) / 2;
  f->n = cliques * CLIQUE;
  f->edges = cliques * (inside + 1) - 1;
}
static void chain_edge(const family_size *f, uint64_t i, scree_edge *edge) {
  const uint64_t inside = CLIQUE * (CLIQUE - 1) / 2, clique = i / (inside + 1), k = i % (inside + 1);
  (void)f;
  uint64_t high = 1;
  while (high * (high + 1) / 2 <= k) high++;
  const uint64_t low = k - high * (high - 1) / 2;
  if (k == inside)
    *edge = (scree_edge){clique * CLIQUE + CLIQUE - 1, (clique + 1) * CLIQUE, 1000};
  else
    *edge = (scree_edge){clique * CLIQUE + low, clique * CLIQUE + high, (double)(2 * (high - low) - 1)};
}

/* A row of vertices with arcs over 1, 2, 4, ... of them, which cost the more, per vertex passed, the longer they are: a
 * vertex is reached first by few long arcs, then again and again by more and shorter ones. Weights of their own. */
static void jumps_size(int scale, family_size *f) {
  f->n = UINT64_C(1) << (scale - 3);
  f->edges = JUMPS * f->n;
}
static void jumps_edge(const family_size *f, uint64_t i, scree_edge *edge) {
  const uint64_t u = i / JUMPS, k = i % JUMPS, over = UINT64_C(1) << k;
  *edge = (scree_edge){u, u + over < f->n ? u + over : f->n - 1, (double)(over * (10 + k))};
}

/* A path to a random graph: first many levels of one vertex, then few of many. */
static void path_to_uniform_size(int scale, family_size *f) {
  f->n = UINT64_C(1) << (scale - 1);
  f->edges = NEIGHBOURS * f->n;
}
static void path_to_uniform_edge(const family_size *f, uint64_t i, scree_edge *edge) {
  const uint64_t u = i / NEIGHBOURS, path = f->n / 64;
  *edge = (scree_edge){u, u + 1, 0};
  if (u >= path) edge->v = path + scree__hash(i) % (f->n - path);
}

/* ---- families of the library's generators ---- */

static void kron(int scale, char *text, size_t size) {
  snprintf(text, size, "kron:%d", scale);
}
static void kron_2(int scale, char *text, size_t size) {
  kron(scale - 2, text, size);
}
static void kron_4(int scale, char *text, size_t size) {
  kron(scale - 4, text, size);
}

static void uniform(int scale, uint64_t degree, char *text, size_t size) {
  snprintf(text, size, "uniform:%llu,%llu", 1ULL << scale, (unsigned long long)degree << scale >> 1);
}
static void uniform_2(int scale, char *text, size_t size) {
  uniform(scale, 2, text, size);
}
static void uniform_4(int scale, char *text, size_t size) {
  uniform(scale, 4, text, size);
}
static void uniform_16(int scale, char *text, size_t size) {
  uniform(scale - 1, 16, text, size);
}

static void rows_and_columns(int rows, int columns, char *text, size_t size) {
  snprintf(text, size, "grid:%llu,%llu", 1ULL << rows, 1ULL << columns);
}
static void grid(int scale, char *text, size_t size) {
  rows_and_columns(scale / 2, scale - scale / 2, text, size);
}
static void thin_grid(int scale, char *text, size_t size) {
  rows_and_columns(scale / 3, scale - scale / 3, text, size);
}

static void path(int scale, char *text, size_t size) {
  snprintf(text, size, "path:%llu", 1ULL << (scale - 2));
}
static void star(int scale, char *text, size_t size) {
  snprintf(text, size, "star:%llu", 1ULL << scale);
}

/* ---- all of them ---- */

static const family families[] = {
    {.name = "kron", .text = kron},
    {.name = "kron-2", .text = kron_2},
    {.name = "kron-4", .text = kron_4},
    {.name = "uniform-2", .text = uniform_2},
    {.name = "uniform-4", .text = uniform_4},
    {.name = "uniform-16", .text = uniform_16},
    {.name = "grid", .text = grid},
    {.name = "thin-grid", .text = thin_grid},
    {.name = "path", .text = path},
    {.name = "star", .text = star},
    {.name = "tree", .size = tree_size, .edge = tree_edge},
    {.name = "small-world", .size = small_world_size, .edge = small_world_edge},
    {.name = "path-to-uniform", .size = path_to_uniform_size, .edge = path_to_uniform_edge},
    {.name = "power-law", .size = power_law_size, .edge = power_law_edge, .directed = true},
    {.name = "jumps", .size = jumps_size, .edge = jumps_edge, .weighted = true},
    {.name = "clique-chain", .size = chain_size, .edge = chain_edge, .weighted = true},
};
enum { FAMILIES = sizeof families / sizeof *families };

const char *regret_family_at(size_t i) {
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

const char *regret_weights_at(size_t i) {
  return i < WEIGHTS ? weights[i].name : NULL;
}

/* ---- building ---- */

static bool size_of(const family *f, int scale, family_size *size) {
  char text[80], why[200];
  *size = (family_size){0};
  if (f->size) {
    f->size(scale, size);
    return true;
  }
  f->text(scale, text, sizeof text);
  if (scree_generated_parse(text, why, sizeof why, &size->generated) != SCREE_OK) return false;
  size->n = scree_generated_vertices(size->generated);
  size->edges = scree_generated_edges(size->generated);
  return true;
}

/* The part of one rank. */
static void add_part(scree_graph_builder *builder, const family *f, const family_size *size, size_t k, uint64_t from,
                     uint64_t to) {
  scree_edge batch[BATCH];
  for (uint64_t count; from < to; from += count) {
    count = to - from < BATCH ? to - from : BATCH;
    if (size->generated) scree_generated_make(size->generated, from, count, batch);
    for (uint64_t i = 0; i < count; i++) {
      if (!size->generated) f->edge(size, from + i, &batch[i]);
      if (!f->weighted) batch[i].weight = weights[k].of(unit(~(from + i)));
    }
    scree_graph_builder_add_many(builder, count, batch);
  }
}

scree_status regret_graph(scree_graphs *graphs, size_t i, size_t k, int scale, scree_graph **graph) {
  const family *f = &families[i];
  const uint64_t rank = scree_graphs_worker(graphs)->rank, ranks = scree_graphs_worker(graphs)->ranks;
  family_size size;
  if (!size_of(f, scale, &size)) return SCREE_EINVAL;
  const scree_graph_shape shape = {.n = size.n, .weight = weights[k].kind, .directed = f->directed};
  scree_graph_builder *builder;
  scree_status status = scree_graph_builder_begin(graphs, &shape, &builder);
  if (status == SCREE_OK) {
    add_part(builder, f, &size, k, size.edges / ranks * rank,
             rank + 1 == ranks ? size.edges : size.edges / ranks * (rank + 1));
    status = scree_graph_builder_finish(builder, graph);
  }
  scree_generated_free(size.generated);
  return status;
}
