/* component_cases.c - connected components, PageRank and lookups on drawn graphs, against serial answers.
 *
 * Every rank draws the whole graph and solves it alone. */
#include "component_cases.h"

#include <math.h>

#include "algorithm_cases.h"
#include "harness.h"

enum { VERTICES_MAX = 60, EDGES_MAX = 400, ITERATIONS = 7 };
typedef enum { SPARSE, DENSE, STAR, PATH, BACKWARD_PATH, PARTS, LOOPS, NO_EDGE, ONE_VERTEX, SHAPES } kind;

typedef struct {
  scree_graph_shape shape;
  uint64_t m, u[EDGES_MAX], v[EDGES_MAX]; /* as given: an undirected one once */
  uint64_t component[VERTICES_MAX], components, largest;
  double rank[VERTICES_MAX];
} drawn;

static void add(drawn *d, uint64_t u, uint64_t v) {
  d->u[d->m] = u;
  d->v[d->m++] = v;
}

static void draw_edges(drawn *d, kind k, uint64_t *state) {
  uint64_t n = d->shape.n, some = k == DENSE ? 5 * n : k == SPARSE || k == PARTS ? n / 2 + n / 4 : 0;
  for (uint64_t v = 1; v < n; v++) {
    if (k == STAR) add(d, v, n / 2);
    if (k == PATH) add(d, v - 1, v);
    if (k == BACKWARD_PATH) add(d, n - v, n - v - 1);
  }
  if (k == LOOPS || k == ONE_VERTEX)
    for (uint64_t v = 0; v < n; v++) add(d, v, v);
  for (uint64_t i = 0; i < some; i++) {
    uint64_t u = case_draw(state, n), v = case_draw(state, n);
    if (k == PARTS) v = u % 7 + v / 7 * 7 < n ? u % 7 + v / 7 * 7 : u; /* parts whose vertices are far apart */
    add(d, u, v);
    if (case_draw(state, 8) == 0) add(d, u, v);
  }
}

static void find_components(drawn *d) {
  uint64_t size[VERTICES_MAX] = {0};
  for (uint64_t v = 0; v < d->shape.n; v++) d->component[v] = v;
  for (bool more = true; more;) {
    more = false;
    for (uint64_t i = 0; i < d->m; i++) {
      uint64_t *a = &d->component[d->u[i]], *b = &d->component[d->v[i]];
      more |= *a != *b;
      if (*a < *b)
        *b = *a;
      else
        *a = *b;
    }
  }
  d->components = d->largest = 0;
  for (uint64_t v = 0; v < d->shape.n; v++) {
    d->components += d->component[v] == v;
    if (++size[d->component[v]] > d->largest) d->largest = size[d->component[v]];
  }
}

static bool both_directions(const drawn *d, uint64_t i) {
  return !d->shape.directed && d->u[i] != d->v[i];
}

static void find_ranks(drawn *d) {
  double n = (double)d->shape.n, next[VERTICES_MAX], degree[VERTICES_MAX] = {0};
  for (uint64_t i = 0; i < d->m; i++) {
    degree[d->u[i]]++;
    if (both_directions(d, i)) degree[d->v[i]]++;
  }
  for (uint64_t v = 0; v < d->shape.n; v++) d->rank[v] = 1 / n;
  for (int k = 0; k < ITERATIONS; k++) {
    double kept = 0;
    for (uint64_t v = 0; v < d->shape.n; v++) kept += degree[v] > 0 ? 0 : d->rank[v];
    for (uint64_t v = 0; v < d->shape.n; v++) next[v] = (0.15 + 0.85 * kept) / n;
    for (uint64_t i = 0; i < d->m; i++) {
      next[d->v[i]] += 0.85 * d->rank[d->u[i]] / degree[d->u[i]];
      if (both_directions(d, i)) next[d->u[i]] += 0.85 * d->rank[d->v[i]] / degree[d->v[i]];
    }
    memcpy(d->rank, next, sizeof next);
  }
}

