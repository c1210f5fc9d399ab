/* sim_graph_write.c - tests of the writers on virtual ranks: what is written comes back, in every format, from every
 * format.
 *
 * Covered are round trips, and graphs that a format cannot represent. */
#include "graph_cases.h"

enum { PATH = 64 };

typedef struct {
  const char *spec;
  scree_graph_options options;
  scree_graph_format first, second;
  char paths[4][PATH]; /* first, second, their weights */
} trip;

/* The same number for the same arcs and weights between the same vertices, whatever their labels. */
static uint64_t digest(const scree_graph *g) {
  uint64_t sum = 0;
  for (uint64_t u = 0; u < g->locals; u++)
    for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) {
      double w = scree_graph_weight(g, e);
      uint64_t bits, tail = scree_graph_vertex(g, scree_location_make(scree_graph_rank(g), u));
      memcpy(&bits, &w, sizeof bits);
      sum += scree__hash_draw(scree__hash_draw(tail, scree_graph_vertex(g, scree_graph_target(g, e))), bits);
    }
  scree_reduce r = {.sum = {sum}, .min = UINT64_MAX};
  check_equal(scree_graphs_reduce(g->graphs, &r), SCREE_OK);
  return r.sum[0];
}

static bool holds(const scree_graph *g, scree_graph_format format) {
  if (format == SCREE_FORMAT_DIMACS) return g->weight != SCREE_WEIGHT_NONE;
  if (format == SCREE_FORMAT_TUPLES) return !g->directed && g->weight != SCREE_WEIGHT_DOUBLE;
  if (format == SCREE_FORMAT_SG) return g->weight == SCREE_WEIGHT_NONE;
  if (format == SCREE_FORMAT_WSG) return g->weight == SCREE_WEIGHT_UINT32;
  if (format == SCREE_FORMAT_METIS) return !g->directed && g->weight <= SCREE_WEIGHT_UINT32;
  return true;
}

/* Writes g and loads what was written. Labels of lists show where ids begin. */
static scree_graph *there_and_back(const scree_graph *g, scree_graph_format format, const char *path,
                                   const char *weights) {
  const bool list = format == SCREE_FORMAT_EDGES;
  scree_write_options how = {.format = format};
  scree_graph_options back = {.format = format, .distribution = g->vertices.kind};
  scree_graph *again = NULL;
  if (format == SCREE_FORMAT_TUPLES && g->weight) back.weights_file = how.weights_file = weights;
  if (list) {
    back.direction = g->directed ? SCREE_DIRECTED : SCREE_UNDIRECTED;
    back.base = g->label_base ? SCREE_BASE_1 : SCREE_BASE_0;
    if (g->weight) back.columns[0] = 1, back.columns[1] = 2, back.columns[2] = 3;
  }
  check_text(scree_graph_write(g, path, &how) == SCREE_OK, "%s", scree_graphs_error(g->graphs));
  check_text(scree_graph_load(g->graphs, path, &back, &again) == SCREE_OK, "format %d: %s", (int)format,
             scree_graphs_error(g->graphs));
  if (!again) return NULL;
  check_text(digest(again) == digest(g), "format %d", (int)format);
  check_equal(again->arcs, g->arcs);
  if (format != SCREE_FORMAT_DIMACS) {
    check_equal(again->edges, g->edges);
    check_equal(again->directed, g->directed);
  }
  if (!list && format != SCREE_FORMAT_TUPLES) check_equal(again->vertices.n, g->vertices.n);
  return again;
}

static void travel(scree_graphs *graphs, void *arg) {
  const trip *t = arg;
  scree_graph *g = NULL, *one = NULL, *two = NULL;
  check_text(scree_graph_load(graphs, t->spec, &t->options, &g) == SCREE_OK, "%s", scree_graphs_error(graphs));
  if (g && holds(g, t->first)) one = there_and_back(g, t->first, t->paths[0], t->paths[2]);
  if (one && holds(one, t->second)) two = there_and_back(one, t->second, t->paths[1], t->paths[3]);
  scree_graph_free(two);
  scree_graph_free(one);
  scree_graph_free(g);
}

static void make_paths(char (*paths)[PATH], int count, const char *ending) {
  for (int i = 0; i < count; i++) snprintf(paths[i], PATH, "%s", graph_case_file("", 0, ending));
}
static void drop_paths(char (*paths)[PATH], int count) {
  for (int i = 0; i < count; i++) unlink(paths[i]);
}

