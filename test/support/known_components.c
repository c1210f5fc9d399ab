/* known_components.c - published components and ranks of real graphs.
 *
 * Publishers name components as they like, so answers are compared as partitions. Ranks
 * need be equal to 1e-4 only, as Graphalytics has it; the bounds here are what was published allows. */
#include "known_components.h"

#include <math.h>
#include <unistd.h>
#include <zlib.h>

#include "component_cases.h"
#include "graph_labels.h"
#include "harness.h"

typedef struct {
  const char *edges, *answers;
  bool lists; /* a line has a vertex and its neighbours */
  bool directed, large;
  uint64_t iterations; /* 0: components */
  double within;       /* relative difference of ranks */
} known;

static const known cases[] = {
    {"graphalytics/wcc/dir-input", "graphalytics/wcc/dir-output", true, true, false, 0, 0},
    {"graphalytics/wcc/undir-input", "graphalytics/wcc/undir-output", true, true, false, 0, 0},
    {"graphalytics/example/example-directed.e", "graphalytics/example/example-directed-WCC", false, true, false, 0, 0},
    {"graphalytics/example/example-undirected.e", "graphalytics/example/example-undirected-WCC", false, false, false, 0,
     0},
    {"p2p-31/p2p-31.e.gz", "p2p-31/p2p-31-WCC.gz", false, true, true, 0, 0},
    {"p2p-31/p2p-31.e.gz", "p2p-31/p2p-31-WCC.gz", false, false, true, 0, 0},
    {"graphalytics/pr/dir-input", "graphalytics/pr/dir-output", true, true, false, 26, 1e-10},
    {"graphalytics/pr/undir-input", "graphalytics/pr/undir-output", true, true, false, 26, 1e-7},
    {"graphalytics/example/example-directed.e", "graphalytics/example/example-directed-PR", false, true, false, 2,
     1e-12},
    {"graphalytics/example/example-undirected.e", "graphalytics/example/example-undirected-PR", false, false, false, 2,
     1e-12},
    {"p2p-31/p2p-31.e.gz", "p2p-31/p2p-31-PR.gz", false, false, true, 10, 1e-12},
};
enum { CASES = sizeof cases / sizeof *cases };

static struct { char edges[512], answers[512], vertices[512]; } paths[CASES];

static void remove_edges(void) {
  for (size_t i = 0; i < CASES; i++)
    if (paths[i].vertices[0]) unlink(paths[i].edges);
}

/* As docs/graphs.md says. Each process has its own file, with the same content. */
static bool make_edges(size_t i) {
  char command[1200];
  memcpy(paths[i].vertices, paths[i].edges, sizeof paths[i].vertices);
  snprintf(paths[i].edges, sizeof paths[i].edges, "/tmp/known_components.%d.%zu", (int)getpid(), i);
  snprintf(command, sizeof command, "awk '{for (i = 2; i <= NF; i++) print $1, $i}' '%s' >'%s'", paths[i].vertices,
           paths[i].edges);
  return system(command) == 0;
}

const char *known_components_find(void) {
  for (size_t i = 0; i < CASES; i++) {
    const char *edges = harness_data(cases[i].edges);
    if (!edges) return HARNESS_NO_DATA;
    snprintf(paths[i].edges, sizeof paths[i].edges, "%s", edges);
    const char *answers = harness_data(cases[i].answers);
    if (!answers) return HARNESS_NO_DATA;
    snprintf(paths[i].answers, sizeof paths[i].answers, "%s", answers);
    if (cases[i].lists) check(make_edges(i));
  }
  atexit(remove_edges);
  return NULL;
}

/* Calls `fn` with vertex and value of each line; returns how many there were. */
static uint64_t read_answers(const scree_graph *g, const uint64_t *labels, const char *path,
                             void (*fn)(void *arg, uint64_t v, double value), void *arg) {
  gzFile file = gzopen(path, "rb");
  char line[256];
  uint64_t count = 0;
  while (file && gzgets(file, line, sizeof line)) {
    char *rest;
    uint64_t v = graph_labels_search(g, labels, strtoull(line, &rest, 10));
    if (line[0] <= ' ' || !check_text(v != SCREE_NO_VERTEX, "%s: no vertex %s", path, line)) continue;
    fn(arg, v, strtod(rest, NULL));
    count++;
  }
  if (file) gzclose(file);
  return count;
}

/* ---- components ---- */

typedef struct {
  const uint64_t *component; /* by vertex */
  uint64_t *names;           /* by representative: 1 plus the published name; 0: none yet */
  uint64_t wrong, different; /* lines that contradict an earlier one; representatives */
} partition;

