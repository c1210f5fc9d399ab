/* unit_graph_plan.c - tests of the memory of graphs: planned, taken, and refused before it is too much.
 *
 * It tests plan.h and builders that run out of memory. */
#include <zlib.h>

#include "base/huge.h"
#include "build/plan.h"
#include "graph_cases.h"

/* ---- the plan ---------------------------------------------------------------------------------------------------- */

HARNESS_TEST(plans) {
  scree_graph_shape shape = {.n = 1000, .directed = true};
  check_equal(scree_graph_plan(&shape, 0, 1).graph, 1002 * 8 + 4);
  check_equal(scree_graph_plan(&shape, 5000, 1).graph, 1002 * 8 + 5001 * 4);
  check_equal(scree_graph_plan(&shape, 5000, 4).graph, 252 * 8 + 1251 * 4);
  shape.weight = SCREE_WEIGHT_DOUBLE;
  check_equal(scree_graph_plan(&shape, 5000, 1).graph, 1002 * 8 + 5001 * 12);
  shape.wide = true;
  check_equal(scree_graph_plan(&shape, 5000, 1).graph, 1002 * 8 + 5001 * 16);
  shape.directed = false;
  check_equal(scree_graph_plan(&shape, 5000, 1).graph, 1002 * 8 + 10001 * 16);
  shape = (scree_graph_shape){.n = UINT64_C(1) << 33, .weight = SCREE_WEIGHT_FLOAT}; /* too large for short heads */
  check_equal(scree_graph_plan(&shape, 8, 8).graph, ((UINT64_C(1) << 30) + 2) * 8 + 3 * 12);
}

/* A number of kB in /proc/self/status, in bytes. */
static double status_of(const char *name) {
  FILE *file = fopen("/proc/self/status", "r");
  char line[256];
  double kib = 0;
  while (fgets(line, sizeof line, file))
    if (!strncmp(line, name, strlen(name))) kib = strtod(line + strlen(name), NULL);
  fclose(file);
  return kib * 1024;
}

static void within_a_fifth(const char *what, double found, double planned) {
  check_text(found > planned / 1.2 && found < planned * 1.2, "%s: found %.0f bytes, planned %.0f", what, found,
             planned);
}

/* By the memory of this process as the system reports it. The edges are made one by one, so nothing else takes
 * memory. */
static void account(scree_graphs *graphs, void *arg) {
  const scree_graph_shape *shape = arg;
  const uint64_t edges = 16 * shape->n;
  scree_graph_builder *b = NULL;
  scree_graph *g = NULL;
  FILE *file = fopen("/proc/self/clear_refs", "w"); /* 5: resets the peak */
  bool cleared = file && fputs("5", file) >= 0 && !fclose(file);
  double before = status_of("VmRSS:");
  check_equal(scree_graph_builder_begin(graphs, shape, &b), SCREE_OK);
  for (uint64_t i = 0; i < edges; i++) {
    uint64_t bits = scree__hash_draw(1, i);
    scree_graph_builder_add(b, bits % shape->n, (bits >> 32) % shape->n, (double)(bits >> 60));
  }
  check_equal(scree_graph_builder_finish(b, &g), SCREE_OK);
  scree_graph_bytes plan = scree_graph_plan(shape, edges, 1);
  within_a_fifth("the graph", status_of("VmRSS:") - before, (double)plan.graph);
  if (cleared) within_a_fifth("its construction", status_of("VmHWM:") - before, (double)plan.peak);
  scree_graph_free(g);
}

HARNESS_TEST(accounts) {
#ifdef __SANITIZE_ADDRESS__
  harness_skip("the sanitizer's shadow of memory counts too");
  return;
#endif
  scree_graph_shape shapes[] = {{.n = 1 << 16, .weight = SCREE_WEIGHT_FLOAT},
                                {.n = 100000, .directed = true},
                                {.n = 1 << 16, .weight = SCREE_WEIGHT_DOUBLE},
                                {.n = 1 << 16, .weight = SCREE_WEIGHT_UINT32, .wide = true}};
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) graph_case_run(1, i, account, &shapes[i]);
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

static void still_works(scree_graphs *graphs) {
  scree_graph *g = NULL;
  graphs->memory_left = 0;
  if (!check_equal(scree_graph_load(graphs, "kron:6", NULL, &g), SCREE_OK)) return;
  check_equal(g->edges, 16 << 6);
  scree_graph_free(g);
}

