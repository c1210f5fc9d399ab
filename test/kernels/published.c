/* published.c - real graphs with answers that others published, or that the validators judge.
 *
 * An answers file has a line `label value` for each vertex; what is not reached is `infinity`, `Infinity` or
 * 9223372036854775807. Publishers name components as they like. Ranks need be equal to 1e-4 only, as in Graphalytics;
 * the bounds here are those that the published values permit. */
#include "published.h"

#include <math.h>
#include <unistd.h>
#include <zlib.h>

#include "graph_labels.h"
#include "harness.h"
#include "kernels.h"

typedef struct {
  const char *kernel, *edges, *answers; /* NULL: unknown */
  uint64_t source;                      /* label */
  bool directed;
  bool lists; /* a line has a vertex and its neighbours */
  const char *iterations;
  double within; /* relative */
  size_t array;  /* of the answer */
} published;

#define EXAMPLE "graphalytics/example/example-"
#define P2P     "p2p-31/p2p-31"
static const published cases[] = {
    {"sssp", EXAMPLE "directed.e", EXAMPLE "directed-SSSP", 1, true, .within = 1e-9},
    {"sssp", EXAMPLE "undirected.e", EXAMPLE "undirected-SSSP", 2, .within = 1e-9},
    {"sssp", P2P ".e.gz", P2P "-SSSP-directed.gz", 6, true, .within = 1e-9},
    {"sssp", P2P ".e.gz", P2P "-SSSP.gz", 6, .within = 1e-9},
    {"bfs", EXAMPLE "directed.e", EXAMPLE "directed-BFS", .source = 1, .directed = true},
    {"bfs", EXAMPLE "undirected.e", EXAMPLE "undirected-BFS", .source = 2},
    {"bfs", P2P ".e.gz", P2P "-BFS-directed.gz", 6, .directed = true},
    {"bfs", P2P ".e.gz", P2P "-BFS.gz", .source = 6},
    {"cc", "graphalytics/wcc/dir-input", "graphalytics/wcc/dir-output", .directed = true, .lists = true},
    {"cc", "graphalytics/wcc/undir-input", "graphalytics/wcc/undir-output", .directed = true, .lists = true},
    {"cc", EXAMPLE "directed.e", EXAMPLE "directed-WCC", .directed = true},
    {"cc", EXAMPLE "undirected.e", EXAMPLE "undirected-WCC", .directed = false},
    {"cc", P2P ".e.gz", P2P "-WCC.gz", .directed = true},
    {"cc", P2P ".e.gz", .answers = P2P "-WCC.gz"},
    {"pagerank", "graphalytics/pr/dir-input", "graphalytics/pr/dir-output", .directed = true, .lists = true,
     .iterations = "26", .within = 1e-10},
    {"pagerank", "graphalytics/pr/undir-input", "graphalytics/pr/undir-output", .directed = true, .lists = true,
     .iterations = "26", .within = 1e-7},
    {"pagerank", EXAMPLE "directed.e", EXAMPLE "directed-PR", .directed = true, .iterations = "2", .within = 1e-12},
    {"pagerank", EXAMPLE "undirected.e", EXAMPLE "undirected-PR", .iterations = "2", .within = 1e-12},
    {"tc", "graphalytics/lcc/undir-input", "graphalytics/lcc/undir-output", .lists = true, .within = 1e-11, .array = 1},
    {"tc", EXAMPLE "undirected.e", EXAMPLE "undirected-LCC", .within = 1e-15, .array = 1},
    {"kcore", EXAMPLE "undirected.e", .answers = NULL},
    {"mis", EXAMPLE "undirected.e", .answers = NULL},
    {"colour", EXAMPLE "undirected.e", .answers = NULL},
    {"kcore", .edges = P2P ".e.gz"},
    {"mis", .edges = P2P ".e.gz"},
    {"colour", .edges = P2P ".e.gz"},
    {"pagerank", P2P ".e.gz", P2P "-PR.gz", .iterations = "10", .within = 1e-12},
};
enum { CASES = sizeof cases / sizeof *cases };

static struct { char edges[512], answers[512], vertices[512]; } paths[CASES];

static void remove_edges(void) {
  for (size_t i = 0; i < CASES; i++)
    if (paths[i].vertices[0]) unlink(paths[i].edges);
}

/* As in docs/graphs.md. Each process has its own file, with the same content. */
static bool make_edges(size_t i) {
  char command[1200];
  memcpy(paths[i].vertices, paths[i].edges, sizeof paths[i].vertices);
  snprintf(paths[i].edges, sizeof paths[i].edges, "/tmp/scree-published.%d.%zu", (int)getpid(), i);
  snprintf(command, sizeof command, "awk '{for (i = 2; i <= NF; i++) print $1, $i}' '%s' >'%s'", paths[i].vertices,
           paths[i].edges);
  return system(command) == 0;
}