static void compare_component(void *arg, uint64_t v, double value) {
  partition *p = arg;
  uint64_t *name = &p->names[p->component[v]], published = 1 + (uint64_t)value;
  p->different += *name == 0;
  if (*name == 0) *name = published;
  p->wrong += *name != published;
}

static int by_value(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* Two representatives must not have one name. */
static bool are_different(uint64_t *names, uint64_t n) {
  qsort(names, n, sizeof *names, by_value);
  for (uint64_t i = 1; i < n; i++)
    if (names[i] && names[i] == names[i - 1]) return false;
  return true;
}

static void compare_components(const scree_graph *g, const char *path, const scree_answer *r) {
  uint64_t n = g->vertices.n, *all = calloc(n, sizeof *all), *names = calloc(n, sizeof *names);
  partition p = {.component = all, .names = names};
  check_equal(scree_graph_gather_uint64(g, r->array[0], 0, all), SCREE_OK);
  uint64_t *labels = graph_labels_of(g);
  if (scree_graph_rank(g) == 0) {
    check_equal(read_answers(g, labels, path, compare_component, &p), n);
    check_text(p.wrong == 0, "%s: %" PRIu64 " vertices of %s are in other components", r->algorithm, p.wrong, path);
    check_equal(p.different, (uint64_t)r->figure[0]);
    check_text(are_different(names, n), "%s: parts of one component of %s", r->algorithm, path);
  }
  free(labels);
  free(all);
  free(names);
}

static void run_cc(component_layer *layer, const scree_graph *g, const char *answers) {
  for (size_t i = 0; scree_kernel_variant_at(scree_kernel_find("cc"), i); i++) {
    scree_cc_options how = SCREE_CC_OPTIONS_INIT;
    how.algorithm = scree_kernel_variant_at(scree_kernel_find("cc"), i)->name;
    scree_answer r;
    if (!check_equal(scree_solver_run(layer->cc, g, 0, &how, &r), SCREE_OK)) return;
    compare_components(g, answers, &r);
    scree_answer_free(&r);
  }
}

/* ---- ranks ---- */

typedef struct {
  const scree_graph *g;
  const double *rank;
  double worst;
} ranks;

static void compare_rank(void *arg, uint64_t v, double value) {
  ranks *r = arg;
  scree_location place = scree_graph_location(r->g, v);
  if (scree_location_owner(place) != scree_graph_rank(r->g)) return;
  double difference = fabs(r->rank[scree_location_local(place)] - value) / value;
  if (!(difference <= r->worst)) r->worst = difference;
}

static void run_pagerank(component_layer *layer, const scree_graph *g, const char *answers, const known *k) {
  for (size_t i = 0; scree_kernel_variant_at(scree_kernel_find("pagerank"), i); i++) {
    scree_pagerank_options how = SCREE_PAGERANK_OPTIONS_INIT;
    how.algorithm = scree_kernel_variant_at(scree_kernel_find("pagerank"), i)->name;
    how.iterations = k->iterations;
    scree_answer r;
    if (g->directed && strncmp(how.algorithm, "pull", 4) == 0) continue;
    if (!check_equal(scree_solver_run(layer->pagerank, g, 0, &how, &r), SCREE_OK)) return;
    ranks c = {.g = g, .rank = r.array[0]};
    uint64_t *labels = graph_labels_of(g);
    check_equal(read_answers(g, labels, answers, compare_rank, &c), g->vertices.n);
    free(labels);
    const double within = strcmp(how.algorithm, "pull-float") == 0 && k->within < 1e-6 ? 1e-6 : k->within;
    check_text(c.worst <= within, "%s: %s differs by %g", how.algorithm, answers, c.worst);
    scree_answer_free(&r);
  }
}

static void run_one(component_layer *layer, size_t i) {
  const known *k = &cases[i];
  scree_graph_options options = {.direction = k->directed ? SCREE_DIRECTED : SCREE_UNDIRECTED,
                                 .weights = SCREE_WEIGHTS_DROP,
                                 .columns = {1, 2, 0}};
  if (k->lists) options.vertices = paths[i].vertices;
  scree_graph *g = NULL;
  if (!check_text(scree_graph_load(layer->graphs, paths[i].edges, &options, &g) == SCREE_OK, "%s",
                  scree_graphs_error(layer->graphs)))
    return;
  if (k->iterations)
    run_pagerank(layer, g, paths[i].answers, k);
  else
    run_cc(layer, g, paths[i].answers);
  scree_graph_free(g);
}

void known_components_run(scree_world *world, bool all) {
  component_layer layer;
  bool ready = component_open(world, &layer);
  for (size_t i = 0; ready && i < CASES; i++)
    if (all || !cases[i].large) run_one(&layer, i);
  component_close(&layer);
}
