/* sim_graph.c - tests of distributed graphs on virtual ranks: builder, generator, weights, queries. */
#include <math.h>

#include "graph_cases.h"
#include "yardstick/serial.h"

/* ---- builder ----------------------------------------------------------------------------------------------------- */

enum { N = 40, EDGES = 300 };

typedef struct {
  scree_graph_shape shape;
  uint64_t seed;
} build_case;

static scree_edge edge_of(const build_case *c, uint64_t i) {
  uint64_t bits = scree__hash_draw(c->seed, i);
  double w = c->shape.weight == SCREE_WEIGHT_UINT32   ? (double)(uint32_t)(bits >> 32)
             : c->shape.weight == SCREE_WEIGHT_FLOAT  ? (double)scree__unit_float(bits << 16)
             : c->shape.weight == SCREE_WEIGHT_DOUBLE ? (double)(bits >> 11) * 0x1p-53
                                                      : 1;
  return (scree_edge){bits % c->shape.n, (bits >> 8) % c->shape.n, w};
}

static scree_graph *build(scree_graphs *graphs, const build_case *c) {
  scree_graph_builder *b = NULL;
  scree_graph *g = NULL;
  scree_worker *w = scree_graphs_worker(graphs);
  if (!check_equal(scree_graph_builder_begin(graphs, &c->shape, &b), SCREE_OK)) return NULL;
  for (uint64_t i = w->rank; i < EDGES; i += w->ranks) {
    scree_edge e = edge_of(c, i);
    scree_graph_builder_add(b, e.u, e.v, e.weight);
  }
  check_text(scree_graph_builder_finish(b, &g) == SCREE_OK, "%s", scree_graphs_error(graphs));
  return g;
}

/* The sum over arcs of a hash of (tail, head, weight), and the number of arcs, made without scree. */
static uint64_t expected(const build_case *c, uint64_t *arcs, double *max) {
  uint64_t sum = 0, bits;
  *arcs = 0;
  *max = 0;
  for (uint64_t i = 0; i < EDGES; i++) {
    scree_edge e = edge_of(c, i);
    memcpy(&bits, &e.weight, sizeof bits);
    *max = fmax(*max, e.weight);
    sum += scree__hash_draw(scree__hash_draw(e.u, e.v), bits);
    ++*arcs;
    if (c->shape.directed || e.u == e.v) continue;
    sum += scree__hash_draw(scree__hash_draw(e.v, e.u), bits);
    ++*arcs;
  }
  return sum;
}

/* Some vertices reached, few or most: each of their edges counts half at each end, and a self loop whole. */
static void check_some_traversed(const scree_graph *g, const double *dist) {
  scree_reduce r = {.min = UINT64_MAX};
  uint64_t vertices, edges;
  for (uint64_t u = 0; u < g->locals; u++)
    for (uint64_t e = g->offsets[u]; dist[u] < INFINITY && e < g->offsets[u + 1]; e++) {
      const scree_location head = scree_graph_target(g, e);
      const bool loop = scree_location_owner(head) == scree_graph_rank(g) && scree_location_local(head) == u;
      r.sum[0] += g->directed || loop ? 2 : 1;
    }
  for (uint64_t u = 0; u < g->locals; u++) r.sum[1] += dist[u] < INFINITY;
  check_equal(scree_graphs_reduce(g->graphs, &r), SCREE_OK);
  check_equal(scree_graph_traversed(g, dist, NULL, &vertices, &edges), SCREE_OK);
  check_equal(vertices, r.sum[1]);
  check_equal(edges, r.sum[0] / 2);
}

/* All vertices reached: every edge counts once. */
static void check_traversed(const scree_graph *g) {
  uint64_t vertices, edges;
  double *dist = calloc(g->locals + 1, sizeof *dist);
  check_equal(scree_graph_traversed(g, dist, NULL, &vertices, &edges), SCREE_OK);
  check_equal(vertices, g->vertices.n);
  check_equal(edges, g->edges);
  for (uint64_t u = 0; u < g->locals; u += 4) dist[u] = INFINITY;
  check_some_traversed(g, dist);
  for (uint64_t u = 0; u < g->locals; u++) dist[u] = u % 4 ? INFINITY : 1;
  check_some_traversed(g, dist);
  for (uint64_t u = 0; u < g->locals; u++) dist[u] = INFINITY;
  check_equal(scree_graph_traversed(g, dist, NULL, &vertices, &edges), SCREE_OK);
  check(vertices == 0 && edges == 0);
  free(dist);
}

