/* sim_components.c - connected components, PageRank and lookups over virtual ranks.
 *
 * Every variant is compared with serial answers on drawn graphs and long paths; so are the errors of the calls.
 *
 * Also: on a simulated MPI */
#include <scree/scree_sim.h>

#include <math.h>

#include "algorithm_cases.h"
#include "component_cases.h"
#include "harness.h"

static void run_case(scree_world *world, void *arg) {
  component_layer layer;
  if (component_open(world, &layer)) component_run(&layer, *(const uint64_t *)arg);
  component_close(&layer);
}

static void drawn_graphs(void **unused) {
  (void)unused;
  static const uint32_t ranks[] = {1, 2, 3, 4, 5, 7, 16, 33};
  for (uint64_t seed = 1; seed <= harness_seeds(12, 400) && harness_failures() == 0; seed++) {
    scree_sim_config config = {.seed = seed, .ranks = ranks[seed % 8], .nodes = 1, .unperturbed = seed % 4 == 0};
    scree_options options = SCREE_OPTIONS_INIT;
    uint64_t state = seed;
    config.nodes += (uint32_t)case_draw(&state, config.ranks);
    options.memory = case_draw(&state, 2) ? 4096 : 65536;
    options.batch_max = 1 + case_draw(&state, 40);
    check_equal(scree_sim_run(&config, &options, run_case, &seed, NULL), SCREE_OK);
    check_text(harness_failures() == 0, "in seed %" PRIu64 ", %u ranks", seed, config.ranks);
  }
}

/* ---- a long path, dealt out so that no arc stays on a rank: the ways to the roots are long ---- */

static void long_path(scree_world *world, void *arg) {
  (void)arg;
  const scree_graph_shape shape = {.n = 2000, .distribution = SCREE_DISTRIBUTION_CYCLIC, .directed = true};
  component_layer layer;
  scree_graph_builder *builder;
  scree_graph *g = NULL;
  scree_answer r;
  if (component_open(world, &layer) && !scree_graph_builder_begin(layer.graphs, &shape, &builder)) {
    for (uint64_t v = scree_worker_of(world, 0)->rank; v + 1 < shape.n; v += scree_worker_of(world, 0)->ranks)
      scree_graph_builder_add(builder, v, v + 1, 1);
    check_equal(scree_graph_builder_finish(builder, &g), SCREE_OK);
    if (g && check_equal(scree_solver_run(layer.cc, g, 0, NULL, &r), SCREE_OK)) {
      for (uint64_t u = 0; u < g->locals; u++) check_equal(((const uint64_t *)r.array[0])[u], 0);
      check(r.figure[0] == 1 && r.figure[1] == (double)shape.n);
      check_text(r.work.epochs < 30, "%" PRIu64 " epochs", r.work.epochs);
      scree_answer_free(&r);
    }
  }
  scree_graph_free(g);
  component_close(&layer);
}

static void long_paths(void **unused) {
  (void)unused;
  for (uint32_t ranks = 2; ranks <= 7; ranks++) {
    scree_sim_config config = {.seed = ranks, .ranks = ranks, .nodes = 1 + ranks / 3};
    check_equal(scree_sim_run(&config, NULL, long_path, NULL, NULL), SCREE_OK);
  }
}

/* ---- errors ---- */

static void pagerank_refused(component_layer *layer, const scree_graph *g, scree_pagerank_options how,
                             const char *text) {
  scree_answer r = {0};
  check_equal(scree_solver_run(layer->pagerank, g, 0, &how, &r), SCREE_EINVAL);
  check(r.array[0] == NULL);
  check_contains(scree_graphs_error(layer->graphs), text);
}

