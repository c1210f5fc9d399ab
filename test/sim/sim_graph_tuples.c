/* sim_graph_tuples.c - tests of binary edge tuples, against bytes made by hand, and of the generators beside
 * Kronecker's.
 *
 * Covered are the bits of a tuple, the weights file, the number of vertices, the table of generators, and each
 * generator's edges. */
#include <scree/generate.h>

#include "file/tuples.h"
#include "graph_cases.h"

/* ---- the bits ---- */

HARNESS_TEST(bits) {
  const uint64_t u = 0x123456789abc, v = 0xfedc00000001;
  const unsigned char expected[12] = {0xbc, 0x9a, 0x78, 0x56, 0x01, 0x00, 0x00, 0x00, 0x34, 0x12, 0xdc, 0xfe};
  scree__tuple t = scree__tuple_pack(u, v);
  assert_memory_equal(&t, expected, sizeof expected);
  assert_true(scree__tuple_u(&t) == u && scree__tuple_v(&t) == v);
}

/* ---- files ---- */

typedef struct {
  const char *path;
  scree_graph_options options;
  const char *part; /* of the error; NULL: it loads */
  uint64_t n, edges, digest;
  scree_weight_kind weight;
} tuple_case;

static void load(scree_graphs *graphs, void *arg) {
  const tuple_case *c = arg;
  scree_graph *g = NULL;
  scree_graph_options options = c->options;
  options.format = SCREE_FORMAT_TUPLES;
  check_equal(scree_graph_load(graphs, c->path, &options, &g), c->part ? SCREE_EINVAL : SCREE_OK);
  check_contains(scree_graphs_error(graphs), c->part ? c->part : "");
  if (!g) return;
  check_equal(g->vertices.n, c->n);
  check_equal(g->edges, c->edges);
  check_equal(g->weight, c->weight);
  check_equal(graph_case_digest(g), c->digest);
  scree_graph_free(g);
}

static uint64_t both_directions(uint64_t u, uint64_t v, double w) {
  uint64_t word;
  memcpy(&word, &w, sizeof word);
  uint64_t there = scree__hash_draw(scree__hash_draw(u, v), word),
           back = scree__hash_draw(scree__hash_draw(v, u), word);
  return u == v ? there : there + back;
}

static const char *kept(const void *data, size_t bytes) {
  return strdup(graph_case_file(data, bytes, ""));
}

HARNESS_TEST(files) {
  const uint64_t ends[][2] = {{0, 5}, {5, 3}, {2, 2}, {0, 5}};
  const float weights[] = {0.5f, 0.1f, 0, 1e30f}, bad[] = {0.5f, -1, 0, 0};
  scree__tuple tuples[4];
  uint64_t plain = 0, weighted = 0;
  for (int i = 0; i < 4; i++) {
    tuples[i] = scree__tuple_pack(ends[i][0], ends[i][1]);
    plain += both_directions(ends[i][0], ends[i][1], 1);
    weighted += both_directions(ends[i][0], ends[i][1], (double)weights[i]);
  }
  const scree__tuple huge = scree__tuple_pack(SCREE__TUPLE_ID_MAX, 0);
  const char *path = kept(tuples, sizeof tuples), *ragged = kept(tuples, 47), *far = kept(&huge, sizeof huge),
             *floats = kept(weights, sizeof weights), *negative = kept(bad, sizeof bad), *few = kept(weights, 8);
  const tuple_case cases[] = {
      {path, {0}, NULL, 6, 4, plain, SCREE_WEIGHT_NONE},
      {path, {.scale = 4}, NULL, 16, 4, plain, SCREE_WEIGHT_NONE},
      {path, {.direction = SCREE_UNDIRECTED}, NULL, 6, 4, plain, SCREE_WEIGHT_NONE},
      {path, {.weights_file = floats}, NULL, 6, 4, weighted, SCREE_WEIGHT_FLOAT},
      {path, {.weights_file = floats, .weights = SCREE_WEIGHTS_DROP}, NULL, 6, 4, plain, SCREE_WEIGHT_NONE},
      {path, {.weights = SCREE_WEIGHTS_UNIT}, NULL, 6, 4, plain, SCREE_WEIGHT_UINT32},
      {path, {.scale = 2}, ": edge 0, from 0: found vertex 5, expected 0 .. 3 as --scale says", 0, 0, 0, 0},
      {path, {.weights_file = few}, "found 8 bytes of weights, expected 4 for each of the 4 edges", 0, 0, 0, 0},
      {path, {.weights_file = "/nonexistent/w"}, "/nonexistent/w: rank 0: cannot open it", 0, 0, 0, 0},
      {path, {.weights_file = negative}, "found weight -1, expected a float of 0 or more", 0, 0, 0, 0},
      {path, {.weights_file = floats, .weights = SCREE_WEIGHTS_UNIT}, NULL, 6, 4, plain, SCREE_WEIGHT_UINT32},
      {path, {.weights_file = negative, .weights = SCREE_WEIGHTS_DROP}, NULL, 6, 4, plain, SCREE_WEIGHT_NONE},
      {path, {.direction = SCREE_DIRECTED}, "found --directed, but a file of binary edge tuples", 0, 0, 0, 0},
      {path, {.columns = {1, 2}}, "found --columns, but a file of binary edge tuples", 0, 0, 0, 0},
      {ragged, {0}, "found 47 bytes, expected a multiple of 12", 0, 0, 0, 0},
      {far, {0}, "a graph of 281474976710656 vertices; expected 1 .. 1099511627776", 0, 0, 0, 0},
  };
  for (uint32_t ranks = 1; ranks <= 5; ranks += 2)
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) graph_case_run(ranks, i, load, (void *)&cases[i]);
  const char *all[] = {path, ragged, far, floats, negative, few};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    unlink(all[i]);
    free((void *)all[i]);
  }
}

