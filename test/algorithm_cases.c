/* algorithm_cases.c - every BFS and SSSP variant on one drawn graph, against serial answers.
 *
 * Room: see algorithm_cases.h. Every rank draws the whole graph and solves it alone, so nothing is compared but by
 * the rank that owns it. */
#include "algorithm_cases.h"

#include <math.h>

#include "../algorithms/graph/serial.h"
#include "harness.h"

uint64_t case_draw(uint64_t *state, uint64_t n) {
  uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return (z ^ (z >> 31)) % n;
}

/* ---- drawn graphs ---- */

enum { VERTICES_MAX = 48, EDGES_MAX = 512 };
typedef enum { SPARSE, DENSE, STAR, PATH, RING, PARTS, NO_EDGE, ONE_VERTEX, LOOPS, SHAPES } shape;

typedef struct {
  scree_graph_shape shape;
  uint64_t m, source;
  scree__triple edges[EDGES_MAX]; /* as given: an undirected one once */
  scree__csr csr;
  double distance[VERTICES_MAX];
  uint32_t level[VERTICES_MAX], parent[VERTICES_MAX];
} drawn;

static double draw_weight(uint64_t *state, scree_weight_kind kind) {
  uint64_t r = case_draw(state, 16);
  if (kind == SCREE_WEIGHT_NONE) return 1;
  if (r < 3) return 0;
  if (kind == SCREE_WEIGHT_UINT32) return r == 3 ? 4294967295.0 : (double)case_draw(state, 20);
  double w = (double)case_draw(state, 1000) / (kind == SCREE_WEIGHT_FLOAT ? 256 : 97);
  return kind == SCREE_WEIGHT_FLOAT ? (double)(float)w : w;
}

static void add(drawn *d, uint64_t a, uint64_t b, uint64_t *state) {
  d->edges[d->m++] = (scree__triple){a, b, draw_weight(state, d->shape.weight)};
}

static void draw_edges(drawn *d, shape s, uint64_t *state) {
  uint64_t n = d->shape.n, some = s == DENSE ? 5 * n : s == SPARSE || s == PARTS ? n + n / 4 : 0;
  if (s == STAR || s == PATH || s == RING)
    for (uint64_t v = 1; v < n; v++) add(d, s == STAR ? 0 : v - 1, v, state);
  if (s == RING) add(d, n - 1, 0, state);
  if (s == LOOPS || s == ONE_VERTEX)
    for (uint64_t v = 0; v < n; v++) add(d, v, v, state);
  for (uint64_t i = 0; i < some; i++) {
    uint64_t a = case_draw(state, n), b = case_draw(state, n);
    if (s == PARTS) b = a / 8 * 8 + b % 8 < n ? a / 8 * 8 + b % 8 : a;
    add(d, a, b, state);
    if (case_draw(state, 8) == 0) add(d, a, b, state);
  }
}

static bool solve_alone(drawn *d) {
  scree__triple arcs[2 * EDGES_MAX];
  uint64_t m = 0;
  for (uint64_t i = 0; i < d->m; i++) {
    arcs[m++] = d->edges[i];
    if (!d->shape.directed && d->edges[i].a != d->edges[i].b)
      arcs[m++] = (scree__triple){d->edges[i].b, d->edges[i].a, d->edges[i].w};
  }
  bool ok = scree__csr_build(&d->csr, d->shape.n, m, arcs, d->shape.weight) &&
            scree__serial_dijkstra(&d->csr, (uint32_t)d->source, d->distance) &&
            scree__serial_bfs(&d->csr, (uint32_t)d->source, d->level, d->parent);
  scree__csr_free(&d->csr);
  return ok;
}