static void check_graph(const scree_graph *g, const build_case *c) {
  uint64_t arcs;
  double max;
  if (!check(g != NULL)) return;
  check_equal(graph_case_digest(g), expected(c, &arcs, &max));
  check_equal(g->arcs, arcs);
  check_equal(g->edges, EDGES);
  check_equal(g->vertices.n, c->shape.n);
  check(g->weight_max == max);
  check(g->weight == c->shape.weight && g->directed == c->shape.directed);
  check_traversed(g);
  for (uint64_t v = 0; v < c->shape.n; v++) check_equal(scree_graph_find(g, v), v);
  check_equal(scree_graph_find(g, c->shape.n), SCREE_NO_VERTEX);
}

static void two_graphs(scree_graphs *graphs, void *arg) {
  const build_case *cases = arg;
  scree_graph *first = build(graphs, &cases[0]), *second = build(graphs, &cases[1]);
  check_graph(first, &cases[0]);
  check_graph(second, &cases[1]);
  scree_graph_free(first);
  scree_graph_free(second);
}

HARNESS_TEST(builder) {
  uint64_t seed = 0;
  for (int i = 0; i < GRAPH_CASE_RANKS; i++)
    for (int d = 0; d < 3; d++)
      for (int k = 0; k < 4; k++, seed++) {
        build_case c[2] = {{{N, (scree_distribution_kind)d, (scree_weight_kind)k, seed & 1, seed % 5 == 0}, seed},
                           {{seed % 7 + 1, (scree_distribution_kind)((d + 1) % 3), (scree_weight_kind)(3 - k),
                             !(seed & 1), seed % 3 == 0},
                            ~seed}};
        graph_case_run(graph_case_ranks[i], seed, two_graphs, c);
        if (harness_failures()) return;
      }
}

static scree_status build_one(scree_graphs *graphs, scree_weight_kind kind, uint32_t by, uint64_t u, double w) {
  scree_graph_shape shape = {.n = 10, .weight = kind};
  scree_graph_builder *b;
  scree_graph *g = NULL;
  check_equal(scree_graph_builder_begin(graphs, &shape, &b), SCREE_OK);
  if (scree_graphs_worker(graphs)->rank == by) scree_graph_builder_add(b, u, 3, w);
  scree_status status = scree_graph_builder_finish(b, &g);
  check((g != NULL) == (status == SCREE_OK));
  scree_graph_free(g);
  return status;
}

static void refused_edges(scree_graphs *graphs, void *arg) {
  uint32_t last = scree_graphs_worker(graphs)->ranks - 1;
  check_equal(build_one(graphs, SCREE_WEIGHT_DOUBLE, last, 10, 1), SCREE_EINVAL);
  check_string(scree_graphs_error(graphs), "edge 10 - 3: a vertex is out of range; expected 0 .. 9");
  check_equal(build_one(graphs, SCREE_WEIGHT_DOUBLE, last, 9, -1), SCREE_EINVAL);
  check_contains(scree_graphs_error(graphs), "found weight -1, expected a finite number of 0 or more");
  check_equal(build_one(graphs, SCREE_WEIGHT_DOUBLE, last, 9, (double)NAN), SCREE_EINVAL);
  check_equal(build_one(graphs, SCREE_WEIGHT_DOUBLE, last, 9, (double)INFINITY), SCREE_EINVAL);
  check_equal(build_one(graphs, SCREE_WEIGHT_UINT32, last, 9, .5), SCREE_EINVAL);
  check_equal(build_one(graphs, SCREE_WEIGHT_UINT32, last, 9, 4294967296.), SCREE_EINVAL);
  check_contains(scree_graphs_error(graphs), "expected an integer of 0 .. 4294967295");
  check_equal(build_one(graphs, SCREE_WEIGHT_FLOAT, 0, 9, .1), SCREE_EINVAL);
  check_equal(build_one(graphs, SCREE_WEIGHT_NONE, 0, 9, -1), SCREE_OK);
  check_equal(build_one(graphs, SCREE_WEIGHT_UINT32, 0, 9, 0), SCREE_OK);
}

