/* known_answers.c - the graphs, and how an answer is compared.
 *
 * An answers file has a line `label value` for each vertex; what is not reached is
 * `infinity`, `Infinity` or 9223372036854775807, by kernel and publisher. */
#include "known_answers.h"

#include <math.h>
#include <zlib.h>

#include "algorithm_cases.h"
#include "graph_labels.h"
#include "harness.h"

typedef struct {
  const char *edges, *answers;
  uint64_t source; /* label */
  bool directed, is_sssp, large;
} known;

static const known cases[] = {
    {"graphalytics/example/example-directed.e", "graphalytics/example/example-directed-SSSP", 1, true, true, false},
    {"graphalytics/example/example-directed.e", "graphalytics/example/example-directed-BFS", 1, true, false, false},
    {"graphalytics/example/example-undirected.e", "graphalytics/example/example-undirected-SSSP", 2, false, true,
     false},
    {"graphalytics/example/example-undirected.e", "graphalytics/example/example-undirected-BFS", 2, false, false,
     false},
    {"p2p-31/p2p-31.e.gz", "p2p-31/p2p-31-SSSP-directed.gz", 6, true, true, true},
    {"p2p-31/p2p-31.e.gz", "p2p-31/p2p-31-BFS-directed.gz", 6, true, false, true},
    {"p2p-31/p2p-31.e.gz", "p2p-31/p2p-31-SSSP.gz", 6, false, true, true},
    {"p2p-31/p2p-31.e.gz", "p2p-31/p2p-31-BFS.gz", 6, false, false, true},
};
enum { CASES = sizeof cases / sizeof *cases };

static struct { char edges[512], answers[512]; } paths[CASES];

const char *known_find(void) {
  for (size_t i = 0; i < CASES; i++) {
    const char *edges = harness_data(cases[i].edges);
    if (!edges) return HARNESS_NO_DATA;
    snprintf(paths[i].edges, sizeof paths[i].edges, "%s", edges);
    const char *answers = harness_data(cases[i].answers);
    if (!answers) return HARNESS_NO_DATA;
    snprintf(paths[i].answers, sizeof paths[i].answers, "%s", answers);
  }
  return NULL;
}

static double value_of(const char *text) {
  double value = strtod(text, NULL);
  return value > 9e18 ? INFINITY : value;
}

static bool agree(double found, double expected) {
  if (isinf(found) || isinf(expected)) return found == expected;
  return fabs(found - expected) <= 1e-9 * (1 + fabs(expected));
}

/* One line of the answers: does this rank own the vertex, and if so, does it say the same? A vertex without an edge
 * is not in the graph, and not reached. */
static bool holds(const scree_graph *g, const uint64_t *labels, const char *line, const double *dist,
                  const int64_t *level, uint64_t *mine) {
  char *rest;
  uint64_t v = graph_labels_search(g, labels, strtoull(line, &rest, 10));
  double expected = value_of(rest);
  if (v == SCREE_NO_VERTEX) return isinf(expected);
  scree_location place = scree_graph_location(g, v);
  if (scree_location_owner(place) != scree_graph_rank(g)) return true;
  uint64_t u = scree_location_local(place);
  double found = dist ? dist[u] : level[u] < 0 ? INFINITY : (double)level[u];
  ++*mine;
  return agree(found, expected);
}

static void compare(const scree_graph *g, const char *path, const char *name, const double *dist,
                    const int64_t *level) {
  gzFile file = gzopen(path, "rb");
  char line[256];
  uint64_t mine = 0, wrong = 0, *labels = graph_labels_of(g);
  while (file && check(labels != NULL) && gzgets(file, line, sizeof line))
    if (line[0] > ' ') wrong += !holds(g, labels, line, dist, level, &mine);
  check_text(wrong == 0, "%s: %" PRIu64 " vertices of %s differ", name, wrong, path);
  check_text(mine == g->locals, "%s: %s has answers for %" PRIu64 " of %" PRIu64 " vertices", name, path, mine,
             g->locals);
  free(labels);
  if (file) gzclose(file);
}

static void run_sssp(case_layer *layer, const scree_graph *g, uint64_t source, const char *answers) {
  for (size_t i = 0; scree_kernel_variant_at(scree_kernel_find("sssp"), i); i++) {
    scree_sssp_options how = SCREE_SSSP_OPTIONS_INIT;
    how.algorithm = scree_kernel_variant_at(scree_kernel_find("sssp"), i)->name;
    scree_answer r;
    if (!check_equal(scree_solver_run(layer->sssp, g, source, &how, &r), SCREE_OK)) return;
    compare(g, answers, how.algorithm, r.array[0], NULL);
    scree_answer_free(&r);
  }
}

static void run_bfs(case_layer *layer, const scree_graph *g, uint64_t source, const char *answers) {
  for (size_t i = 0; scree_kernel_variant_at(scree_kernel_find("bfs"), i); i++) {
    scree_bfs_options how = SCREE_BFS_OPTIONS_INIT;
    how.algorithm = scree_kernel_variant_at(scree_kernel_find("bfs"), i)->name;
    scree_answer r;
    if (!check_equal(scree_solver_run(layer->bfs, g, source, &how, &r), SCREE_OK)) return;
    compare(g, answers, how.algorithm, NULL, r.array[0]);
    scree_answer_free(&r);
  }
}

static void run_one(case_layer *layer, size_t i) {
  const known *k = &cases[i];
  scree_graph_options options = {.direction = k->directed ? SCREE_DIRECTED : SCREE_UNDIRECTED,
                                 .columns = {1, 2, k->is_sssp ? 3 : 0}};
  scree_graph *g = NULL;
  if (!check_equal(scree_graph_load(layer->graphs, paths[i].edges, &options, &g), SCREE_OK)) return;
  uint64_t source = scree_graph_find(g, k->source);
  if (check(source != SCREE_NO_VERTEX)) (k->is_sssp ? run_sssp : run_bfs)(layer, g, source, paths[i].answers);
  scree_graph_free(g);
}

void known_run(scree_world *world, bool all) {
  case_layer layer;
  bool ready = case_open(world, &layer);
  for (size_t i = 0; ready && i < CASES; i++)
    if (all || !cases[i].large) run_one(&layer, i);
  case_close(&layer);
}