static void known_at_once(scree_graphs *graphs, void *arg) {
  scree_graph *g = NULL;
  graphs->memory_left = 1 << 20;
  check_equal(scree_graph_load(graphs, "kron:18", NULL, &g), SCREE_ENOMEM);
  check_contains(scree_graphs_error(graphs), "a graph of 262144 vertices and 4194304 edges needs ");
  check_contains(scree_graphs_error(graphs), " MiB more on each of the ");
  check_contains(scree_graphs_error(graphs), " which has 1.0 MiB left in total: use more nodes");
  still_works(graphs);
  scree_graph_builder *b = NULL;
  graphs->memory_left = 1 << 20;
  scree_graph_shape shape = {.n = UINT64_C(1) << 36};
  check_equal(scree_graph_builder_begin(graphs, &shape, &b), SCREE_ENOMEM);
  check_contains(scree_graphs_error(graphs), "rank 0: a graph without edges needs ");
  still_works(graphs);
}

/* A file that states its number of edges is refused before one of them is read: the entries of those with a header are
 * no good. */
static void refused_file(scree_graphs *graphs, const char *text, const char *ending, scree_graph_options options,
                         const char *expected) {
  scree_graph *g = NULL;
  char path[64];
  snprintf(path, sizeof path, "%s", graph_case_file(text, strlen(text), ending));
  graphs->memory_left = 1 << 19;
  check_equal(scree_graph_load(graphs, path, &options, &g), SCREE_ENOMEM);
  check_contains(scree_graphs_error(graphs), expected);
  still_works(graphs);
  unlink(path);
}

static char *many(const char *header, const char *line, int count) {
  static char text[1 << 20];
  size_t at = (size_t)snprintf(text, sizeof text, "%s", header), length = strlen(line);
  for (int i = 0; i < count; i++, at += length) memcpy(text + at, line, length + 1);
  return text;
}

static void known_by_header(scree_graphs *graphs, void *arg) {
  enum { MANY = 100000 };
  const char *expected = "a graph of 3 vertices and 100000 edges needs ";
  refused_file(graphs, many("p sp 3 100000\n", "a 1 9 1\n", MANY), ".gr", (scree_graph_options){0}, expected);
  refused_file(graphs, many("%%MatrixMarket matrix coordinate pattern general\n3 3 100000\n", "9 1\n", MANY), ".mtx",
               (scree_graph_options){0}, expected);
  refused_file(graphs, many("3 100000\n", "9 9 9 9\n", MANY), ".graph", (scree_graph_options){0}, expected);
  refused_file(graphs, many("", "1 2\n3 2\n", MANY / 2), ".txt", (scree_graph_options){.direction = SCREE_DIRECTED},
               expected);
  refused_file(graphs, many("", "999999999 2\n", 1), ".txt",
               (scree_graph_options){.direction = SCREE_DIRECTED, .base = SCREE_BASE_0},
               ".txt: --base, which makes a vertex of every id up to the largest, 999999999 (without it only ids that "
               "occur are vertices), needs ");
}

/* Binary files. The image is not mapped, since it is to be of another distribution. */
static void known_by_size(scree_graphs *graphs, void *arg) {
  static const scree_write_options as[] = {{.format = SCREE_FORMAT_TUPLES},
                                           {.format = SCREE_FORMAT_IMAGE},
                                           {.format = SCREE_FORMAT_SG},
                                           {.format = SCREE_FORMAT_WSG}};
  scree_graph_options options[] = {{.format = SCREE_FORMAT_TUPLES, .scale = 12},
                                   {.distribution = SCREE_DISTRIBUTION_HASH},
                                   {.format = SCREE_FORMAT_SG},
                                   {.format = SCREE_FORMAT_WSG}};
  const scree_graph_options bare = {.weights = SCREE_WEIGHTS_DROP},
                            heavy = {.weights = SCREE_WEIGHTS_RANDOM_INT, .lo = 1, .hi = 9};
  char path[64];
  snprintf(path, sizeof path, "/tmp/scree-plan-file-%d", (int)getpid());
  for (int i = 0; i < 4; i++) {
    scree_graph *g = NULL;
    check_equal(scree_graph_load(graphs, "kron:12", i == 3 ? &heavy : &bare, &g), SCREE_OK);
    check_equal(scree_graph_write(g, path, &as[i]), SCREE_OK);
    scree_graph_free(g);
    graphs->memory_left = 1 << 18;
    check_equal(scree_graph_load(graphs, path, &options[i], &g), SCREE_ENOMEM);
    check_contains(scree_graphs_error(graphs), i >= 2 ? "a graph of 4096 vertices and 65429 edges needs " /* loops */
                                                      : "a graph of 4096 vertices and 65536 edges needs ");
    still_works(graphs);
  }
  unlink(path);
}

