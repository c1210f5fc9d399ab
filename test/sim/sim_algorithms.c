/* sim_algorithms.c - BFS and SSSP in the simulator, where no case is drawn: sim_property.c does that.
 *
 * Covered are many ranks, large graphs of extreme shapes, and the errors of the algorithms' calls.
 *
 * Also: on a simulated MPI */
#include <scree/scree_sim.h>

#include <math.h>

#include "algorithm_cases.h"
#include "harness.h"

/* ---- many ranks ---- */

static void run_case(scree_world *world, void *arg) {
  case_layer layer;
  if (case_open(world, &layer)) case_run(&layer, *(const uint64_t *)arg);
  case_close(&layer);
}

static void many_ranks(void **unused) {
  (void)unused;
  for (uint64_t seed = 1; seed <= 3 && harness_failures() == 0; seed++) {
    scree_sim_config config = {.seed = seed, .ranks = 64, .nodes = 8, .unperturbed = true};
    check_equal(scree_sim_run(&config, NULL, run_case, &seed, NULL), SCREE_OK);
  }
}

/* ---- errors ---- */

static void build_edge(case_layer *layer, double weight, scree_weight_kind kind, scree_graph **graph) {
  const scree_graph_shape shape = {.n = 3, .weight = kind, .directed = true};
  scree_graph_builder *builder;
  check_equal(scree_graph_builder_begin(layer->graphs, &shape, &builder), SCREE_OK);
  if (scree_graphs_worker(layer->graphs)->rank == 0) scree_graph_builder_add(builder, 0, 1, weight);
  check_equal(scree_graph_builder_finish(builder, graph), SCREE_OK);
}

static void refused(case_layer *layer, const scree_graph *g, uint64_t source, const char *algorithm, double delta,
                    const char *text) {
  scree_sssp_options how = SCREE_SSSP_OPTIONS_INIT;
  how.algorithm = algorithm;
  how.delta = delta;
  scree_answer result = {0};
  check_equal(scree_solver_run(layer->sssp, g, source, &how, &result), SCREE_EINVAL);
  check(result.array[0] == NULL);
  check_contains(scree_graphs_error(layer->graphs), text);
}

static void refused_bfs(case_layer *layer, const scree_graph *g, uint64_t source, scree_bfs_options how,
                        const char *text) {
  scree_answer result = {0};
  check_equal(scree_solver_run(layer->bfs, g, source, &how, &result), SCREE_EINVAL);
  check(result.array[0] == NULL);
  check_contains(scree_graphs_error(layer->graphs), text);
}

static void bad_calls(scree_world *world, void *arg) {
  (void)arg;
  case_layer layer;
  scree_graph *g = NULL;
  scree_answer result = {0};
  if (!case_open(world, &layer)) return;
  build_edge(&layer, 2, SCREE_WEIGHT_UINT32, &g);
  for (size_t i = 0; scree_kernel_variant_at(scree_kernel_find("sssp"), i); i++)
    refused(&layer, g, 0, "dijkstra", SCREE_UNSET_REAL, scree_kernel_variant_at(scree_kernel_find("sssp"), i)->name);
  refused(&layer, g, 0, "dijkstra", SCREE_UNSET_REAL, "algorithm 'dijkstra' is unknown; known are: ");
  refused(&layer, g, 3, "dc", SCREE_UNSET_REAL, "the source is vertex 3; legal: 0 to 2");
  refused(&layer, g, 0, "delta", -2, "option 'delta': '-2' is out of range; legal: auto, above 0");
  refused(&layer, g, 0, "delta", 0, "option 'delta': '0' is out of range");
  refused(&layer, g, 0, "delta", (double)NAN, "legal: auto, above 0");
  refused(&layer, g, 0, "delta", (double)INFINITY, "legal: auto, above 0");
  refused(&layer, g, 0, "delta", 1e-9, "choose a larger one");
  scree_bfs_options bad = SCREE_BFS_OPTIONS_INIT;
  refused_bfs(&layer, g, 7, bad, "the source is vertex 7; legal: 0 to 2");
  bad.algorithm = "queue";
  for (size_t i = 0; scree_kernel_variant_at(scree_kernel_find("bfs"), i); i++)
    refused_bfs(&layer, g, 0, bad, scree_kernel_variant_at(scree_kernel_find("bfs"), i)->name);
  refused_bfs(&layer, g, 0, bad, "algorithm 'queue' is unknown; known are: ");
  bad.algorithm = "direction";
  bad.alpha = -2;
  refused_bfs(&layer, g, 0, bad, "option 'alpha': '-2' is out of range; legal: above 0");
  bad.alpha = SCREE_UNSET_REAL;
  bad.beta = (double)NAN;
  refused_bfs(&layer, g, 0, bad, "option 'beta': 'nan' is out of range");
  if (check(scree_solver_run(layer.bfs, g, 0, NULL, &result) == SCREE_OK)) scree_answer_free(&result); /* still alive */
  scree_graph_free(g);
  case_close(&layer);
}