static bool draw(drawn *d, uint64_t *state) {
  static const scree_weight_kind kinds[] = {SCREE_WEIGHT_NONE, SCREE_WEIGHT_UINT32, SCREE_WEIGHT_FLOAT,
                                            SCREE_WEIGHT_DOUBLE};
  shape s = (shape)case_draw(state, SHAPES);
  d->m = 0;
  d->shape = (scree_graph_shape){.n = s == ONE_VERTEX ? 1 : 2 + case_draw(state, VERTICES_MAX - 2),
                                 .distribution = (scree_distribution_kind)case_draw(state, 3),
                                 .weight = kinds[case_draw(state, 4)],
                                 .directed = case_draw(state, 2) == 0,
                                 .wide = case_draw(state, 4) == 0};
  if (s != NO_EDGE) draw_edges(d, s, state);
  d->source = case_draw(state, 3) ? case_draw(state, d->shape.n) : 0;
  return check(solve_alone(d));
}

/* ---- build, run, compare ---- */

static scree_graph *build(case_layer *layer, const drawn *d, uint64_t *state) {
  scree_worker *w = scree_graphs_worker(layer->graphs);
  scree_graph_builder *builder;
  scree_graph *g = NULL;
  bool all_by_one = case_draw(state, 2) == 0;
  if (scree_graph_builder_begin(layer->graphs, &d->shape, &builder)) return NULL;
  for (uint64_t i = 0; i < d->m; i++)
    if (scree_rank(w) == (all_by_one ? 0 : i % scree_ranks(w)))
      scree_graph_builder_add(builder, d->edges[i].a, d->edges[i].b, d->edges[i].w);
  return scree_graph_builder_finish(builder, &g) ? NULL : g;
}

/* Some edge p -> v as given makes `to` of `from`. */
static bool has_edge(const drawn *d, uint64_t p, uint64_t v, double from, double to, bool weights) {
  for (uint64_t i = 0; i < d->m; i++) {
    const scree__triple *e = &d->edges[i];
    bool there = (e->a == p && e->b == v) || (!d->shape.directed && e->a == v && e->b == p);
    if (there && from + (weights ? e->w : 1) == to) return true;
  }
  return false;
}

static void check_work(const scree_work *work, uint64_t reached, const char *name) {
  check_text(work->sent + work->direct == work->useful + work->invalidated + work->rejected, "%s: sent %" PRIu64, name, work->sent);
  check_text(work->useful == reached - 1, "%s: useful %" PRIu64 ", reached %" PRIu64, name, work->useful, reached);
  check_text(work->edges >= work->sent && work->epochs > 0, "%s: edges %" PRIu64, name, work->edges);
}

static void check_sssp(const scree_graph *g, const drawn *d, const scree_sssp_result *r) {
  uint64_t reached = 0;
  check_equal(r->locals, g->locals);
  for (uint64_t v = 0; v < d->shape.n; v++) {
    scree_place place = scree_graph_place(g, v);
    reached += d->distance[v] < (double)INFINITY;
    if (scree_place_owner(place) != scree_graph_rank(g)) continue;
    uint64_t u = scree_place_local(place), p = r->parent[u];
    check_text(r->distance[u] == d->distance[v], "%s: vertex %" PRIu64 ": %g, expected %g", r->algorithm, v,
               r->distance[u], d->distance[v]);
    if (v == d->source)
      check_equal(p, v);
    else if (isfinite(d->distance[v]))
      check_text(p < d->shape.n && has_edge(d, p, v, d->distance[p], d->distance[v], true),
                 "%s: parent of %" PRIu64 " is %" PRIu64, r->algorithm, v, p);
    else
      check_equal(p, SCREE_NO_VERTEX);
  }
  check_work(&r->work, reached, r->algorithm);
}

