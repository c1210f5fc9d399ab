/* sim_graph_degree.c - tests of vertices numbered by degree, and of how evenly graphs lie on ranks.
 *
 * It tests scree_graph_relabel_by_degree and scree_graph_balance. */
#include "graph_cases.h"

enum { N = 200, EDGES = 900 };

typedef struct {
  scree_graph_shape shape;
  uint64_t seed;
  uint64_t degrees[N], labels[N], digest, source; /* what ranks saw, by new number */
  bool known;
} degree_case;

/* Few vertices have most edges; some have none; parallel edges and self loops. */
static scree_graph *make(scree_graphs *graphs, const degree_case *c) {
  scree_graph_builder *b = NULL;
  scree_graph *g = NULL;
  scree_worker *w = scree_graphs_worker(graphs);
  check_equal(scree_graph_builder_begin(graphs, &c->shape, &b), SCREE_OK);
  for (uint64_t i = w->rank; i < EDGES; i += w->ranks) {
    uint64_t bits = scree__hash_draw(c->seed, i), u = bits % N, v = (bits >> 16) % N;
    scree_graph_builder_add(b, u * u / N, v * v * v / N / N, (double)(bits >> 40 & 255));
  }
  check_text(scree_graph_builder_finish(b, &g) == SCREE_OK, "%s", scree_graphs_error(graphs));
  return g;
}

/* Labels are 0 .. N - 1, so each is its index. */
static void check_by_label(const scree_graph *h) {
  const uint32_t *vertices = NULL;
  check_equal(scree_graph_by_label(h, &vertices), SCREE_OK);
  for (uint64_t i = 0; check(vertices != NULL) && i < h->locals; i++) {
    uint64_t v = scree_graph_vertex(h, scree_location_make(scree_graph_rank(h), vertices[i]));
    check_equal(scree_graph_label_index(h, v), scree_graph_label(h, v));
    if (i) check(h->labels[vertices[i - 1]] < h->labels[vertices[i]]);
  }
}

/* All ranks write their part of c->degrees, and read it after the reduction. */
static void check_order(const scree_graph *h, degree_case *c) {
  scree_reduce r = {.min = UINT64_MAX};
  for (uint64_t u = 0; u < h->locals; u++)
    c->degrees[scree_graph_vertex(h, scree_location_make(scree_graph_rank(h), u))] = scree_graph_degree(h, u);
  check_equal(scree_graphs_reduce(h->graphs, &r), SCREE_OK);
  check_by_label(h);
  uint64_t *labels = graph_labels_of(h);
  for (uint64_t v = 0; check(labels != NULL) && v < N; v++) {
    uint64_t label = labels[v];
    check_equal(scree_graph_find(h, label), v);
    if (c->known) check_equal(label, c->labels[v]);
    c->labels[v] = label;
    if (v == 0) continue;
    check(c->degrees[v - 1] >= c->degrees[v]);
    if (c->degrees[v - 1] == c->degrees[v]) check(labels[v - 1] < label);
  }
  free(labels);
  check_equal(scree_graph_find(h, N), SCREE_NO_VERTEX);
}

static void numbered(scree_graphs *graphs, void *arg) {
  degree_case *c = arg;
  scree_graph *g = make(graphs, c), *h = NULL, *again = NULL;
  uint64_t source = 0, same = 0;
  const scree_distribution_kind kind = (scree_distribution_kind)((c->seed + c->shape.distribution) % 3);
  if (!check_text(scree_graph_relabel_by_degree(g, kind, &h) == SCREE_OK, "%s", scree_graphs_error(graphs))) return;
  check_equal(graph_case_digest(h), graph_case_digest(g));
  check(h->edges == g->edges && h->arcs == g->arcs && h->directed == g->directed && h->weight == g->weight);
  check(h->weight_max == g->weight_max && h->wide == g->wide && h->vertices.kind == kind);
  check_equal(scree_graph_random_source(g, 3, &source), SCREE_OK);
  check_equal(scree_graph_random_source(h, 3, &same), SCREE_OK);
  check_equal(scree_graph_labels(h, 1, &same, &same), SCREE_OK);
  check_equal(same, source);
  check_order(h, c);
  check_equal(scree_graph_relabel_by_degree(h, g->vertices.kind, &again), SCREE_OK); /* already in that order */
  check_order(again, c);
  scree_graph_free(g);
  scree_graph_free(again);
  scree_graph_free(h);
}