static void errors(void **unused) {
  (void)unused;
  for (uint32_t ranks = 1; ranks <= 4; ranks++) {
    scree_sim_config config = {.seed = ranks, .ranks = ranks, .nodes = 1};
    check_equal(scree_sim_run(&config, NULL, bad_calls, NULL, NULL), SCREE_OK);
  }
}

/* ---- distances at the edge of what a double holds exactly ---- */

static scree_graph *path(case_layer *layer, uint64_t n, double last) {
  const scree_graph_shape shape = {.n = n, .weight = SCREE_WEIGHT_UINT32, .directed = true};
  scree_graph_builder *builder;
  scree_graph *g = NULL;
  if (scree_graph_builder_begin(layer->graphs, &shape, &builder)) return NULL;
  for (uint64_t v = 1; v < n; v++) scree_graph_builder_add(builder, v - 1, v, v + 1 < n ? 4294967295.0 : last);
  return scree_graph_builder_finish(builder, &g) ? NULL : g;
}

static void long_path(scree_world *world, void *arg) {
  (void)arg;
  const uint64_t n = 2097154; /* 2^21 arcs of 2^32 - 1 are 2^53 - 2^21 */
  case_layer layer;
  scree_answer result = {0};
  if (!case_open(world, &layer)) return;
  for (uint64_t over = 0; over < 2; over++) {
    scree_graph *g = path(&layer, n, (double)((UINT64_C(1) << 21) - 1 + over));
    scree_sssp_options how = SCREE_SSSP_OPTIONS_INIT;
    how.algorithm = "dc";
    if (!check(g != NULL)) break;
    scree_status status = scree_solver_run(layer.sssp, g, 0, &how, &result);
    if (over) {
      check_equal(status, SCREE_EINVAL);
      check_contains(scree_graphs_error(layer.graphs), "exact below 2^53");
    } else if (check_equal(status, SCREE_OK)) {
      check(((const double *)result.array[0])[n - 1] == 9007199254740991.0);
      scree_answer_free(&result);
    }
    scree_graph_free(g);
  }
  case_close(&layer);
}

static void exact_integers(void **unused) {
  (void)unused;
  scree_sim_config config = {.seed = 1, .ranks = 1, .nodes = 1, .unperturbed = true, .max_steps = UINT64_C(1) << 40};
  check_equal(scree_sim_run(&config, NULL, long_path, NULL, NULL), SCREE_OK);
}

/* ---- larger graphs: a path, where every variant has the most epochs or the longest queue; a Kronecker graph ---- */