static void refused_shapes(scree_graphs *graphs, void *arg) {
  scree_graph_builder *b;
  scree_graph *g = NULL;
  check_equal(scree_graph_builder_begin(graphs, &(scree_graph_shape){.n = 0}, &b), SCREE_EINVAL);
  check_contains(scree_graphs_error(graphs), "0 vertices; expected 1 .. 1099511627776");
  check_equal(scree_graph_builder_begin(graphs, &(scree_graph_shape){.n = SCREE_VERTICES_MAX + 1}, &b), SCREE_EINVAL);
  check_equal(scree_graph_builder_begin(graphs, &(scree_graph_shape){.n = 3}, &b), SCREE_OK);
  scree_graph_builder *other;
  check_equal(scree_graph_builder_begin(graphs, &(scree_graph_shape){.n = 3}, &other), SCREE_ESTATE);
  check_contains(scree_graphs_error(graphs), "a builder is open");
  check_equal(scree_graph_builder_finish(b, &g), SCREE_OK);
  check(g && g->arcs == 0 && g->edges == 0);
  uint64_t v;
  check_equal(scree_graph_random_source(g, 1, &v), SCREE_EINVAL);
  check_contains(scree_graphs_error(graphs), "no vertex has an edge");
  scree_graph_free(g);
}

static void agreement(scree_graphs *graphs, void *arg) {
  uint32_t rank = scree_graphs_worker(graphs)->rank, ranks = scree_graphs_worker(graphs)->ranks;
  check_equal(scree_graphs_agree(graphs, SCREE_OK, "none"), SCREE_OK);
  bool bad = rank + 2 >= ranks; /* the last two: the lower one's text counts */
  uint32_t lower = ranks >= 2 ? ranks - 2 : 0;
  char text[32];
  snprintf(text, sizeof text, "rank %u says no", (unsigned)lower);
  check_equal(scree_graphs_agree(graphs, bad ? SCREE_EINVAL : SCREE_OK, "rank %u says no", (unsigned)rank),
              SCREE_EINVAL);
  check_string(scree_graphs_error(graphs), text);
  check_equal(scree_graphs_agree(graphs, rank ? SCREE_EINVAL : SCREE_ENOMEM, "from %u", (unsigned)rank), SCREE_ENOMEM);
  check_string(scree_graphs_error(graphs), "from 0");
}

HARNESS_TEST(refusals) {
  for (uint32_t i = 0; i < GRAPH_CASE_RANKS; i++) {
    graph_case_run(graph_case_ranks[i], i, refused_edges, NULL);
    graph_case_run(graph_case_ranks[i], i, refused_shapes, NULL);
    graph_case_run(graph_case_ranks[i], i, agreement, NULL);
  }
}

/* ---- generator and weights --------------------------------------------------------------------------------------- */

typedef struct {
  const char *spec;
  scree_graph_options options;
  uint64_t digest, source, reached, edges; /* of the first run; the others must agree */
  bool known;
} load_case;

/* What is seen of a graph is the same on any number of ranks and under any distribution. */
static void same_everywhere(scree_graphs *graphs, void *arg) {
  load_case *c = arg;
  scree_graph *g = NULL;
  if (!check_text(scree_graph_load(graphs, c->spec, &c->options, &g) == SCREE_OK, "%s", scree_graphs_error(graphs)))
    return;
  uint64_t digest = graph_case_digest(g), source = 0, reached = 0, edges = 0;
  check_equal(scree_graph_random_source(g, 5, &source), SCREE_OK);
  int64_t *level = malloc((g->locals + 1) * sizeof *level);
  for (uint64_t u = 0; u < g->locals; u++)
    level[u] = scree_graph_vertex(g, scree_location_make(scree_graph_rank(g), u)) % 3 ? 0 : -1;
  check_equal(scree_graph_traversed(g, NULL, level, &reached, &edges), SCREE_OK);
  free(level);
  if (!c->known) {
    c->digest = digest;
    c->source = source;
    c->reached = reached;
    c->edges = edges;
  }
  check_equal(digest, c->digest);
  check_equal(source, c->source);
  check_equal(reached, c->reached);
  check_equal(edges, c->edges);
  scree_graph_free(g);
}

