/* sim_work.c - counters and watchers of all kernels, pruning, preparation: figures that depend on no schedule, on a
 * Kronecker graph of some ranks. */
#include <scree/pagerank.h>
#include <scree/scree_sim.h>
#include <scree/sssp.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "kernel/kernel.h"
#include "kernels.h"

enum { RANKS = 3 };

typedef struct {
  kernel_layer layer;
  scree_graph *graph;
  uint64_t source;
} place;

typedef struct {
  uint64_t calls;
  scree_work last;
} watched;

static void watch(const scree_work *work, void *arg) {
  watched *w = arg;
  check(work->messages >= w->last.messages && work->edges >= w->last.edges && work->epochs >= w->last.epochs);
  w->last = *work;
  w->calls++;
}

/* Runs variant i of row k; what holds for all kernels. */
static bool run(const place *p, size_t k, size_t i, bool no_pruning, scree_answer *answer) {
  const scree_kernel *kernel = scree_kernel_find(kernel_rows[k]->name);
  _Alignas(scree_kernel_options) char how[512];
  char why[200], name[80];
  watched w = {0};
  snprintf(name, sizeof name, "%s %s", kernel->name, scree_kernel_variant_at(kernel, i)->name);
  scree_kernel_options_init(kernel, how);
  ((scree_kernel_options *)how)->algorithm = scree_kernel_variant_at(kernel, i)->name;
  ((scree_kernel_options *)how)->watch = (scree_watch){watch, &w};
  if (no_pruning) check_equal(scree_kernel_options_set(kernel, how, "no-pruning", NULL, why, sizeof why), 0);
  const scree_status status = scree_solver_run(p->layer.solver[k], p->graph, p->source, how, answer);
  if (!check_text(status == SCREE_OK, "%s: %s", name, scree_graphs_error(p->layer.graphs))) return false;
  const scree_work *work = &answer->work;
  const double parts = work->handler_seconds + work->queue_seconds + work->wait_seconds;
  check_text(parts > 0 && parts <= 1.01 * RANKS * answer->seconds, "%s: %g of %g", name, parts, answer->seconds);
  check_text(work->bytes >= work->messages * 4 && (work->messages == 0 || work->blocks > 0), "%s: bytes", name);
  check_text(work->edges > 0 && work->epochs > 0 && work->detection_rounds > 0, "%s: epochs", name);
  /* Variants of one long epoch call the watcher from time to time, by the clock; the others after each epoch. */
  check_text(work->epochs < 2 || (w.calls > 0 && w.last.epochs + 1 >= work->epochs), "%s: %u calls, %u of %u epochs",
             name, (unsigned)w.calls, (unsigned)w.last.epochs, (unsigned)work->epochs);
  if (kernel->source) return true;
  /* Seconds are virtual and shared out by real ticks: on a busy machine a few blocks have less than a nanosecond. */
  check_text(work->queue_seconds > 0 && (work->handler_seconds > 0 || work->blocks < 10),
             "%s: handlers %g s, own work %g s", name, work->handler_seconds, work->queue_seconds);
  check_text(work->messages > 0 && work->bytes <= work->messages * 72, "%s: bytes", name); /* blocks of values */
  check_text(work->detection_rounds >= work->epochs, "%s: rounds", name);
  check_text(w.calls > 0 && w.last.epochs <= work->epochs, "%s: %u calls", name, (unsigned)w.calls);
  return true;
}

static void look_at(const place *p, size_t k, size_t i) {
  const scree_kernel *kernel = scree_kernel_find(kernel_rows[k]->name);
  const char *name = scree_kernel_variant_at(kernel, i)->name;
  scree_answer a = {0}, plain = {0};
  const scree_work *work = &a.work;
  if (!run(p, k, i, false, &a)) return;
  const uint64_t outcomes = work->useful + work->superseded + work->rejected;
  if (kernel->source && run(p, k, i, true, &plain)) {
    check_text(plain.work.messages + plain.work.direct >= work->messages + work->direct, "%s made less without pruning",
               name);
  } else if (strcmp(kernel->name, "cc") == 0) { /* label propagation offers labels, as messages alone */
    const bool offers = strcmp(name, "label") == 0;
    check_equal(outcomes, offers ? work->messages : 0);
    check(!offers || (work->useful > 0 && work->edges == work->messages));
  } else if (strcmp(kernel->name, "pagerank") == 0) {
    check(a.passes > 0 && a.passes <= SCREE_PAGERANK_ITERATIONS && a.figure[2] == 1);
    check(work->edges == a.passes * p->graph->arcs ||
          work->edges == (a.passes + 1) * p->graph->arcs); /* sent, not needed */
    check_equal(work->epochs, a.passes + 1);               /* the last change */
    check_equal(outcomes + work->direct + work->pruned, 0);
  }
  scree_answer_free(&plain);
  scree_answer_free(&a);
}