/* A wrong header is reported, not how much memory it would take. */
static void known_to_lie(scree_graphs *graphs, void *arg) {
  scree_graph *g = NULL;
  static const char text[] = "p sp 2 1000000000000\na 1 2 3\n";
  char path[64];
  snprintf(path, sizeof path, "%s", graph_case_file(text, strlen(text), ".gr"));
  check_equal(scree_graph_load(graphs, path, NULL, &g), SCREE_EINVAL);
  check_contains(scree_graphs_error(graphs), "found 1 arcs in the file, expected 1000000000000");
  unlink(path);
}

/* A compressed file of `count` times `line` after its header. */
static void pack_many(const char *path, const char *header, const char *line, unsigned count) {
  gzFile file = gzopen(path, "wb9");
  if (!check(file != NULL)) return;
  gzputs(file, header);
  for (unsigned i = 0; i < count; i++) gzputs(file, line);
  gzclose(file);
}

/* Of a compressed file with more than its header states no more is read: it would take 24 MB of arcs and more, or of
 * one line. */
static void packed_to_lie(scree_graphs *graphs, void *arg) {
  static const struct {
    const char *ending, *header, *line, *part;
  } cases[] = {
      {".gr", "p sp 2 1\n", "a 1 2 3\n", ":1: found more than 1 arcs in the file, expected 1 as this line says"},
      {".mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n", "1 2 3\n",
       ":2: found more than 1 entries in the file, expected 1 as this line says"},
      {".graph", "1000000 1\n", "1\n", ":1: found more than 1 edges in the file, expected 1 as this line says"},
      {".graph", "2 1\n", "2       ", ":2: found a line of more than 65600 bytes, expected the list of a vertex"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    scree_graph *g = NULL;
    char path[64];
    snprintf(path, sizeof path, "%s", graph_case_file("", 0, cases[i].ending));
    pack_many(path, cases[i].header, cases[i].line, 1000000);
    const AO_t held = AO_load(&graphs->account->held);
    AO_store(&graphs->account->peak, held);
    check_equal(scree_graph_load(graphs, path, NULL, &g), SCREE_EINVAL);
    check_contains(scree_graphs_error(graphs), cases[i].part);
    const uint64_t taken = AO_load(&graphs->account->peak) - held;
    check_text(taken < 8 << 20, "%s: %" PRIu64 " bytes taken", cases[i].ending, taken);
    unlink(path);
  }
}

/* Whole weights take less in the end than the doubles that they might be: no graph is refused that fits. */
static void narrow(scree_graphs *graphs, void *arg) {
  const scree_graph_shape doubles = {.n = 10, .weight = SCREE_WEIGHT_DOUBLE, .directed = true};
  const uint64_t edges = 100000, peak = scree_graph_plan(&doubles, edges, 1).peak;
  graphs->memory_left = peak - 4 * edges;
  check_equal(scree__memory_check_graph(graphs, &doubles, edges, false), SCREE_ENOMEM);
  check_equal(scree__memory_check_graph(graphs, &doubles, edges, true), SCREE_OK);
  graphs->memory_left = peak - 4 * edges - 5;
  check_equal(scree__memory_check_graph(graphs, &doubles, edges, true), SCREE_ENOMEM);
}

/* One rank sees that further arcs arrive; all are notified. */
static void while_growing(scree_graphs *graphs, void *arg) {
  scree_worker *w = scree_graphs_worker(graphs);
  uint32_t last = w->ranks - 1;
  scree_graph_builder *b = NULL;
  scree_graph *g = NULL;
  scree_graph_shape shape = {.n = 1000,
                             .distribution = SCREE_DISTRIBUTION_CYCLIC,
                             .weight = SCREE_WEIGHT_DOUBLE,
                             .directed = true,
                             .wide = true};
  check_equal(scree_graph_builder_begin(graphs, &shape, &b), SCREE_OK);
  graphs->memory_left = w->rank == last ? 50 << 20 : 0;
  for (uint64_t i = 0; i < 2000000 && w->rank == 0; i++) scree_graph_builder_add(b, last, i % 1000, 1);
  check_equal(scree_graph_builder_finish(b, &g), SCREE_ENOMEM);
  char start[64];
  snprintf(start, sizeof start, "rank %u: the part of the graph that has arrived needs ", (unsigned)last);
  check_contains(scree_graphs_error(graphs), start);
  check(!g);
  still_works(graphs);
}

HARNESS_TEST(refusals) {
  for (uint32_t ranks = 1; ranks <= 3; ranks++) {
    graph_case_run(ranks, ranks, known_at_once, NULL);
    graph_case_run(ranks, ranks, while_growing, NULL);
  }
  graph_case_run(1, 1, known_by_header, NULL);
  graph_case_run(1, 1, known_by_size, NULL);
  graph_case_run(2, 2, known_to_lie, NULL);
  graph_case_run(1, 1, packed_to_lie, NULL);
  graph_case_run(1, 1, narrow, NULL);
}

HARNESS_MAIN