static const scree_graph_options kinds[] = {
    {.weights = SCREE_WEIGHTS_GIVEN},
    {.weights = SCREE_WEIGHTS_DROP, .distribution = SCREE_DISTRIBUTION_CYCLIC},
    {.weights = SCREE_WEIGHTS_RANDOM_INT, .lo = 0, .hi = 100, .distribution = SCREE_DISTRIBUTION_HASH},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Every pair of formats, plain and as gzip where that is written. */
static void round_trips(const char *ending) {
  static const char *const specs[] = {"kron:6,4,3", "grid:5,3", "uniform:40,100,7"};
  for (int first = SCREE_FORMAT_DIMACS; first <= SCREE_FORMAT_IMAGE; first++)
    for (int second = SCREE_FORMAT_DIMACS; second <= SCREE_FORMAT_IMAGE; second++)
      for (size_t kind = 0; kind < KINDS; kind++) {
        if (*ending && (first >= SCREE_FORMAT_TUPLES || second >= SCREE_FORMAT_TUPLES)) continue;
        trip t = {.spec = specs[kind],
                  .options = kinds[kind],
                  .first = (scree_graph_format)first,
                  .second = (scree_graph_format)second};
        make_paths(t.paths, 4, ending);
        graph_case_run(1 + (uint32_t)(first + second + (int)kind) % 4, (uint64_t)(10 * first + second), travel, &t);
        drop_paths(t.paths, 4);
      }
}
HARNESS_TEST(plain) {
  round_trips("");
}
HARNESS_TEST(packed) {
  round_trips(".gz");
}

/* Graphs at the edge of what there is, from each format into each. */
HARNESS_TEST(odd_graphs) {
  static const char *const specs[] = {"path:1", "path:2", "star:300", "complete:9", "uniform:1,5", "uniform:500,3"};
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
    for (int format = SCREE_FORMAT_DIMACS; format <= SCREE_FORMAT_IMAGE; format++) {
      bool list = format == SCREE_FORMAT_EDGES || format == SCREE_FORMAT_TUPLES;
      trip t = {.spec = specs[i], .first = (scree_graph_format)format, .second = SCREE_FORMAT_IMAGE};
      if (i == 0 && list) continue; /* no edge, no line */
      make_paths(t.paths, 4, "");
      graph_case_run(3, i, travel, &t);
      drop_paths(t.paths, 4);
    }
}

/* Formats that have the vertices in order, of directed graphs (from DIMACS files) and others. The rows of a star are
 * longer than what is written at a time. */
HARNESS_TEST(in_order) {
  static const scree_graph_format firsts[] = {SCREE_FORMAT_DIMACS, SCREE_FORMAT_IMAGE, SCREE_FORMAT_SG,
                                              SCREE_FORMAT_WSG, SCREE_FORMAT_METIS};
  static const char *const specs[] = {"kron:6,4,3", "star:9000", "path:1"};
  static const scree_graph_options ways[] = {{.weights = SCREE_WEIGHTS_DROP},
                                             {.weights = SCREE_WEIGHTS_RANDOM_INT, .lo = 0, .hi = INT32_MAX}};
  uint32_t runs = 0;
  for (size_t first = 0; first < sizeof firsts / sizeof *firsts; first++)
    for (int second = SCREE_FORMAT_SG; second <= SCREE_FORMAT_METIS; second++)
      for (size_t i = 0; i < 2 * sizeof specs / sizeof *specs; i++, runs++) {
        trip t = {
            .spec = specs[i / 2], .options = ways[i % 2], .first = firsts[first], .second = (scree_graph_format)second};
        make_paths(t.paths, 4, "");
        graph_case_run(1 + runs % 5, runs, travel, &t);
        drop_paths(t.paths, 4);
      }
}

/* ---- labels ---- */

static void keep_labels(scree_graphs *graphs, void *arg) {
  char(*paths)[PATH] = arg;
  const scree_graph_options how = {.direction = SCREE_DIRECTED, .columns = {1, 2, 3}, .format = SCREE_FORMAT_EDGES};
  static const scree_graph_format formats[] = {SCREE_FORMAT_EDGES, SCREE_FORMAT_IMAGE};
  scree_graph *g = NULL;
  check_equal(scree_graph_load(graphs, paths[0], &how, &g), SCREE_OK);
  for (size_t i = 0; g && i < sizeof formats / sizeof *formats; i++) {
    scree_graph_options back = how;
    scree_graph *again = NULL;
    back.format = formats[i];
    if (formats[i] == SCREE_FORMAT_IMAGE) back = (scree_graph_options){.format = SCREE_FORMAT_IMAGE};
    check_equal(scree_graph_write(g, paths[1], &(scree_write_options){.format = formats[i]}), SCREE_OK);
    check_text(scree_graph_load(graphs, paths[1], &back, &again) == SCREE_OK, "%s", scree_graphs_error(graphs));
    if (!again) continue;
    check_equal(graph_case_digest(again), graph_case_digest(g));
    check_equal(scree_graph_find(again, 4000000000000), scree_graph_find(g, 4000000000000));
    scree_graph_free(again);
  }
  scree_graph_free(g);
}

HARNESS_TEST(labels) {
  static const char text[] = "10 20 1.5\n20 4000000000000 0.1\n7 10 1e-300\n7 7 0\n10 20 1.5\n";
  for (uint32_t ranks = 1; ranks <= 3; ranks++) {
    char paths[2][PATH];
    snprintf(paths[0], PATH, "%s", graph_case_file(text, sizeof text - 1, ""));
    make_paths(&paths[1], 1, "");
    graph_case_run(ranks, ranks, keep_labels, paths);
    drop_paths(paths, 2);
  }
}

/* ---- what is refused ---- */

typedef struct {
  const char *spec, *path;
  scree_graph_options options;
  scree_write_options how;
  scree_status status;
  const char *part; /* of the error */
} refusal;

static void refuse(scree_graphs *graphs, void *arg) {
  const refusal *r = arg;
  scree_graph *g = NULL;
  check_equal(scree_graph_load(graphs, r->spec, &r->options, &g), SCREE_OK);
  if (!g) return;
  check_equal(scree_graph_write(g, r->path, &r->how), r->status);
  check_contains(scree_graphs_error(graphs), r->part);
  scree_graph_free(g);
}

HARNESS_TEST(refused) {
  const scree_graph_options none = {0}, dropped = {.weights = SCREE_WEIGHTS_DROP},
                            large = {.weights = SCREE_WEIGHTS_RANDOM_INT, .lo = 16777217, .hi = 16777217},
                            huge = {.weights = SCREE_WEIGHTS_RANDOM_INT, .lo = 1U << 31, .hi = 1U << 31},
                            cyclic = {.weights = SCREE_WEIGHTS_DROP, .distribution = SCREE_DISTRIBUTION_CYCLIC};
  const char *gr = graph_case_file("p sp 2 1\na 1 2 3\n", 17, ".gr");
  const refusal cases[] = {
      {"path:3", "/tmp/x.foo", none, {0}, SCREE_EINVAL, "/tmp/x.foo: its name tells no format"},
      {"path:3", "/tmp/x.txt.zst", none, {0}, SCREE_EINVAL, "which is read but not written; expected .gz"},
      {"path:3", "/tmp/x.scree.gz", none, {0}, SCREE_EINVAL, "a binary file is written plain"},
      {"path:3", "/tmp/x.gr", dropped, {0}, SCREE_EINVAL, "the format dimacs needs weights, and this graph has none"},
      {"path:1", "/tmp/x.txt", none, {0}, SCREE_EINVAL, "this graph has no edge"},
      {"path:3", "/tmp/x.tuples", none, {0}, SCREE_EINVAL, "name it by --weights-file"},
      {"path:3", "/tmp/x.tuples", dropped, {.weights_file = "/tmp/w"}, SCREE_EINVAL, "this graph has no weights"},
      {"path:3", "/tmp/x.txt", none, {.weights_file = "/tmp/w"}, SCREE_EINVAL, "for the format tuples, not edges"},
      {gr, "/tmp/x.tuples", none, {0}, SCREE_EINVAL, "holds undirected graphs, and this one is directed"},
      {"path:3",
       "/dev/null",
       large,
       {.format = SCREE_FORMAT_TUPLES, .weights_file = "/dev/null"},
       SCREE_EINVAL,
       "has the weight 16777217, which a float cannot hold"},
      {"path:3", "/tmp/x.sg", none, {0}, SCREE_EINVAL, "the format sg holds no weights, and this graph has some: drop"},
      {"path:3", "/tmp/x.wsg", dropped, {0}, SCREE_EINVAL, "the format wsg needs weights, and this graph has none"},
      {"path:3", "/tmp/x.wsg", none, {0}, SCREE_EINVAL, "the format wsg holds integer weights of 0 .. 2147483647, and"},
      {"path:3", "/tmp/x.wsg", huge, {0}, SCREE_EINVAL, "the format wsg holds integer weights of 0 .. 2147483647, and"},
      {"path:3", "/tmp/x.sg", cyclic, {0}, SCREE_EINVAL, "in order, which needs --distribution block"},
      {"path:3", "/tmp/x.metis", cyclic, {0}, SCREE_EINVAL, "in order, which needs --distribution block"},
      {"path:3",
       "/tmp/x.graph",
       none,
       {0},
       SCREE_EINVAL,
       "the format metis holds integer weights, and this graph has o"},
      {gr,
       "/tmp/x.metis",
       none,
       {0},
       SCREE_EINVAL,
       "the format metis holds undirected graphs, and this one is directe"},
      {"path:3", "/tmp/x.sg.gz", dropped, {0}, SCREE_EINVAL, "a binary file is written plain"},
      {"path:3", "/nonexistent/x.gr", none, {0}, SCREE_EINVAL, "/nonexistent/x.gr: rank 0: cannot be written"},
      {"path:3", "/nonexistent/x.scree", none, {0}, SCREE_EINVAL, "/nonexistent/x.scree: rank 0: cannot be written"},
      {"path:3", "/dev/full", none, {.format = SCREE_FORMAT_EDGES}, SCREE_ESTATE, "was not written in full: No space"},
      {"path:3", "/dev/full", none, {.format = SCREE_FORMAT_IMAGE}, SCREE_ESTATE, "was not written in full: No space"},
      {gr, "/dev/full", none, {.format = SCREE_FORMAT_WSG}, SCREE_ESTATE, "was not written in full: No space"},
      {"path:3",
       "/dev/full",
       dropped,
       {.format = SCREE_FORMAT_TUPLES},
       SCREE_ESTATE,
       "was not written in full: No space"},
  };
  for (uint32_t ranks = 1; ranks <= 3; ranks++)
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) graph_case_run(ranks, i, refuse, (void *)&cases[i]);
  unlink(gr);
}

HARNESS_MAIN