/* ---- generators ---- */

/* The edges as text. */
static void list_edges(const char *spec, char *text, size_t size) {
  scree_generated *g = NULL;
  char why[256];
  size_t at = 0;
  *text = 0;
  if (!check(scree_generator_is_named(spec)) ||
      !check_text(scree_generated_parse(spec, why, sizeof why, &g) == SCREE_OK, "%s", why))
    return;
  const uint64_t n = scree_generated_vertices(g);
  for (uint64_t i = 0; i < scree_generated_edges(g); i++) {
    scree_edge e;
    scree_generated_make(g, i, 1, &e);
    check(e.u < n && e.v < n && e.weight >= 0 && e.weight < 1);
    at += (size_t)snprintf(text + at, size - at, "%s%u-%u", i ? " " : "", (unsigned)e.u, (unsigned)e.v);
  }
  scree_generated_free(g);
}

HARNESS_TEST(edges) {
  static const char *const cases[][2] = {{"grid:2,3", "0-1 1-2 3-4 4-5 0-3 1-4 2-5"},
                                         {"grid:1,3", "0-1 1-2"},
                                         {"grid:3,1", "0-1 1-2"},
                                         {"grid:1,1", ""},
                                         {"path:4", "0-1 1-2 2-3"},
                                         {"path:1", ""},
                                         {"star:4", "0-1 0-2 0-3"},
                                         {"complete:4", "0-1 0-2 1-2 0-3 1-3 2-3"},
                                         {"complete:1", ""}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[256];
    list_edges(cases[i][0], text, sizeof text);
    assert_string_equal(text, cases[i][1]);
  }
}

/* The table ends; a text is a generator's by its name alone; an error states what is expected. */
HARNESS_TEST(table) {
  static const char *const names[] = {"kron", "uniform", "grid", "path", "star", "complete"};
  size_t count = 0;
  for (; scree_generator_at(count).name; count++) {
    assert_string_equal(scree_generator_at(count).name, names[count]);
    assert_non_null(scree_generator_at(count).numbers);
    assert_non_null(scree_generator_at(count).help);
  }
  assert_int_equal(count, sizeof names / sizeof *names);
  assert_true(scree_generator_is_named("kron:nonsense"));
  assert_false(scree_generator_is_named("kron"));
  assert_false(scree_generator_is_named("./kron:4"));
  assert_false(scree_generator_is_named("kro:4"));
  scree_generated *g = NULL;
  char why[160];
  assert_int_equal(scree_generated_parse("kron:0", why, sizeof why, &g), SCREE_EINVAL);
  assert_string_equal(why, "kron:0: expected kron:SCALE[,EDGEFACTOR[,SEED]] with SCALE of 1 .. 40, EDGEFACTOR of 1 .. "
                           "1048576");
  assert_int_equal(scree_generated_parse("x.gr", why, sizeof why, &g), SCREE_EINVAL);
  assert_string_equal(why, "x.gr: names no generator");
  assert_null(g);
  scree_generated_free(g);
}

/* Each vertex of a uniform graph is as often an end as any other; another seed, other edges. */
HARNESS_TEST(uniform) {
  enum { N = 64, EDGES = 64000 };
  static const char *const specs[] = {"uniform:64,64000", "uniform:64,64000,2"};
  uint64_t ends[2][N] = {{0}}, same = 0;
  static scree_edge e[2][EDGES];
  for (int k = 0; k < 2; k++) {
    scree_generated *g = NULL;
    char why[128];
    assert_int_equal(scree_generated_parse(specs[k], why, sizeof why, &g), SCREE_OK);
    scree_generated_make(g, 0, EDGES, e[k]);
    scree_generated_free(g);
  }
  for (uint64_t i = 0; i < EDGES; i++) {
    for (int k = 0; k < 2; k++) {
      ends[k][e[k][i].u]++;
      ends[k][e[k][i].v]++;
    }
    same += e[0][i].u == e[1][i].u && e[0][i].v == e[1][i].v;
  }
  assert_true(same < 100);
  for (int v = 0; v < N; v++) assert_true(ends[0][v] > 1750 && ends[0][v] < 2250); /* mean 2000, deviation 44 */
}

HARNESS_MAIN
