/* sim_graph_error.c - scree_graphs_error after a call that failed with the world: in an epoch of each variant of each
 * kernel, of an exchange, of a builder. The text names rank, call and reason, whatever failed before. */
#include <scree/kernel.h>
#include <stdlib.h>
#include <string.h>

#include "graph_cases.h"

enum { RANKS = 3, GUILTY = 1 };

static scree_worker *worker_of(const scree_graphs *graphs) {
  return scree_graphs_worker(graphs);
}

static void check_injected(const scree_graphs *graphs, scree_status status) {
  bool guilty = worker_of(graphs)->rank == GUILTY;
  check_equal(status, SCREE_EPEER);
  check_contains(scree_graphs_error(graphs),
                 guilty ? "rank 1 of 3: scree_fail: injected" : "rank 1 reported: another rank was lost");
}

/* A call that fails in a sound world leaves its own text. */
static void leave_another_text(scree_graphs *graphs) {
  scree_graph *g;
  check_equal(scree_graph_load(graphs, "kron:none", NULL, &g), SCREE_EINVAL);
  check_contains(scree_graphs_error(graphs), "kron:none");
}

/* Runs fn on virtual ranks of a world that it fails with `status`. */
static void run_failing(graph_case_fn *fn, void *arg, scree_status status, uint64_t overflow_max) {
  scree_options options = SCREE_OPTIONS_INIT;
  options.memory = 1 << 16;
  options.overflow_max = overflow_max;
  graph_case c = {fn, arg};
  for (uint64_t seed = 1; seed <= 3; seed++) {
    scree_sim_config config = {.seed = seed, .ranks = RANKS, .nodes = 1 + (uint32_t)seed % 2};
    check_equal(scree_sim_run(&config, &options, graph_case_rank, &c, NULL), status);
  }
}

/* ---- kernels ---- */

typedef struct {
  const scree_kernel *kernel;
  const char *variant;
} variant;

static void fail_once(const scree_work *work, void *arg) {
  scree_graphs *graphs = arg;
  if (worker_of(graphs)->rank == GUILTY) scree_fail(worker_of(graphs), SCREE_EPEER, "injected");
}

static void *options_of(const variant *v, scree_graphs *graphs) {
  scree_kernel_options *options = malloc(v->kernel->options_size);
  assert_non_null(options);
  scree_kernel_options_init(v->kernel, options);
  options->algorithm = v->variant;
  if (graphs) options->watch = (scree_watch){fail_once, graphs};
  return options;
}

static scree_graph *weighted_graph(scree_graphs *graphs) {
  scree_graph *g = NULL;
  check_text(scree_graph_load(graphs, "kron:7", NULL, &g) == SCREE_OK, "%s", scree_graphs_error(graphs));
  return g;
}

static void one_variant(scree_graphs *graphs, void *arg) {
  const variant *v = arg;
  scree_solver *solver = NULL;
  scree_answer answer;
  scree_graph *g = weighted_graph(graphs);
  check_equal(scree_solver_open(graphs, v->kernel, &solver), SCREE_OK);
  if (!g || !solver) return;
  leave_another_text(graphs);
  void *options = options_of(v, graphs);
  check_injected(graphs, scree_solver_run(solver, g, 0, options, &answer));
  check_injected(graphs, scree_solver_prepare(solver, g, options)); /* the world stays failed */
  free(options);
  scree_solver_close(solver);
  scree_graph_free(g);
}

HARNESS_TEST(kernels) {
  variant v;
  for (size_t k = 0; (v.kernel = scree_kernel_at(k)); k++)
    for (size_t i = 0; scree_kernel_variant_at(v.kernel, i); i++) {
      v.variant = scree_kernel_variant_at(v.kernel, i)->name;
      run_failing(one_variant, &v, SCREE_EPEER, 0);
    }
}