HARNESS_TEST(by_degree) {
  for (uint64_t seed = 0; seed < 8; seed++) {
    degree_case c = {{.n = N, .weight = (scree_weight_kind)(seed % 4), .directed = seed & 1, .wide = seed == 5},
                     .seed = seed};
    for (int i = 0; i < GRAPH_CASE_RANKS; i++) {
      c.shape.distribution = (scree_distribution_kind)((seed + (uint64_t)i) % 3);
      graph_case_run(graph_case_ranks[i], seed, numbered, &c);
      c.known = true;
      if (harness_failures()) return;
    }
  }
}

/* Labels with gaps, from a file; the graph by degree has them too. */
static void from_file(scree_graphs *graphs, void *arg) {
  scree_graph *g = NULL;
  scree_graph_options o = {.direction = SCREE_UNDIRECTED, .relabel = SCREE_RELABEL_DEGREE};
  if (!check_text(scree_graph_load(graphs, arg, &o, &g) == SCREE_OK, "%s", scree_graphs_error(graphs))) return;
  static const uint64_t labels[] = {5, 70, 1000, 9, 12};
  check_equal(g->vertices.n, 5);
  uint64_t *found = graph_labels_of(g), min, max;
  check_equal(scree_graph_label_range(g, &min, &max), SCREE_OK);
  check(min == 5 && max == 1000);
  for (uint64_t v = 0; check(found != NULL) && v < 5; v++) {
    check_equal(found[v], labels[v]);
    check_equal(scree_graph_label(g, v),
                scree_distribution_owner(&g->vertices, v) == scree_graph_rank(g) ? labels[v] : SCREE_NO_VERTEX);
    check_equal(scree_graph_find(g, labels[v]), v);
  }
  free(found);
  check_equal(scree_graph_find(g, 6), SCREE_NO_VERTEX);
  scree_graph_free(g);
}

HARNESS_TEST(labels_with_gaps) {
  static const char text[] = "70 1000\n70 5\n5 1000\n5 9\n70 12\n70 5\n";
  const char *path = graph_case_file(text, sizeof text - 1, ".txt");
  for (int i = 0; i < GRAPH_CASE_RANKS; i++)
    graph_case_run(graph_case_ranks[i], (uint64_t)i, from_file, (void *)(uintptr_t)path);
  unlink(path);
}

/* ---- balance ----------------------------------------------------------------------------------------------------- */

static scree_balance balance_of(scree_graphs *graphs, scree_distribution_kind kind, uint64_t n, uint64_t arcs) {
  scree_graph_shape shape = {.n = n, .distribution = kind, .directed = true};
  scree_graph_builder *b = NULL;
  scree_graph *g = NULL;
  scree_balance balance = {0, 0};
  check_equal(scree_graph_builder_begin(graphs, &shape, &b), SCREE_OK);
  for (uint64_t i = 0; i < arcs && scree_graphs_worker(graphs)->rank == 0; i++)
    scree_graph_builder_add(b, i % 4, i % n, 1);
  check_equal(scree_graph_builder_finish(b, &g), SCREE_OK);
  check_equal(scree_graph_balance(g, &balance), SCREE_OK);
  scree_graph_free(g);
  return balance;
}

static void balances(scree_graphs *graphs, void *arg) {
  scree_balance b = balance_of(graphs, SCREE_DISTRIBUTION_BLOCK, 16, 64); /* all arcs leave 0 .. 3, all of rank 0 */
  check(b.vertices == 1 && b.arcs == 4);
  b = balance_of(graphs, SCREE_DISTRIBUTION_CYCLIC, 16, 64);
  check(b.vertices == 1 && b.arcs == 1);
  b = balance_of(graphs, SCREE_DISTRIBUTION_BLOCK, 10, 0); /* 3 3 2 2 */
  check(b.vertices == 1.2 && b.arcs == 1);
}

HARNESS_TEST(balance) {
  for (uint64_t seed = 0; seed < 4; seed++) graph_case_run(4, seed, balances, NULL);
}

HARNESS_MAIN