static void check_bfs(const scree_graph *g, const drawn *d, const scree_bfs_result *r) {
  uint64_t reached = 0;
  check_equal(r->locals, g->locals);
  for (uint64_t v = 0; v < d->shape.n; v++) {
    scree_place place = scree_graph_place(g, v);
    int64_t level = d->level[v] == SCREE__UNREACHED ? -1 : (int64_t)d->level[v];
    reached += level >= 0;
    if (scree_place_owner(place) != scree_graph_rank(g)) continue;
    uint64_t u = scree_place_local(place), p = r->parent[u];
    check_text(r->level[u] == level, "%s: vertex %" PRIu64 ": %" PRId64 ", expected %" PRId64, r->algorithm, v,
               r->level[u], level);
    if (v == d->source)
      check_equal(p, v);
    else if (level >= 0)
      check_text(p < d->shape.n && has_edge(d, p, v, d->level[p], (double)level, false),
                 "%s: parent of %" PRIu64 " is %" PRIu64, r->algorithm, v, p);
    else
      check_equal(p, SCREE_NO_VERTEX);
  }
  check_work(&r->work, reached, r->algorithm);
}

static double draw_delta(const scree_graph *g, const char *algorithm, uint64_t *state) {
  const double deltas[] = {0, g->weight_max / 3, 1e10, g->weight_max / 1000, g->weight_max < 1e4 ? 1 : 1e6};
  double delta = deltas[case_draw(state, 5)];
  return strcmp(algorithm, "delta") == 0 ? delta : 0;
}

static void run_sssp(case_layer *layer, const scree_graph *g, const drawn *d, uint64_t *state) {
  for (size_t i = 0; scree_sssp_algorithm_at(i); i++) {
    scree_sssp_options how = {.algorithm = scree_sssp_algorithm_at(i)->name};
    scree_sssp_result *result;
    scree_verdict verdict;
    how.delta = draw_delta(g, how.algorithm, state);
    if (!check_text(!scree_sssp_run(layer->sssp, g, d->source, &how, &result), "%s: %s", how.algorithm,
                    scree_graphs_error(layer->graphs)))
      return;
    check_sssp(g, d, result);
    if (check(!scree_validate_sssp(g, d->source, result->distance, &verdict)))
      check_text(verdict.valid, "%s: %s", how.algorithm, verdict.text);
    scree_sssp_free(result);
  }
}

static void run_bfs(case_layer *layer, const scree_graph *g, const drawn *d) {
  for (size_t i = 0; scree_bfs_algorithm_at(i); i++) {
    const scree_bfs_options how = {.algorithm = scree_bfs_algorithm_at(i)->name};
    scree_bfs_result *result;
    scree_verdict verdict;
    if (!check_text(!scree_bfs_run(layer->bfs, g, d->source, &how, &result), "%s: %s", how.algorithm,
                    scree_graphs_error(layer->graphs)))
      return;
    check_bfs(g, d, result);
    if (check(!scree_validate_bfs(g, d->source, result->level, result->parent, &verdict)))
      check_text(verdict.valid, "%s: %s", how.algorithm, verdict.text);
    scree_bfs_free(result);
  }
}

void case_run(case_layer *layer, uint64_t seed) {
  drawn both[2];
  scree_graph *graphs[2] = {NULL, NULL};
  uint64_t state = seed;
  bool ready = true;
  for (int k = 0; k < 2 && ready; k++)
    ready = draw(&both[k], &state) && check((graphs[k] = build(layer, &both[k], &state)) != NULL);
  for (int k = 0; k < 4 && ready; k++) {
    run_sssp(layer, graphs[k % 2], &both[k % 2], &state);
    run_bfs(layer, graphs[k % 2], &both[k % 2]);
  }
  for (int k = 0; k < 2; k++) scree_graph_free(graphs[k]);
}

bool case_open(scree_world *world, case_layer *layer) {
  *layer = (case_layer){0};
  return check(scree_graphs_open(world, &layer->graphs) == SCREE_OK) &&
         check(scree_bfs_open(layer->graphs, &layer->bfs) == SCREE_OK) &&
         check(scree_sssp_open(layer->graphs, &layer->sssp) == SCREE_OK);
}

void case_close(case_layer *layer) {
  scree_bfs_close(layer->bfs);
  scree_sssp_close(layer->sssp);
  scree_graphs_close(layer->graphs);
}
