/* construction.c - time to build a distributed graph from edges in memory, against one process that does it alone.
 *
 * scree_graph_builder_add_many over each rank's share of a Kronecker graph's edges is interleaved with a serial
 * counting sort of all edges in both directions: counts, their prefix sums, then 32-bit heads and weights into rows.
 * The serial baseline is tuned: its edges are packed into 12 bytes, its offsets have 32 bits, and its arrays use huge
 * pages where available. Both end with the same arcs, which is checked. Default scale 18, edge factor 16; --full adds
 * scale 20. */
#include <scree/generate.h>
#include <scree/graph.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "common.h"

typedef struct {
  uint32_t u, v;
  float weight;
} packed_edge;

typedef struct {
  scree_graphs *graphs;
  int scale, rank;
  scree_distribution_kind distribution;
  scree_edge *mine; /* this rank's share of the edges */
  uint64_t share;
  packed_edge *all; /* on rank 0: all edges */
  uint64_t edges, n;
  scree_graph *graph;        /* of the last run */
  uint32_t *offsets, *heads; /* serial */
  float *weights;
  uint64_t digest[2]; /* of the last run: scree, serial */
} state;

/* ---- the edges --------------------------------------------------------------------------------------------------- */

static bool make_edges(state *s, int ranks) {
  char text[32], why[240];
  scree_generated *kronecker;
  snprintf(text, sizeof text, "kron:%d", s->scale);
  if (scree_generated_parse(text, why, sizeof why, &kronecker)) return false;
  s->n = scree_generated_vertices(kronecker);
  s->edges = scree_generated_edges(kronecker);
  uint64_t from, to;
  scree_distribution_block_range(s->edges, (uint32_t)s->rank, (uint32_t)ranks, &from, &to);
  s->share = to - from;
  s->mine = bench_alloc(s->share * sizeof *s->mine, true);
  if (s->rank == 0) s->all = bench_alloc(s->edges * sizeof *s->all, true);
  bool good = s->mine && (s->rank || s->all);
  if (good) scree_generated_make(kronecker, from, s->share, s->mine);
  for (uint64_t i = 0; good && s->rank == 0 && i < s->edges; i++) {
    scree_edge e;
    scree_generated_make(kronecker, i, 1, &e);
    s->all[i] = (packed_edge){(uint32_t)e.u, (uint32_t)e.v, (float)e.weight};
  }
  scree_generated_free(kronecker);
  return good;
}

/* Of one arc. The sum over all arcs depends neither on their order nor on the number of ranks. */
static uint64_t hash(uint64_t tail, uint64_t head, float weight) {
  uint32_t bits;
  memcpy(&bits, &weight, sizeof bits);
  return scree__hash(scree__hash(tail << 32 | head) + bits);
}

/* ---- scree ------------------------------------------------------------------------------------------------------- */

static void run_scree(void *arg, uint64_t n) {
  (void)n;
  state *s = arg;
  scree_graph_shape shape = {.n = s->n, .distribution = s->distribution, .weight = SCREE_WEIGHT_FLOAT};
  scree_graph_builder *builder;
  s->graph = NULL;
  if (scree_graph_builder_begin(s->graphs, &shape, &builder) != SCREE_OK) return;
  scree_graph_builder_add_many(builder, s->share, s->mine);
  if (scree_graph_builder_finish(builder, &s->graph) != SCREE_OK) s->graph = NULL;
}

static bool check_scree(void *arg, uint64_t n) {
  (void)n;
  state *s = arg;
  const scree_graph *g = s->graph;
  scree_reduce r = {.min = UINT64_MAX};
  if (!g) return false;
  for (uint64_t u = 0; u < g->locals; u++) {
    uint64_t tail = scree_graph_vertex(g, scree_location_make((uint32_t)s->rank, u));
    for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++)
      r.sum[0] += hash(tail, scree_graph_vertex(g, scree_graph_target(g, e)), (float)scree_graph_weight(g, e));
  }
  bool good = scree_graphs_reduce(s->graphs, &r) == SCREE_OK;
  s->digest[0] = r.sum[0];
  scree_graph_free(s->graph);
  return good;
}

/* ---- one process ------------------------------------------------------------------------------------------------- */

/* next[u + 1] is the index of u's next arc. */
static void scatter(const state *s, uint32_t *next) {
  uint32_t *heads = s->heads;
  float *weights = s->weights;
  for (uint64_t i = 0; i < s->edges; i++) {
    packed_edge e = s->all[i];
    uint32_t at = next[e.u + 1]++;
    heads[at] = e.v;
    weights[at] = e.weight;
    if (e.u == e.v) continue;
    at = next[e.v + 1]++;
    heads[at] = e.u;
    weights[at] = e.weight;
  }
}