static scree_graph *path_of_ones(case_layer *layer, uint64_t n) {
  const scree_graph_shape shape = {.n = n};
  scree_worker *w = scree_graphs_worker(layer->graphs);
  scree_graph_builder *builder;
  scree_graph *g = NULL;
  if (scree_graph_builder_begin(layer->graphs, &shape, &builder)) return NULL;
  for (uint64_t v = 1 + w->rank; v < n; v += w->ranks) scree_graph_builder_add(builder, v - 1, v, 1);
  return scree_graph_builder_finish(builder, &g) ? NULL : g;
}

/* Counts the vertices whose value is not as far from the source as they are along the path. */
static uint64_t wrong_on_path(const scree_graph *g, uint64_t source, const double *distance, const int64_t *level) {
  uint64_t wrong = 0;
  for (uint64_t u = 0; u < g->locals; u++) {
    uint64_t v = scree_graph_vertex(g, scree_location_make(scree_graph_rank(g), u));
    uint64_t expected = v > source ? v - source : source - v;
    wrong += distance ? distance[u] != (double)expected : level[u] != (int64_t)expected;
  }
  return wrong;
}

typedef struct {
  uint64_t n;
  bool one_epoch; /* only those variants that take one */
} path_case;

static bool runs_on(const path_case *p, const char *algorithm) {
  return !p->one_epoch || strncmp(algorithm, "dc", 2) == 0 || strcmp(algorithm, "chaotic") == 0;
}

static void sssp_on_path(case_layer *layer, const scree_graph *g, uint64_t source, const char *algorithm) {
  scree_sssp_options how = SCREE_SSSP_OPTIONS_INIT;
  how.algorithm = algorithm;
  scree_answer r;
  if (!check_equal(scree_solver_run(layer->sssp, g, source, &how, &r), SCREE_OK)) return;
  check_text(wrong_on_path(g, source, r.array[0], NULL) == 0, "sssp %s is wrong", algorithm);
  scree_answer_free(&r);
}

static void bfs_on_path(case_layer *layer, const scree_graph *g, uint64_t source, const char *algorithm) {
  scree_bfs_options how = SCREE_BFS_OPTIONS_INIT;
  how.algorithm = algorithm;
  scree_answer r;
  if (!check_equal(scree_solver_run(layer->bfs, g, source, &how, &r), SCREE_OK)) return;
  check_text(wrong_on_path(g, source, NULL, r.array[0]) == 0, "bfs %s is wrong", algorithm);
  scree_answer_free(&r);
}

static void run_path(scree_world *world, void *arg) {
  const path_case *p = arg;
  const uint64_t source = 40;
  const scree_algorithm *a;
  case_layer layer;
  scree_graph *g = NULL;
  if (case_open(world, &layer) && check((g = path_of_ones(&layer, p->n)) != NULL)) {
    for (size_t i = 0; (a = scree_kernel_variant_at(scree_kernel_find("sssp"), i)) != NULL; i++)
      if (runs_on(p, a->name)) sssp_on_path(&layer, g, source, a->name);
    for (size_t i = 0; (a = scree_kernel_variant_at(scree_kernel_find("bfs"), i)) != NULL; i++)
      if (runs_on(p, a->name)) bfs_on_path(&layer, g, source, a->name);
  }
  scree_graph_free(g);
  case_close(&layer);
}

/* An epoch of two ranks of the simulator takes 20 us: 10^5 of them are for the whole product. */
static void long_paths(void **unused) {
  (void)unused;
  path_case cases[] = {{100000, false}, {100000, !harness_full()}, {5000, false}};
  for (size_t i = 0; i < 3; i++) {
    scree_sim_config config = {.seed = 1, .ranks = i ? 2 : 1, .nodes = 1, .unperturbed = true};
    config.max_steps = UINT64_C(1) << 40;
    check_equal(scree_sim_run(&config, NULL, run_path, &cases[i], NULL), SCREE_OK);
  }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(many_ranks),
    cmocka_unit_test(errors),
    cmocka_unit_test(exact_integers),
    cmocka_unit_test(long_paths),
};
HARNESS_MAIN(tests)