static void draw(drawn *d, uint64_t *state) {
  kind k = (kind)case_draw(state, SHAPES);
  d->m = 0;
  d->shape = (scree_graph_shape){.n = k == ONE_VERTEX ? 1 : 2 + case_draw(state, VERTICES_MAX - 2)};
  d->shape.distribution = (scree_distribution_kind)case_draw(state, 3);
  d->shape.directed = case_draw(state, 2) == 0;
  d->shape.wide = case_draw(state, 4) == 0;
  if (k != NO_EDGE) draw_edges(d, k, state);
  find_components(d);
  find_ranks(d);
}

static scree_graph *build(component_layer *layer, const drawn *d) {
  scree_worker *w = scree_graphs_worker(layer->graphs);
  scree_graph_builder *builder;
  scree_graph *g = NULL;
  if (scree_graph_builder_begin(layer->graphs, &d->shape, &builder)) return NULL;
  for (uint64_t i = 0; i < d->m; i++)
    if (w->rank == i % w->ranks) scree_graph_builder_add(builder, d->u[i], d->v[i], 1);
  return scree_graph_builder_finish(builder, &g) ? NULL : g;
}

/* ---- one algorithm each ---- */

static uint64_t vertex_at(const scree_graph *g, uint64_t u) {
  return scree_graph_vertex(g, scree_location_make(scree_graph_rank(g), u));
}

/* Every rank gathers all, and looks some up. */
static void check_reading(const scree_graph *g, const drawn *d, const uint64_t *local) {
  uint64_t all[VERTICES_MAX], asked[2 * VERTICES_MAX], found[2 * VERTICES_MAX], count = 0;
  for (uint64_t v = 0; v < d->shape.n; v++) {
    if ((v + scree_graph_rank(g)) % 3 == 0) continue;
    asked[count++] = d->shape.n - 1 - v;
    if (v % 5 == 0) asked[count++] = v;
  }
  if (scree_graph_rank(g) == 1) count = 0;
  check_equal(scree_graph_gather_uint64(g, local, SCREE_ALL, all), SCREE_OK);
  check(memcmp(all, d->component, d->shape.n * sizeof *all) == 0);
  if (!check_equal(scree_graph_lookup_uint64(g, local, count, asked, found), SCREE_OK)) return;
  for (uint64_t i = 0; i < count; i++) check_equal(found[i], d->component[asked[i]]);
}

/* A wrong answer is found out: of the one vertex `bad`, by the rules. */
static void check_spoilt(const scree_graph *g, const drawn *d, uint64_t *component, uint64_t *state) {
  scree_verdict verdict;
  uint64_t bad = case_draw(state, d->shape.n), wrong = case_draw(state, d->shape.n);
  scree_location place = scree_graph_location(g, bad);
  uint64_t *at = scree_location_owner(place) == scree_graph_rank(g) ? &component[scree_location_local(place)] : NULL;
  if (wrong == d->component[bad]) wrong = SCREE_NO_VERTEX;
  if (at) *at = wrong;
  check_equal(scree_cc_validate(g, component, &verdict), SCREE_OK);
  check_text(!verdict.valid && strncmp(verdict.text, "rule ", 5) == 0, "vertex %" PRIu64 " as %" PRIu64, bad, wrong);
  if (at) *at = d->component[bad];
}

static void check_cc(component_layer *layer, const scree_graph *g, const drawn *d, uint64_t *state) {
  for (size_t i = 0; scree_kernel_variant_at(scree_kernel_find("cc"), i); i++) {
    scree_cc_options how = SCREE_CC_OPTIONS_INIT;
    how.algorithm = scree_kernel_variant_at(scree_kernel_find("cc"), i)->name;
    scree_answer r;
    scree_verdict verdict;
    if (!check_text(!scree_solver_run(layer->cc, g, 0, &how, &r), "%s: %s", how.algorithm,
                    scree_graphs_error(layer->graphs)))
      return;
    uint64_t *component = r.array[0];
    for (uint64_t u = 0; u < g->locals; u++)
      check_text(component[u] == d->component[vertex_at(g, u)],
                 "%s: vertex %" PRIu64 ": %" PRIu64 ", expected %" PRIu64, how.algorithm, vertex_at(g, u), component[u],
                 d->component[vertex_at(g, u)]);
    check(r.figure[0] == (double)d->components && r.figure[1] == (double)d->largest);
    check_string(r.algorithm, how.algorithm);
    check_equal(scree_cc_validate(g, component, &verdict), SCREE_OK);
    check_text(verdict.valid, "%s: %s", how.algorithm, verdict.text);
    check_reading(g, d, component);
    check_spoilt(g, d, component, state);
    scree_answer_free(&r);
  }
}