/* Where nothing is pruned, each arc of a reached vertex carries a message: of BFS by levels exactly one. */
static void level_tells_all(const place *p) {
  const size_t bfs = kernel_row_find("bfs");
  size_t i = 0;
  scree_answer a;
  scree_reduce arcs = SCREE_REDUCE_INIT;
  while (strcmp(scree_kernel_variant_at(scree_kernel_find("bfs"), i)->name, "level") != 0) i++;
  if (!run(p, bfs, i, true, &a)) return;
  check(a.work.pruned == 0 && a.work.direct == 0);
  for (uint64_t u = 0; u < p->graph->locals; u++)
    if (((const int64_t *)a.array[0])[u] >= 0) arcs.sum[0] += scree_graph_degree(p->graph, u);
  check_equal(scree_graphs_reduce(p->layer.graphs, &arcs), SCREE_OK);
  check_equal(a.work.messages, arcs.sum[0]);
  check_equal(a.work.edges, arcs.sum[0]);
  scree_answer_free(&a);
}

static void prepared(const place *p) {
  const scree_kernel_options wrong = {.size = sizeof wrong, .algorithm = "dfs"};
  for (size_t k = 0; kernel_rows[k]; k++) {
    check_equal(scree_solver_prepare(p->layer.solver[k], p->graph, NULL), SCREE_OK);
    check_equal(scree_solver_prepare(p->layer.solver[k], p->graph, &wrong), SCREE_EINVAL);
  }
}

static void all(scree_world *world, void *unused) {
  const scree_algorithm *a;
  place p = {.graph = NULL};
  if (!kernels_open(world, &p.layer)) return;
  check_equal(scree_graph_load(p.layer.graphs, "kron:9", NULL, &p.graph), SCREE_OK);
  check_equal(scree_graph_random_source(p.graph, 1, &p.source), SCREE_OK);
  prepared(&p);
  level_tells_all(&p);
  for (size_t k = 0; kernel_rows[k]; k++)
    for (size_t i = 0; (a = scree_kernel_variant_at(scree_kernel_find(kernel_rows[k]->name), i)) != NULL; i++)
      if (strcmp(a->name, "chaotic") != 0) look_at(&p, k, i); /* whose work depends on the schedule alone */
  scree_graph_free(p.graph);
  kernels_close(&p.layer);
}

HARNESS_TEST(work) {
  for (uint64_t seed = 1; seed <= 3; seed++) {
    scree_sim_config config = {.seed = seed, .ranks = RANKS, .nodes = 2, .unperturbed = true};
    check_equal(scree_sim_run(&config, NULL, all, NULL, NULL), SCREE_OK);
  }
}

/* ---- what the runs that are expected decide ---- */

typedef struct {
  const char *kernel;
  bool directed;
  uint64_t runs;
  const char *prepared, *reason; /* a part of it; NULL: none */
} expectation;

static const expectation expectations[] = {
    {"bfs", false, 1, "likely parents", "hubs pay from"},
    {"bfs", false, 0, "likely parents, the arcs of hubs", "many runs"},
    {"bfs", true, 1, NULL, "a transposed copy pays from"},
    {"bfs", true, 1000, "a transposed copy, the arcs of hubs", "many runs"},
    {"sssp", false, 1, "rows sorted by weight", NULL},
    {"pagerank", false, 1, "the ranks that read each vertex", NULL}, /* of two nodes */
};

static bool is_same(const char *a, const char *b) {
  return a == b || (a && b && strcmp(a, b) == 0);
}

/* The second run finds what the first one made. */
static void run_twice(scree_graphs *graphs, const scree_graph *g, const expectation *e, bool prepare) {
  scree_solver *solver;
  scree_answer answer;
  scree_verdict verdict = {.valid = false};
  if (!check_equal(scree_solver_open(graphs, scree_kernel_find(e->kernel), &solver), SCREE_OK)) return;
  scree_solver_expect(solver, e->runs);
  if (prepare) check_equal(scree_solver_prepare(solver, g, NULL), SCREE_OK);
  for (int i = prepare; i < 2 && check_equal(scree_solver_run(solver, g, 1, NULL, &answer), SCREE_OK); i++) {
    const char *said = answer.preparation_reason, *made = i ? NULL : e->prepared;
    check_text(is_same(answer.prepared, made), "%s, %u runs: prepared %s", e->kernel, (unsigned)e->runs,
               answer.prepared ? answer.prepared : "nothing");
    check_text(e->reason ? said && strstr(said, e->reason) : !said, "%s, %u runs: because %s", e->kernel,
               (unsigned)e->runs, said ? said : "of nothing");
    check(answer.preparation_seconds > 0 && answer.seconds > 0);
    check_equal(scree_solver_validate(solver, g, 1, NULL, &answer, &verdict), SCREE_OK);
    check(verdict.valid);
    scree_answer_free(&answer);
  }
  scree_solver_close(solver);
}

