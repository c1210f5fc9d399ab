/* sim_algorithms.c - BFS and SSSP in the simulator: 1 to 64 virtual ranks, tiny blocks, drawn schedules.
 *
 * Room: every variant against serial answers on drawn graphs, and the errors of the algorithms' calls. */
#include <scree/scree_sim.h>

#include <math.h>

#include "algorithm_cases.h"
#include "harness.h"

/* ---- drawn graphs, worlds and schedules ---- */

static void run_case(scree_world *world, void *arg) {
  case_layer layer;
  if (case_open(world, &layer)) case_run(&layer, *(const uint64_t *)arg);
  case_close(&layer);
}

static void draw_world(uint64_t *state, scree_sim_config *config, scree_options *options) {
  static const uint32_t ranks[] = {1, 2, 3, 4, 5, 7, 8, 16, 33, 64};
  config->ranks = ranks[case_draw(state, harness_full() ? 10 : 9)];
  config->nodes = 1 + (uint32_t)case_draw(state, config->ranks < 4 ? config->ranks : 4);
  config->calm = case_draw(state, 4) == 0;
  options->memory = case_draw(state, 2) ? 4096 : 65536;
  options->coalesce_bytes = case_draw(state, 2) ? 1 + case_draw(state, 100) : 0;
  options->pool_blocks = case_draw(state, 3);
  options->batch_max = 1 + case_draw(state, 40);
  options->in_flight = 1 + case_draw(state, 4);
}

static bool run_seed(uint64_t seed) {
  scree_sim_config config = {.seed = seed};
  scree_options options = SCREE_OPTIONS_INIT;
  uint64_t state = seed;
  draw_world(&state, &config, &options);
  scree_status status = scree_sim_run(&config, &options, run_case, &seed, NULL);
  check_text(status == SCREE_OK, "seed %" PRIu64 ", %u ranks: %s", seed, config.ranks, scree_status_text(status));
  return harness_failures() == 0 || check_text(false, "in seed %" PRIu64, seed);
}

static void drawn_graphs(void **from) {
  const uint64_t first = *(const uint64_t *)*from, seeds = harness_full() ? 100 : 20;
  for (uint64_t seed = first; seed < first + seeds; seed++)
    if (!run_seed(seed)) break;
}

static void many_ranks(void **unused) {
  (void)unused;
  for (uint64_t seed = 1; seed <= 3 && harness_failures() == 0; seed++) {
    scree_sim_config config = {.seed = seed, .ranks = 64, .nodes = 8, .calm = true};
    check_equal(scree_sim_run(&config, NULL, run_case, &seed, NULL), SCREE_OK);
  }
}

/* ---- errors ---- */

static void build_edge(case_layer *layer, double weight, scree_weight_kind kind, scree_graph **graph) {
  const scree_graph_shape shape = {.n = 3, .weight = kind, .directed = true};
  scree_graph_builder *builder;
  check_equal(scree_graph_builder_begin(layer->graphs, &shape, &builder), SCREE_OK);
  if (scree_rank(scree_graphs_worker(layer->graphs)) == 0) scree_graph_builder_add(builder, 0, 1, weight);
  check_equal(scree_graph_builder_finish(builder, graph), SCREE_OK);
}

static void refused(case_layer *layer, const scree_graph *g, uint64_t source, const char *algorithm, double delta,
                    const char *text) {
  const scree_sssp_options how = {.algorithm = algorithm, .delta = delta};
  scree_sssp_result *result = NULL;
  check_equal(scree_sssp_run(layer->sssp, g, source, &how, &result), SCREE_EINVAL);
  check(result == NULL);
  check_contains(scree_graphs_error(layer->graphs), text);
}

static void bad_calls(scree_world *world, void *arg) {
  (void)arg;
  case_layer layer;
  scree_graph *g = NULL;
  if (!case_open(world, &layer)) return;
  build_edge(&layer, 2, SCREE_WEIGHT_UINT32, &g);
  refused(&layer, g, 0, "dijkstra", 0, "algorithm 'dijkstra' is unknown; known are: opt, dc, delta, delta-sort, kla, chaotic");
  refused(&layer, g, 3, "dc", 0, "the source is vertex 3; legal: 0 to 2");
  refused(&layer, g, 0, "delta", -1, "delta is -1; legal: a finite number");
  refused(&layer, g, 0, "delta", (double)NAN, "legal: a finite number");
  refused(&layer, g, 0, "delta", (double)INFINITY, "legal: a finite number");
  refused(&layer, g, 0, "delta", 1e-9, "choose a larger one");
  const scree_bfs_options how = {.algorithm = "dfs"};
  scree_bfs_result *result = NULL;
  check_equal(scree_bfs_run(layer.bfs, g, 0, &how, &result), SCREE_EINVAL);
  check_contains(scree_graphs_error(layer.graphs), "algorithm 'dfs' is unknown; known are: direction, level, dc");
  check_equal(scree_bfs_run(layer.bfs, g, 7, NULL, &result), SCREE_EINVAL);
  check(result == NULL);
  if (check(scree_bfs_run(layer.bfs, g, 0, NULL, &result) == SCREE_OK)) scree_bfs_free(result); /* still alive */
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
  scree_sssp_result *result = NULL;
  if (!case_open(world, &layer)) return;
  for (uint64_t over = 0; over < 2; over++) {
    scree_graph *g = path(&layer, n, (double)((UINT64_C(1) << 21) - 1 + over));
    const scree_sssp_options how = {.algorithm = "dc"};
    if (!check(g != NULL)) break;
    scree_status status = scree_sssp_run(layer.sssp, g, 0, &how, &result);
    if (over) {
      check_equal(status, SCREE_EINVAL);
      check_contains(scree_graphs_error(layer.graphs), "exact below 2^53");
    } else if (check_equal(status, SCREE_OK)) {
      check(result->distance[n - 1] == 9007199254740991.0);
      scree_sssp_free(result);
    }
    scree_graph_free(g);
  }
  case_close(&layer);
}

static void exact_integers(void **unused) {
  (void)unused;
  scree_sim_config config = {.seed = 1, .ranks = 1, .nodes = 1, .calm = true, .max_steps = UINT64_C(1) << 40};
  check_equal(scree_sim_run(&config, NULL, long_path, NULL, NULL), SCREE_OK);
}

static uint64_t first[] = {1000, 2000, 3000, 4000};

static const struct CMUnitTest tests[] = {
    {"drawn_graphs_1", drawn_graphs, NULL, NULL, &first[0]},
    {"drawn_graphs_2", drawn_graphs, NULL, NULL, &first[1]},
    {"drawn_graphs_3", drawn_graphs, NULL, NULL, &first[2]},
    {"drawn_graphs_4", drawn_graphs, NULL, NULL, &first[3]},
    cmocka_unit_test(many_ranks),
    cmocka_unit_test(errors),
    cmocka_unit_test(exact_integers),
};
HARNESS_MAIN(tests)