static void check_ranks(const scree_graph *g, const drawn *d, const scree_answer *r) {
  double *rank = r->array[0];
  const double within = strcmp(r->algorithm, "pull-float") == 0 ? 1e-6 : 1e-12;
  scree_verdict verdict;
  for (uint64_t u = 0; u < g->locals; u++) {
    double expected = d->rank[vertex_at(g, u)];
    check_text(fabs(rank[u] - expected) <= within * expected, "%s: vertex %" PRIu64 ": %.17g, expected %.17g",
               r->algorithm, vertex_at(g, u), rank[u], expected);
  }
  check(r->figure[0] == ITERATIONS);
  check_equal(scree_pagerank_validate(g, rank, SCREE_PAGERANK_DAMPING, r->figure[1], &verdict), SCREE_OK);
  check_text(verdict.valid, "%s: %s", r->algorithm, verdict.text);
  if (g->locals && scree_graph_rank(g) == 0) rank[0] *= 1 + 1e-6;
  check_equal(scree_pagerank_validate(g, rank, SCREE_PAGERANK_DAMPING, r->figure[1], &verdict), SCREE_OK);
  check(!verdict.valid);
}

static void check_pagerank(component_layer *layer, const scree_graph *g, const drawn *d) {
  for (size_t i = 0; scree_kernel_variant_at(scree_kernel_find("pagerank"), i); i++) {
    scree_pagerank_options how = SCREE_PAGERANK_OPTIONS_INIT;
    how.algorithm = scree_kernel_variant_at(scree_kernel_find("pagerank"), i)->name;
    how.iterations = ITERATIONS;
    how.sums = g->arcs % 3; /* table, cache or off */
    scree_answer r;
    if (g->directed && strncmp(how.algorithm, "pull", 4) == 0) continue;
    if (!check_text(!scree_solver_run(layer->pagerank, g, 0, &how, &r), "%s: %s", how.algorithm,
                    scree_graphs_error(layer->graphs)))
      return;
    check_ranks(g, d, &r);
    scree_answer_free(&r);
  }
}

void component_run(component_layer *layer, uint64_t seed) {
  drawn both[2];
  scree_graph *graphs[2] = {NULL, NULL};
  uint64_t state = seed;
  bool ready = true;
  for (int k = 0; k < 2 && ready; k++) {
    draw(&both[k], &state);
    ready = check((graphs[k] = build(layer, &both[k])) != NULL);
  }
  for (int k = 0; k < 4 && ready; k++) {
    check_cc(layer, graphs[k % 2], &both[k % 2], &state);
    check_pagerank(layer, graphs[k % 2], &both[k % 2]);
  }
  for (int k = 0; k < 2; k++) scree_graph_free(graphs[k]);
}

bool component_open(scree_world *world, component_layer *layer) {
  *layer = (component_layer){0};
  return check(scree_graphs_open(world, &layer->graphs) == SCREE_OK) &&
         check(scree_solver_open(layer->graphs, scree_kernel_find("cc"), &layer->cc) == SCREE_OK) &&
         check(scree_solver_open(layer->graphs, scree_kernel_find("pagerank"), &layer->pagerank) == SCREE_OK);
}

void component_close(component_layer *layer) {
  scree_solver_close(layer->pagerank);
  scree_solver_close(layer->cc);
  scree_graphs_close(layer->graphs);
}