static void one_graph(const char *spec, scree_graph_options options) {
  load_case c = {.spec = spec, .options = options};
  for (uint32_t i = 0; i < GRAPH_CASE_RANKS; i++)
    for (uint32_t d = 0; d < 3; d++) {
      c.options.distribution = (scree_distribution_kind)d;
      graph_case_run(graph_case_ranks[i], 3 * i + d, same_everywhere, &c);
      c.known = true;
    }
}

HARNESS_TEST(generated) {
  one_graph("kron:6,4,9", (scree_graph_options){0});
  one_graph("kron:5", (scree_graph_options){.weights = SCREE_WEIGHTS_DROP});
  one_graph("kron:5,3", (scree_graph_options){.weights = SCREE_WEIGHTS_UNIT});
  one_graph("kron:5,3", (scree_graph_options){.weights = SCREE_WEIGHTS_RANDOM_INT, .lo = 1, .hi = 100, .seed = 3});
  one_graph("kron:5,3", (scree_graph_options){.weights = SCREE_WEIGHTS_RANDOM_FLOAT, .seed = 4});
  static const char *const specs[] = {"kron:1,1", "uniform:50,200", "grid:9,7", "path:40", "star:600", "complete:20"};
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) one_graph(specs[i], (scree_graph_options){0});
}

/* Both arcs of an edge weigh the same, within the range that was requested. */
static void both_directions(scree_graphs *graphs, void *arg) {
  scree_graph_options *o = arg;
  scree_graph *g = NULL;
  serial_csr csr;
  check_equal(scree_graph_load(graphs, "kron:6,8", o, &g), SCREE_OK);
  check_equal(g->weight, o->weights == SCREE_WEIGHTS_RANDOM_INT ? SCREE_WEIGHT_UINT32 : SCREE_WEIGHT_FLOAT);
  check_equal(serial_csr_gather(g, &csr), SCREE_OK);
  uint64_t sum = 0;
  for (uint64_t u = 0; u < csr.n; u++)
    for (uint64_t e = csr.offsets[u]; e < csr.offsets[u + 1]; e++) {
      double w = g->weight == SCREE_WEIGHT_UINT32 ? ((uint32_t *)csr.weights)[e] : (double)((float *)csr.weights)[e];
      uint64_t bits;
      memcpy(&bits, &w, sizeof bits);
      if (o->weights == SCREE_WEIGHTS_RANDOM_INT) check(w >= 7 && w <= 19);
      if (o->weights != SCREE_WEIGHTS_RANDOM_INT) check(w >= 0 && w < 1);
      uint64_t there = scree__hash_draw(scree__hash_draw(u, csr.targets[e]), bits);
      uint64_t back = scree__hash_draw(scree__hash_draw(csr.targets[e], u), bits);
      sum += there - back;
    }
  check_equal(sum, 0);
  if (!scree_graph_rank(g)) check_equal(csr.m, g->arcs);
  serial_csr_free(&csr);
  scree_graph_free(g);
}

HARNESS_TEST(weights) {
  scree_graph_options ints = {.weights = SCREE_WEIGHTS_RANDOM_INT, .lo = 7, .hi = 19, .seed = 1};
  scree_graph_options floats = {.weights = SCREE_WEIGHTS_RANDOM_FLOAT, .seed = 1}, given = {0};
  for (uint32_t ranks = 1; ranks <= 5; ranks += 2) {
    graph_case_run(ranks, ranks, both_directions, &ints);
    graph_case_run(ranks, ranks, both_directions, &floats);
    graph_case_run(ranks, ranks, both_directions, &given);
  }
}

/* Many schedules of one load; 64 ranks, most of which have nothing, too. */
HARNESS_TEST(seeds) {
  load_case c = {.spec = "kron:4,3"};
  for (uint64_t seed = 0; seed < harness_seeds(200, 3000) && !harness_failures(); seed++) {
    c.options.distribution = (scree_distribution_kind)(seed % 3);
    graph_case_run(1 + (uint32_t)(scree__hash_draw(seed, 0) % 9), seed, same_everywhere, &c);
    c.known = true;
  }
  graph_case_run(64, 1, same_everywhere, &c);
}

