/* sim_graph_relabel_auto.c - tests of scree_graph_relabel_auto: which graphs it renumbers, for how much use, and that
 * it does not change the others. */
#include "build/relabel.h"
#include "graph_cases.h"

enum { BLOCK = SCREE_DISTRIBUTION_BLOCK, CYCLIC = SCREE_DISTRIBUTION_CYCLIC, HASH = SCREE_DISTRIBUTION_HASH };
static const double OFTEN = 1e4;
static const uint32_t some_ranks[] = {1, 2, 3, 5};

static scree_graph *load(scree_graphs *graphs, const char *spec) {
  scree_graph *g = NULL;
  if (!check_text(scree_graph_load(graphs, spec, NULL, &g) == SCREE_OK, "%s", scree_graphs_error(graphs))) return NULL;
  return g;
}

/* Calls it, and compares the graph after it with the one before. `words`: part of the reason. */
static bool decides(scree_graph **g, int kind, double passes, bool done, const char *words) {
  const scree_graph *before = *g;
  const scree_graph was = *before;
  const uint64_t digest = graph_case_digest(before);
  uint64_t source = 0, same = 0;
  scree_relabel_outcome outcome;
  memset(&outcome, 1, sizeof outcome);
  check_equal(scree_graph_random_source(before, 5, &source), SCREE_OK);
  check_equal(scree_graph_labels(before, 1, &source, &source), SCREE_OK);
  check_equal(scree_graph_relabel_auto(g, (scree_distribution_kind)kind, passes, &outcome), SCREE_OK);
  const scree_graph *h = *g;
  check_contains(outcome.reason, words);
  check_equal(outcome.done, done);
  if (!done) check(h == before);
  check_equal(graph_case_digest(h), digest);
  check(h->edges == was.edges && h->arcs == was.arcs && h->directed == was.directed && h->weight == was.weight);
  check_equal(h->vertices.kind, done ? (scree_distribution_kind)kind : was.vertices.kind);
  check_equal(scree_graph_random_source(h, 5, &same), SCREE_OK);
  check_equal(scree_graph_labels(h, 1, &same, &same), SCREE_OK);
  check_equal(same, source);
  return outcome.done == done;
}

/* The first vertices have the most arcs, and lie on all ranks. */
static void check_hubs(const scree_graph *g) {
  scree_reduce r = {.min = UINT64_MAX};
  for (uint64_t u = 0; u < g->locals; u++) {
    uint64_t degree = scree_graph_degree(g, u);
    if (degree > r.max) r.max = degree;
    if (u > 0) check(scree_graph_degree(g, u - 1) >= degree);
  }
  r.min = r.max;
  check_equal(scree_graphs_reduce(g->graphs, &r), SCREE_OK);
  check(r.min > 8 * g->arcs / g->vertices.n); /* the largest degree of each rank is that of a hub */
}

static void skewed(scree_graphs *graphs, void *arg) {
  scree_graph *g = load(graphs, "kron:12");
  if (!g) return;
  const uint32_t ranks = g->vertices.ranks;
  const double needed = 60 * (1 + (double)ranks * (double)g->vertices.n / (double)g->arcs);
  decides(&g, CYCLIC, 0.5, false, "renumbering pays from");
  decides(&g, CYCLIC, 0.999 * needed, false, "renumbering pays from");
  if (ranks > 1) decides(&g, BLOCK, OFTEN, false, "block, which would assign all hubs to rank 0");
  if (decides(&g, CYCLIC, 1.001 * needed, true, "79 vertices have more than 8 times the mean degree, and 42 %"))
    check_hubs(g);
  decides(&g, CYCLIC, OFTEN, false, "numbered by degree already");
  decides(&g, HASH, OFTEN, true, "79 vertices have more than 8 times");
  if (ranks == 1) decides(&g, BLOCK, OFTEN, true, "79 vertices have more than 8 times");
  scree_graph_free(g);
}

/* 8 arcs leave each vertex, and 80 more each of 50 vertices. */
static scree_graph *few_arcs_of_hubs(scree_graphs *graphs) {
  enum { N = 10000, DEGREE = 8, HUBS = 50, MORE = 80 };
  const scree_graph_shape shape = {.n = N, .distribution = SCREE_DISTRIBUTION_HASH, .directed = true};
  scree_worker *w = scree_graphs_worker(graphs);
  scree_graph_builder *b = NULL;
  scree_graph *g = NULL;
  check_equal(scree_graph_builder_begin(graphs, &shape, &b), SCREE_OK);
  for (uint64_t i = w->rank; i < N * DEGREE + HUBS * MORE; i += w->ranks)
    scree_graph_builder_add(b, i < N * DEGREE ? i % N : i % HUBS * 100, scree__hash_draw(1, i) % N, 1);
  check_equal(scree_graph_builder_finish(b, &g), SCREE_OK);
  return g;
}

static void even(scree_graphs *graphs, void *arg) {
  static const struct {
    const char *spec, *words;
  } cases[] = {{"kron:9,32", "arcs, fewer than 65536"},
               {"grid:150,150", "0 vertices have more than 8 times the mean degree, and 0 % of the arcs: too few"},
               {"star:40000", "1 vertices have more than 8 times the mean degree, and 50 % of the arcs: too few"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    scree_graph *g = load(graphs, cases[i].spec);
    if (g) decides(&g, CYCLIC, OFTEN, false, cases[i].words);
    scree_graph_free(g);
  }
  scree_graph *g = few_arcs_of_hubs(graphs);
  decides(&g, CYCLIC, OFTEN, false, "50 vertices have more than 8 times the mean degree, and 5 % of the arcs: too few");
  scree_graph_free(g);
}

/* What is left of the memory on the last rank's node is set; the others have enough. */
static void short_of_memory(scree_graphs *graphs, void *arg) {
  scree_graph *g = load(graphs, "kron:12"), *h = NULL;
  if (!g) return;
  const bool last = scree_graph_rank(g) == g->vertices.ranks - 1;
  const uint64_t bytes = scree__relabel_bytes(g, SCREE_DISTRIBUTION_CYCLIC);
  const uint64_t node = scree_node_ranks(scree_world_of(scree_graphs_worker(graphs)));
  if (last) graphs->memory_left = 2 * bytes * node - 1;
  decides(&g, CYCLIC, OFTEN, false, "MiB per rank, more than half of the memory that is left");
  if (last) graphs->memory_left = bytes * node - 1;
  check_equal(scree_graph_relabel_by_degree(g, SCREE_DISTRIBUTION_CYCLIC, &h), SCREE_ENOMEM);
  check_contains(scree_graphs_error(graphs), "a graph renumbered by degree needs");
  check(h == NULL);
  if (last) graphs->memory_left = 2 * bytes * node;
  decides(&g, CYCLIC, OFTEN, true, "79 vertices");
  scree_graph_free(g);
}

static void run(graph_case_fn *fn) {
  for (size_t i = 0; i < sizeof some_ranks / sizeof *some_ranks; i++) graph_case_run(some_ranks[i], i + 3, fn, NULL);
}

HARNESS_TEST(skewed_graphs) {
  run(skewed);
}
HARNESS_TEST(even_graphs) {
  run(even);
}
HARNESS_TEST(little_memory) {
  run(short_of_memory);
}

HARNESS_MAIN