static void refuse_pagerank(component_layer *layer, const scree_graph *g) {
  scree_pagerank_options bad = SCREE_PAGERANK_OPTIONS_INIT;
  bad.algorithm = "drag";
  pagerank_refused(layer, g, bad, "algorithm 'drag' is unknown; known are: auto, pull, pull-float, push");
  bad.algorithm = "pull";
  pagerank_refused(layer, g, bad, "this graph is directed; use push");
  bad.damping = 1;
  pagerank_refused(layer, g, bad, "option 'damping': '1' is out of range; legal: above 0 and below 1");
  bad.damping = (double)NAN;
  pagerank_refused(layer, g, bad, "legal: above 0 and below 1");
  bad.damping = 0.5;
  bad.tolerance = -2;
  pagerank_refused(layer, g, bad, "option 'tolerance': '-2' is out of range; legal: 1e-15 to 2");
  bad.tolerance = 0;
  pagerank_refused(layer, g, bad, "option 'tolerance': '0' is out of range");
  bad.tolerance = SCREE_UNSET_REAL;
  bad.iterations = 0;
  pagerank_refused(layer, g, bad, "option 'iterations': '0' is out of range; legal: 1 to 1000000");
  bad.size = 0;
  pagerank_refused(layer, g, bad, "scree_pagerank_options.size is 0");
}

static void read_badly(const component_layer *layer, const scree_graph *g) {
  double values[3] = {1, 2, 3}, out[3];
  const uint64_t beyond[] = {0, 3};
  uint64_t count = scree_graph_rank(g) == 0 ? 2 : 0;
  check_equal(scree_graph_lookup_double(g, values, count, beyond, out), SCREE_EINVAL);
  check_contains(scree_graphs_error(layer->graphs), "rank 0: entry 1 of a lookup is vertex 3; legal: 0 to 2");
  check_equal(scree_graph_gather_double(g, values, 99, out), SCREE_EINVAL);
  check_contains(scree_graphs_error(layer->graphs), "a gather goes to rank 99; legal: 0 to ");
  check_equal(scree_graph_gather_double(g, values, 0, NULL), SCREE_EINVAL);
  check_contains(scree_graphs_error(layer->graphs), "rank 0: a gather has no array to go to; give one of 3 values");
  for (uint64_t u = 0; u < g->locals; u++)
    values[u] = 0.5 + (double)scree_graph_vertex(g, scree_location_make(scree_graph_rank(g), u));
  check_equal(scree_graph_gather_double(g, values, 0, scree_graph_rank(g) == 0 ? out : NULL), SCREE_OK);
  if (scree_graph_rank(g) == 0) check(out[0] == 0.5 && out[1] == 1.5 && out[2] == 2.5);
}

static void bad_calls(scree_world *world, void *arg) {
  (void)arg;
  const scree_graph_shape shape = {.n = 3, .directed = true};
  component_layer layer;
  scree_graph_builder *builder;
  scree_graph *g = NULL;
  if (component_open(world, &layer) && !scree_graph_builder_begin(layer.graphs, &shape, &builder) &&
      check_equal(scree_graph_builder_finish(builder, &g), SCREE_OK)) {
    scree_cc_options how = SCREE_CC_OPTIONS_INIT;
    how.algorithm = "flood";
    scree_answer r = {0};
    check_equal(scree_solver_run(layer.cc, g, 0, &how, &r), SCREE_EINVAL);
    check(r.array[0] == NULL);
    check_contains(scree_graphs_error(layer.graphs), "algorithm 'flood' is unknown; known are: afforest, label");
    refuse_pagerank(&layer, g);
    read_badly(&layer, g);
  }
  scree_graph_free(g);
  component_close(&layer);
}

static void errors(void **unused) {
  (void)unused;
  for (uint32_t ranks = 1; ranks <= 4; ranks++) {
    scree_sim_config config = {.seed = ranks, .ranks = ranks, .nodes = 1};
    check_equal(scree_sim_run(&config, NULL, bad_calls, NULL, NULL), SCREE_OK);
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(drawn_graphs), cmocka_unit_test(long_paths),
                                          cmocka_unit_test(errors)};
HARNESS_MAIN(tests)