/* A world that fails while a graph is built: the builder ends on all ranks with its code, and later calls return. */
static void fail_while_building(scree_world *world, void *arg) {
  scree_graphs *graphs = NULL;
  scree_graph_builder *b = NULL;
  scree_graph *g = NULL;
  if (!check_equal(scree_graphs_open(world, &graphs), SCREE_OK)) return;
  scree_worker *w = scree_graphs_worker(graphs);
  scree_status status = scree_graph_builder_begin(graphs, &(scree_graph_shape){.n = 100}, &b);
  if (status == SCREE_OK) {
    for (uint64_t i = 0; i < 1000; i++) {
      scree_graph_builder_add(b, i % 100, (i * 7) % 100, 1);
      if (i == 500 && w->rank == w->ranks - 1) scree_fail(w, SCREE_ENOMEM, "made up");
    }
    status = scree_graph_builder_finish(b, &g);
  }
  check_equal(status, SCREE_ENOMEM);
  bool raised_here = w->rank == w->ranks - 1;
  check_contains(scree_graphs_error(graphs), raised_here ? "made up" : "out of memory");
  check(!g);
  check_equal(scree_graph_load(graphs, "kron:4", NULL, &g), SCREE_ENOMEM);
  check_equal(scree_graphs_agree(graphs, SCREE_OK, "-"), SCREE_ENOMEM);
  scree_graphs_close(graphs);
}

HARNESS_TEST(failed_world) {
  for (uint64_t seed = 0; seed < 100 && !harness_failures(); seed++) {
    scree_sim_config config = {.seed = seed, .ranks = 1 + (uint32_t)(seed % 6), .nodes = 1, .quiet = true};
    scree_options options = SCREE_OPTIONS_INIT;
    options.memory = 1 << 16;
    check_equal(scree_sim_run(&config, &options, fail_while_building, NULL, NULL), SCREE_ENOMEM);
  }
}

typedef struct {
  const char *spec, *part;
  scree_graph_options options;
} bad_case;

static void refused(scree_graphs *graphs, void *arg) {
  const bad_case *c = arg;
  scree_graph *g = NULL;
  check_equal(scree_graph_load(graphs, c->spec, &c->options, &g), SCREE_EINVAL);
  check_contains(scree_graphs_error(graphs), c->part);
  check(!g);
}

HARNESS_TEST(bad_specs) {
  bad_case cases[] = {{"kron:0", "expected kron:SCALE", {0}},
                      {"kron:", "kron:: expected kron:SCALE[,EDGEFACTOR[,SEED]] with SCALE of 1 .. 40", {0}},
                      {"uniform:5", "uniform:5: expected uniform:N,EDGES[,SEED] with 1 .. 2^40 vertices", {0}},
                      {"uniform:0,1", "expected uniform:N", {0}},
                      {"grid:5", "grid:5: expected grid:ROWS,COLUMNS with 1 .. 2^20 rows", {0}},
                      {"grid:2,2,2", "expected grid:ROWS,COLUMNS", {0}},
                      {"path:0", "path:0: expected path:N with 1 .. 1099511627776 vertices", {0}},
                      {"star:x", "expected star:N", {0}},
                      {"complete:2000000", "expected complete:N with 1 .. 1048576 vertices", {0}},
                      {"path:3", "path:3: found --directed, but a generated graph", {.direction = SCREE_DIRECTED}},
                      {"path:3", "path:3: found --scale", {.scale = 3}},
                      {"path:3", "path:3: found --weights-file", {.weights_file = "w"}},
                      {"pathology:3", "pathology:3: rank 0: cannot open it", {0}},
                      {"kron:8", "--columns", {.columns = {1, 2, 0}}},
                      {"kron:8", "--format", {.format = SCREE_FORMAT_EDGES}},
                      {"kron:8", "5..4", {.weights = SCREE_WEIGHTS_RANDOM_INT, .lo = 5, .hi = 4}},
                      {"/nonexistent/x.gr", "No such file", {0}}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (uint32_t ranks = 1; ranks <= 4; ranks += 3) graph_case_run(ranks, i, refused, &cases[i]);
}

HARNESS_MAIN
