/* families.c - the generators: a family of graphs each, its numbers and its edges. */
#include "generate/generator.h"

#include <stdio.h>

#include "base/hash.h"
#include "file/parse.h"

enum { COMPLETE_MAX = 1 << 20 };
#define EDGES_MAX (UINT64_C(1) << 48)

enum { STREAM_WEIGHTS = 1, STREAM_EDGES }; /* as those of the Kronecker generator */

/* `min` to `max` numbers separated by commas, the i-th in from[i] .. to[i]. */
static bool numbers(const char *text, int min, int max, const uint64_t *from, const uint64_t *to,
                    uint64_t *const *values) {
  for (int i = 0; i < max; i++) {
    char word[24];
    size_t n = 0;
    while (text[n] && text[n] != ',' && n < sizeof word - 1) word[n] = text[n], n++;
    word[n] = 0;
    const char *at = word;
    if (!n || scree__parse_number(&at, from[i], to[i], values[i]) || *at) return false;
    text += n;
    if (!*text) return i + 1 >= min;
    if (*text++ != ',') return false;
  }
  return false;
}

/* Edge i, whose ends are u and v, with its weight. */
static void put_edge(const scree_generated *g, uint64_t i, uint64_t u, uint64_t v, scree_edge *edge) {
  *edge = (scree_edge){u, v, (double)scree__unit_float(scree__hash_draw(scree__hash_draw(g->seed, STREAM_WEIGHTS), i))};
}

/* ---- kron ---- */

static bool kron_parse(const char *text, scree_generated *g, char *why, size_t size) {
  if (!scree__kron_parse(&g->kron, text, why, size)) return false;
  g->n = UINT64_C(1) << g->kron.scale;
  g->edges = g->kron.edge_factor << g->kron.scale;
  return true;
}
static void kron_edge(const scree_generated *g, uint64_t i, scree_edge *edge) {
  float w;
  scree__kron_edge(&g->kron, i, &edge->u, &edge->v, &w);
  edge->weight = (double)w;
}
const scree__generator scree__generator_kron = {
    {"kron", "SCALE[,EDGEFACTOR[,SEED]]", "a Kronecker graph of the Graph500 specification"}, kron_parse, kron_edge};

/* ---- uniform ---- */

static bool uniform_parse(const char *text, scree_generated *g, char *why, size_t size) {
  static const uint64_t from[] = {1, 0, 0}, to[] = {SCREE_VERTICES_MAX, EDGES_MAX, UINT64_MAX - 1};
  if (numbers(text, 2, 3, from, to, (uint64_t *const[]){&g->n, &g->edges, &g->seed})) return true;
  snprintf(why, size, "1 .. 2^40 vertices, at most 2^48 edges");
  return false;
}
static void uniform_edge(const scree_generated *g, uint64_t i, scree_edge *edge) {
  uint64_t key = scree__hash_draw(g->seed, STREAM_EDGES);
  put_edge(g, i, scree__hash_draw(key, 2 * i) % g->n, scree__hash_draw(key, 2 * i + 1) % g->n, edge);
}
const scree__generator scree__generator_uniform = {
    {"uniform", "N,EDGES[,SEED]", "EDGES edges between random vertices"}, uniform_parse, uniform_edge};

/* ---- grid ---- */

static bool grid_parse(const char *text, scree_generated *g, char *why, size_t size) {
  static const uint64_t from[] = {1, 1}, to[] = {1 << 20, 1 << 20};
  if (!numbers(text, 2, 2, from, to, (uint64_t *const[]){&g->a, &g->b})) {
    snprintf(why, size, "1 .. 2^20 rows, 1 .. 2^20 columns");
    return false;
  }
  g->n = g->a * g->b;
  g->edges = g->a * (g->b - 1) + (g->a - 1) * g->b;
  return true;
}
/* First those along the rows, then those along the columns. */
static void grid_edge(const scree_generated *g, uint64_t i, scree_edge *edge) {
  uint64_t along = g->a * (g->b - 1), u = i - along;
  if (i < along) u = i / (g->b - 1) * g->b + i % (g->b - 1);
  put_edge(g, i, u, i < along ? u + 1 : u + g->b, edge);
}
const scree__generator scree__generator_grid = {{"grid", "ROWS,COLUMNS", "a grid, row by row"}, grid_parse, grid_edge};

/* ---- path, star, complete ---- */

static bool parse_n(const char *text, uint64_t max, scree_generated *g, char *why, size_t size) {
  static const uint64_t from[] = {1};
  bool good = numbers(text, 1, 1, from, &max, (uint64_t *const[]){&g->n});
  if (!good) snprintf(why, size, "1 .. %llu vertices", (unsigned long long)max);
  g->edges = g->n - 1;
  return good;
}
static bool line_parse(const char *text, scree_generated *g, char *why, size_t size) {
  return parse_n(text, SCREE_VERTICES_MAX, g, why, size);
}
static void path_edge(const scree_generated *g, uint64_t i, scree_edge *edge) {
  put_edge(g, i, i, i + 1, edge);
}
const scree__generator scree__generator_path = {{"path", "N", "a path from vertex 0 to N - 1"}, line_parse, path_edge};

static void star_edge(const scree_generated *g, uint64_t i, scree_edge *edge) {
  put_edge(g, i, 0, i + 1, edge);
}
const scree__generator scree__generator_star = {{"star", "N", "vertex 0 and N - 1 around it"}, line_parse, star_edge};

static bool complete_parse(const char *text, scree_generated *g, char *why, size_t size) {
  if (!parse_n(text, COMPLETE_MAX, g, why, size)) return false;
  g->edges = g->n * (g->n - 1) / 2;
  return true;
}
/* Vertex v has edges to all below it, from number v (v - 1) / 2 on. */
static void complete_edge(const scree_generated *g, uint64_t i, scree_edge *edge) {
  uint64_t low = 1, high = g->n;
  while (high - low > 1) {
    uint64_t v = low + (high - low) / 2;
    if (v * (v - 1) / 2 <= i)
      low = v;
    else
      high = v;
  }
  put_edge(g, i, i - low * (low - 1) / 2, low, edge);
}
const scree__generator scree__generator_complete = {
    {"complete", "N", "every two of N vertices are joined"}, complete_parse, complete_edge};