/* Each handler of the chaotic variant sends what does not fit the pool. */
static void overflow_in_kernel(scree_graphs *graphs, void *arg) {
  const variant *v = arg;
  scree_solver *solver = NULL;
  scree_answer answer;
  scree_graph *g = weighted_graph(graphs);
  check_equal(scree_solver_open(graphs, v->kernel, &solver), SCREE_OK);
  if (!g || !solver) return;
  void *options = options_of(v, NULL);
  scree_world *world = scree_world_of(worker_of(graphs));
  check_equal(scree_solver_run(solver, g, 0, options, &answer), SCREE_ENOMEM);
  check_equal(scree_error(world), SCREE_ENOMEM);
  const char *text = scree_graphs_error(graphs);
  bool own = strstr(text, "send in a handler: overflow to rank "), others = strstr(text, "out of memory");
  bool guilty = worker_of(graphs)->rank == scree_error_rank(world);
  check_text(own || (others && !guilty), "%s", text); /* it may have failed by itself too, and not be the one named */
  check_contains(text, "of 3: ");
  free(options);
  scree_solver_close(solver);
  scree_graph_free(g);
}

HARNESS_TEST(overflow) {
  variant v = {scree_kernel_find("sssp"), "chaotic"};
  run_failing(overflow_in_kernel, &v, SCREE_ENOMEM, 1);
}

/* ---- the graph layer ---- */

static void take(const void *data, size_t bytes, void *arg) {
  scree_graphs *graphs = arg;
  if (worker_of(graphs)->rank == GUILTY) scree_fail(worker_of(graphs), SCREE_EPEER, "injected");
}

static void one_exchange(scree_graphs *graphs, void *unused) {
  leave_another_text(graphs);
  check_equal(scree_graphs_exchange_begin(graphs, take, graphs), SCREE_OK);
  scree_graphs_exchange_send(graphs, GUILTY, "x", 1);
  check_injected(graphs, scree_graphs_exchange_end(graphs));
  scree_graph *g;
  check_injected(graphs, scree_graph_load(graphs, "kron:7", NULL, &g));
}

HARNESS_TEST(exchange) {
  run_failing(one_exchange, NULL, SCREE_EPEER, 0);
}

static void one_builder(scree_graphs *graphs, void *unused) {
  leave_another_text(graphs);
  const scree_graph_shape shape = {.n = 100};
  scree_graph_builder *builder;
  scree_graph *g;
  check_equal(scree_graph_builder_begin(graphs, &shape, &builder), SCREE_OK);
  for (uint64_t i = 0; i < 50; i++) scree_graph_builder_add(builder, i, 2 * i, 1);
  if (worker_of(graphs)->rank == GUILTY) scree_fail(worker_of(graphs), SCREE_EPEER, "injected");
  check_injected(graphs, scree_graph_builder_finish(builder, &g));
}

HARNESS_TEST(building) {
  run_failing(one_builder, NULL, SCREE_EPEER, 0);
}

/* A refused call: the thread is in an epoch of its own. */
static void one_refused(scree_graphs *graphs, void *unused) {
  scree_graph *g;
  scree_world *world = scree_world_of(worker_of(graphs));
  leave_another_text(graphs);
  check_equal(scree_begin(worker_of(graphs)), SCREE_OK);
  check_equal(scree_graph_load(graphs, "kron:7", NULL, &g), SCREE_ESTATE);
  const char *text = scree_graphs_error(graphs);
  check_text(strstr(text, "of 3: scree_begin: this thread has an open epoch: end it first") ||
                 strstr(text, "reported: call not legal in this state"), /* this rank learnt of another's first */
             "%s", text);
  check_equal(scree_end(worker_of(graphs), NULL), SCREE_ESTATE);
  check_equal(scree_error(world), SCREE_ESTATE);
}

HARNESS_TEST(refused) {
  run_failing(one_refused, NULL, SCREE_ESTATE, 0);
}

HARNESS_MAIN