const char *published_find(void) {
  if (paths[0].edges[0]) return NULL;
  for (size_t i = 0; i < CASES; i++) {
    const char *edges = harness_data(cases[i].edges);
    if (!edges) return HARNESS_NO_DATA;
    snprintf(paths[i].edges, sizeof paths[i].edges, "%s", edges);
    if (!cases[i].answers) continue;
    const char *answers = harness_data(cases[i].answers);
    if (!answers) return HARNESS_NO_DATA;
    snprintf(paths[i].answers, sizeof paths[i].answers, "%s", answers);
    if (cases[i].lists) check(make_edges(i));
  }
  atexit(remove_edges);
  return NULL;
}

/* Sets the value of each vertex. One without an edge is not in the graph, and not reached. */
static void read_answers(const scree_graph *g, const char *path, double *value) {
  gzFile file = gzopen(path, "rb");
  char line[256], *rest;
  uint64_t count = 0, *labels = graph_labels_of(g);
  while (check(file && labels) && gzgets(file, line, sizeof line)) {
    if (line[0] <= ' ') continue;
    const uint64_t v = graph_labels_search(g, labels, strtoull(line, &rest, 10));
    const double found = strtod(rest, NULL);
    check_text(v != SCREE_NO_VERTEX || found > 9e18, "%s: no vertex %s", path, line);
    if (v == SCREE_NO_VERTEX) continue;
    value[v] = found > 9e18 ? INFINITY : found;
    count++;
  }
  check_text(count == g->vertices.n, "%s: answers for %" PRIu64 " of %" PRIu64 " vertices", path, count, g->vertices.n);
  free(labels);
  if (file) gzclose(file);
}

typedef struct {
  double name;
  uint64_t v;
} member;

static int by_name(const void *a, const void *b) {
  const member *x = a, *y = b;
  return x->name != y->name ? (x->name > y->name) - (x->name < y->name) : (x->v > y->v) - (x->v < y->v);
}

/* Names each set of vertices of one value by the smallest of them. */
static void name_by_smallest(double *value, uint64_t n) {
  member *all = malloc(n * sizeof *all);
  if (!check(all != NULL)) return;
  for (uint64_t v = 0; v < n; v++) all[v] = (member){value[v], v};
  qsort(all, n, sizeof *all, by_name);
  for (uint64_t i = 0, first = 0; i < n; i++) {
    if (all[i].name != all[first].name) first = i;
    value[all[i].v] = (double)all[first].v;
  }
  free(all);
}

static void run_variants(kernel_layer *layer, const published *p, const scree_graph *g, const char *answers) {
  const size_t k = kernel_row_find(p->kernel);
  const scree_kernel *kernel = scree_kernel_find(p->kernel);
  double *expected[KERNELS_MAX] = {NULL}, *value = malloc(g->vertices.n * sizeof *value);
  case_verdict verdict = {0};
  if (!check(value != NULL)) return;
  if (p->answers) expected[k] = value;
  if (p->answers) read_answers(g, answers, value);
  if (p->answers && kernel->arrays[0].kind == SCREE_VALUE_REPRESENTATIVE) name_by_smallest(value, g->vertices.n);
  const kernel_try t = {.layer = layer,
                        .graph = g,
                        .expected = expected,
                        .within = p->within,
                        .array = p->array,
                        .verdict = &verdict,
                        .source = kernel->source ? scree_graph_find(g, p->source) : 0,
                        .defaults = true,
                        .option = p->iterations ? "iterations" : NULL,
                        .value = p->iterations};
  for (size_t i = 0; scree_kernel_variant_at(kernel, i); i++) kernels_try(&t, k, i);
  check_text(!verdict.wrong, "%s, %u ranks: %s", p->edges, scree_graphs_worker(layer->graphs)->ranks, verdict.text);
  free(value);
}

void published_run(scree_world *world) {
  kernel_layer layer;
  bool ready = kernels_open(world, &layer);
  for (size_t i = 0; ready && i < CASES; i++) {
    const published *p = &cases[i];
    const bool weights = strcmp(p->kernel, "sssp") == 0;
    const scree_graph_options options = {.direction = p->directed ? SCREE_DIRECTED : SCREE_UNDIRECTED,
                                         .distribution = (scree_distribution_kind)(i % 3),
                                         .weights = weights ? SCREE_WEIGHTS_GIVEN : SCREE_WEIGHTS_DROP,
                                         .columns = {1, 2, weights ? 3 : 0},
                                         .vertices = p->lists ? paths[i].vertices : NULL};
    scree_graph *g = NULL;
    if (check_text(scree_graph_load(layer.graphs, paths[i].edges, &options, &g) == SCREE_OK, "%s",
                   scree_graphs_error(layer.graphs)))
      run_variants(&layer, p, g, paths[i].answers);
    scree_graph_free(g);
  }
  kernels_close(&layer);
}