static void run_serial(void *arg, uint64_t n) {
  (void)n;
  state *s = arg;
  if (s->rank) return;
  uint32_t *next = s->offsets = scree_huge_alloc((s->n + 2) * sizeof *next);
  if (!next) return;
  for (uint64_t i = 0; i < s->edges; i++) {
    next[s->all[i].u + 2]++;
    next[s->all[i].v + 2] += s->all[i].u != s->all[i].v;
  }
  for (uint64_t u = 1; u <= s->n; u++) next[u + 1] += next[u];
  s->heads = scree_huge_alloc(next[s->n + 1] * sizeof *s->heads);
  s->weights = scree_huge_alloc(next[s->n + 1] * sizeof *s->weights);
  if (s->heads && s->weights) scatter(s, next);
}

static bool check_serial(void *arg, uint64_t n) {
  (void)n;
  state *s = arg;
  if (s->rank) return true;
  bool good = s->offsets && s->heads && s->weights;
  s->digest[1] = 0;
  for (uint64_t u = 0; good && u < s->n; u++)
    for (uint32_t e = s->offsets[u]; e < s->offsets[u + 1]; e++) s->digest[1] += hash(u, s->heads[e], s->weights[e]);
  scree_huge_free(s->offsets);
  scree_huge_free(s->heads);
  scree_huge_free(s->weights);
  s->offsets = s->heads = NULL;
  s->weights = NULL;
  return good;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static void report(bench *b, const state *s, const bench_variant *variants) {
  static const char *const names[] = {"block", "cyclic", "hash"};
  const double mine = variants[0].seconds, serial = variants[1].seconds, arcs = 2. * (double)s->edges;
  bench_row(b, BENCH_CELL("scale", "%5.0f", s->scale, 1), BENCH_TEXT("distribution", " %-7s", names[s->distribution]),
            BENCH_CELL("ranks", NULL, b->ranks, 1), BENCH_CELL("seconds", " %9.1f", mine, 1e3),
            BENCH_CELL("serial_seconds", " %9.1f", serial, 1e3), BENCH_CELL(NULL, " %9.2f", mine / arcs, 1e9),
            BENCH_CELL(NULL, " %9.2f", serial / arcs, 1e9), BENCH_CELL("serial_ratio", " %7.3f", mine / serial, 1),
            BENCH_CELL("spread", NULL, variants[0].spread, 1),
            BENCH_CELL("serial_spread", NULL, variants[1].spread, 1));
}

static bool run_scale(bench *b, scree_graphs *graphs, int scale) {
  state s = {.graphs = graphs, .scale = scale, .rank = b->rank};
  bool good = bench_all(make_edges(&s, b->ranks));
  int kinds = b->full ? SCREE_DISTRIBUTION_HASH : SCREE_DISTRIBUTION_BLOCK;
  for (int kind = SCREE_DISTRIBUTION_BLOCK; good && kind <= kinds; kind++) {
    s.distribution = (scree_distribution_kind)kind;
    bench_variant variants[] = {{.name = "scree", .run = run_scree, .check = check_scree, .arg = &s, .n = 1},
                                {.name = "serial", .run = run_serial, .check = check_serial, .arg = &s, .n = 1}};
    good = bench_rounds(b, variants, 2) && bench_all(b->rank != 0 || s.digest[0] == s.digest[1]);
    if (good) report(b, &s, variants);
  }
  scree_huge_free(s.mine);
  scree_huge_free(s.all);
  return good;
}

static bool run(bench *b) {
  scree_graphs *graphs = NULL;
  scree_world *world = bench_open(NULL, NULL);
  if (!world) return false;
  bool good = b->scale <= 26 && scree_graphs_open(world, &graphs) == SCREE_OK;
  if (b->rank == 0) printf("%5s %-7s %9s %9s %9s %9s %7s\n", "scale", "", "ms", "serial", "ns/arc", "serial", "ratio");
  good = good && run_scale(b, graphs, b->scale ? b->scale : 18);
  if (b->full && !b->scale) good = good && run_scale(b, graphs, 20);
  if (!good && b->rank == 0) fprintf(stderr, "construction: %s\n", graphs ? scree_graphs_error(graphs) : "failed");
  scree_graphs_close(graphs);
  return scree_close(world) == SCREE_OK && good;
}

const bench_mode bench_modes[] = {
    {.name = "construction",
     .what = "building a distributed graph from edges in memory, against a serial counting sort; --scale: log2 of the "
             "vertices, at most 26, default 18",
     .run = run},
    {0}};
