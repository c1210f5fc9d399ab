/* sim_kernel.c - the kernel of CONTRIBUTING.md, found in the registry and run like any other; structures of options of
 * another size. */
#include <scree/kernel.h>
#include <scree/scree_sim.h>
#include <scree/sssp.h>

#include "harness.h"

enum { N = 50 };

/* A star whose arcs lead to vertex 0. */
static scree_graph *star(scree_graphs *graphs) {
  const scree_graph_shape shape = {.n = N, .directed = true};
  scree_graph_builder *builder;
  scree_graph *g = NULL;
  if (scree_graph_builder_begin(graphs, &shape, &builder)) return NULL;
  if (scree_graphs_worker(graphs)->rank == 0)
    for (uint64_t v = 1; v < N; v++) scree_graph_builder_add(builder, v, 0, 1);
  return scree_graph_builder_finish(builder, &g) ? NULL : g;
}

static void count_calls(const scree_work *work, void *arg) {
  check_equal(work->epochs, 1);
  ++*(int *)arg;
}

static void run_in_degree(scree_graphs *graphs, const scree_graph *g) {
  const scree_kernel *kernel = scree_kernel_find("in-degree");
  scree_solver *solver = NULL;
  scree_answer answer = {0};
  scree_verdict verdict;
  scree_kernel_options how;
  int calls = 0;
  if (!check(kernel != NULL) || !check_equal(scree_solver_open(graphs, kernel, &solver), SCREE_OK)) return;
  scree_kernel_options_init(kernel, &how);
  how.watch = (scree_watch){count_calls, &calls};
  if (check_equal(scree_solver_run(solver, g, 0, &how, &answer), SCREE_OK)) {
    uint64_t *degree = answer.array[0];
    for (uint64_t u = 0; u < g->locals; u++) {
      uint64_t v = scree_graph_vertex(g, scree_location_make(scree_graph_rank(g), u));
      check_equal(degree[u], v == 0 ? N - 1 : 0);
    }
    check_string(answer.algorithm, "messages");
    check_equal(calls, 1);
    check_equal(answer.work.sent, N - 1);
    check_equal(answer.work.edges, N - 1);
    check_equal(answer.work.bytes, 4 * (N - 1));
    check_equal(scree_solver_validate(solver, g, 0, &how, &answer, &verdict), SCREE_OK);
    check(verdict.valid);
    if (g->locals && scree_graph_rank(g) == 0) degree[0]++;
    check_equal(scree_solver_validate(solver, g, 0, &how, &answer, &verdict), SCREE_OK);
    check(!verdict.valid);
  }
  scree_answer_free(&answer);
  scree_solver_close(solver);
}

/* As a program passes it that was compiled when there was nothing behind `algorithm`. */
typedef struct {
  size_t size;
  const char *algorithm;
} short_options;

static void run_sizes(scree_graphs *graphs, const scree_graph *g) {
  struct {
    scree_sssp_options known;
    uint64_t later;
  } longer = {SCREE_SSSP_OPTIONS_INIT, SCREE_UNSET};
  const short_options shorter = {sizeof shorter, "dc"};
  scree_answer r = {0};
  scree_solver *sssp = NULL;
  check_equal(scree_solver_open(graphs, scree_kernel_find("dfs"), &sssp), SCREE_EINVAL);
  check_contains(scree_graphs_error(graphs), "the kernel is NULL");
  if (!check(sssp == NULL) || !check_equal(scree_solver_open(graphs, scree_kernel_find("sssp"), &sssp), SCREE_OK))
    return;
  if (check_equal(scree_solver_run(sssp, g, 1, &shorter, &r), SCREE_OK)) check_string(r.algorithm, "dc");
  scree_answer_free(&r);
  longer.known.size = sizeof longer;
  if (check_equal(scree_solver_run(sssp, g, 1, &longer.known, &r), SCREE_OK)) check_string(r.algorithm, "opt");
  scree_answer_free(&r);
  longer.later = 1;
  check_equal(scree_solver_run(sssp, g, 1, &longer.known, &r), SCREE_EINVAL);
  check_contains(scree_graphs_error(graphs), "scree_sssp_options");
  scree_solver_close(sssp);
}

static void all(scree_world *world, void *arg) {
  (void)arg;
  scree_graphs *graphs = NULL;
  if (!check_equal(scree_graphs_open(world, &graphs), SCREE_OK)) return;
  scree_graph *g = star(graphs);
  if (check(g != NULL)) {
    run_in_degree(graphs, g);
    run_sizes(graphs, g);
  }
  scree_graph_free(g);
  scree_graphs_close(graphs);
}

static void registered(void **unused) {
  (void)unused;
  for (uint32_t ranks = 1; ranks <= 3; ranks++) {
    scree_sim_config config = {.seed = ranks, .ranks = ranks, .nodes = 1};
    check_equal(scree_sim_run(&config, NULL, all, NULL, NULL), SCREE_OK);
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(registered)};
HARNESS_MAIN(tests)