static void meet_expectations(scree_world *world, void *unused) {
  scree_graphs *graphs;
  if (!check_equal(scree_graphs_open(world, &graphs), SCREE_OK)) return;
  for (size_t i = 0; i < 2 * sizeof expectations / sizeof *expectations; i++) {
    const expectation *e = &expectations[i / 2];
    scree_graph *g, *transpose = NULL;
    if (!check_equal(scree_graph_load(graphs, "kron:11,2", NULL, &g), SCREE_OK)) break; /* it has hubs */
    if (e->directed) check_equal(scree_graph_transpose(g, &transpose), SCREE_OK);
    run_twice(graphs, transpose ? transpose : g, e, i % 2);
    scree_graph_free(transpose);
    scree_graph_free(g);
  }
  scree_graphs_close(graphs);
}

HARNESS_TEST(expected_runs) {
  scree_sim_config config = {.seed = 1, .ranks = RANKS, .nodes = 2};
  check_equal(scree_sim_run(&config, NULL, meet_expectations, NULL, NULL), SCREE_OK);
}

/* ---- the default of shortest paths ---- */

typedef struct {
  uint32_t ranks;
  uint64_t runs;
  const char *graph, *delta; /* NULL: none is given */
  const char *algorithm, *reason;
} choice;

static const choice choices[] = {
    {2, 1, "kron:9", NULL, "dc", "one run is over before"},   {1, 1, "kron:9", NULL, "dc", "one run is over before"},
    {2, 2, "kron:9", NULL, "opt", "pay from two runs on"},    {2, 0, "kron:9", NULL, "opt", "pay from two runs on"},
    {2, 1, "kron:9", "0.5", "opt", "a width is given"},       {3, 1, "kron:9", NULL, "opt", "on many ranks"},
    {2, 1, "grid:30,30", NULL, "opt", "few arcs per vertex"}, {2, 2, "uniform:300,4000", NULL, "dc", "without hubs"},
};

static void choose(scree_world *world, void *arg) {
  const choice *c = arg;
  scree_graphs *graphs;
  scree_graph *g = NULL;
  scree_solver *solver;
  scree_answer answer;
  scree_sssp_options how = SCREE_SSSP_OPTIONS_INIT;
  if (c->delta) how.delta = strtod(c->delta, NULL);
  if (!check_equal(scree_graphs_open(world, &graphs), SCREE_OK)) return;
  check_equal(scree_graph_load(graphs, c->graph, NULL, &g), SCREE_OK);
  check_equal(scree_solver_open(graphs, scree_kernel_find("sssp"), &solver), SCREE_OK);
  scree_solver_expect(solver, c->runs);
  if (check_equal(scree_solver_run(solver, g, 1, &how, &answer), SCREE_OK)) {
    const bool horizon = strcmp(c->graph, "kron:9") != 0; /* which has its own reason */
    check_text(!strcmp(answer.algorithm, c->algorithm) && answer.reason &&
                   (horizon || strstr(answer.reason, c->reason)),
               "%u ranks, %u runs of %s: %s, because %s", (unsigned)c->ranks, (unsigned)c->runs, c->graph,
               answer.algorithm, answer.reason ? answer.reason : "of nothing");
    check(strcmp(c->algorithm, "dc") != 0 || !answer.prepared);
    scree_answer_free(&answer);
  }
  scree_solver_close(solver);
  scree_graph_free(g);
  scree_graphs_close(graphs);
}

/* By the number of vertices alone: no such graph is made. */
static void large_graphs(void) {
  const scree__variant *variant = scree__kernel_of(scree_kernel_find("sssp"))->variants[0];
  for (unsigned bits = 20; bits <= 21; bits++) {
    const scree_graph g = {.vertices = {.n = UINT64_C(1) << bits, .ranks = 2}, .arcs = UINT64_C(32) << bits};
    const char *reason = NULL, *name = variant->choose(&g, NULL, 1, &reason)->about.name;
    check_text(strcmp(name, bits < 21 ? "dc" : "opt") == 0, "2^%u vertices: %s, because %s", bits, name, reason);
  }
}

HARNESS_TEST(default_of_paths) {
  large_graphs();
  for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
    choice c = choices[i];
    scree_sim_config config = {.seed = 1, .ranks = c.ranks, .nodes = 1};
    check_equal(scree_sim_run(&config, NULL, choose, &c, NULL), SCREE_OK);
  }
}

HARNESS_MAIN
