/* sim_work.c - counters and watchers of all kernels, pruning, preparation: figures that depend on no schedule, on a
 * Kronecker graph of some ranks.
 *
 * Also: on a simulated MPI */
#include <scree/bfs.h>
#include <scree/cc.h>
#include <scree/kernel.h>
#include <scree/pagerank.h>
#include <scree/scree_sim.h>
#include <scree/sssp.h>

#include "harness.h"

enum { RANKS = 3 };

typedef struct {
  scree_graphs *graphs;
  scree_solver *bfs, *sssp;
  scree_graph *graph;
  uint64_t source;
} layer;

typedef struct {
  uint64_t calls;
  scree_work last;
} watched;

static void watch(const scree_work *work, void *arg) {
  watched *w = arg;
  check(work->sent >= w->last.sent && work->edges >= w->last.edges && work->epochs >= w->last.epochs);
  w->last = *work;
  w->calls++;
}

/* Runs algorithm i of BFS or SSSP. NULL options: as it comes. */
static bool run(layer *l, bool is_sssp, const char *name, bool no_pruning, watched *w, scree_work *work) {
  const scree_watch how = {w ? watch : NULL, w};
  scree_bfs_options b = SCREE_BFS_OPTIONS_INIT;
  b.algorithm = name;
  b.no_pruning = no_pruning;
  b.watch = how;
  scree_sssp_options s = SCREE_SSSP_OPTIONS_INIT;
  s.algorithm = name;
  s.no_pruning = no_pruning;
  s.watch = how;
  scree_answer a;
  scree_status status = is_sssp ? scree_solver_run(l->sssp, l->graph, l->source, &s, &a)
                                : scree_solver_run(l->bfs, l->graph, l->source, &b, &a);
  if (!check_text(status == SCREE_OK, "%s: %s", name, scree_graphs_error(l->graphs))) return false;
  *work = a.work;
  double seconds = a.seconds;
  double parts = work->handler_seconds + work->queue_seconds + work->wait_seconds;
  check_text(parts > 0 && parts <= 1.01 * RANKS * seconds, "%s: %g of %g", name, parts, seconds);
  scree_answer_free(&a);
  return true;
}

static void look_at(layer *l, bool is_sssp, const char *name) {
  scree_work pruned, plain;
  watched w = {0};
  if (!run(l, is_sssp, name, false, &w, &pruned) || !run(l, is_sssp, name, true, NULL, &plain)) return;
  check_text(plain.sent + plain.direct >= pruned.sent + pruned.direct, "%s made less without pruning", name);
  check_text(pruned.bytes >= pruned.sent * 8 && (pruned.sent == 0 || pruned.blocks > 0), "%s: bytes", name);
  check_text(pruned.detection_rounds > 0 && pruned.epochs > 0, "%s: waves", name);
  /* Variants of one long epoch tell now and then, by the clock; the others after each epoch. */
  check_text(pruned.epochs < 2 || w.calls > 0, "%s: %u calls", name, (unsigned)w.calls);
}

/* Where nothing is kept back, each arc of a reached vertex carries a message: of BFS by levels exactly one. */
static void level_tells_all(layer *l) {
  scree_work work;
  scree_answer r;
  uint64_t arcs[2] = {0};
  if (!run(l, false, "level", true, NULL, &work)) return;
  check(work.pruned == 0 && work.direct == 0);
  check_equal(scree_solver_run(l->bfs, l->graph, l->source, NULL, &r), SCREE_OK);
  const int64_t *level = r.array[0];
  for (uint64_t u = 0; u < l->graph->locals; u++)
    if (level[u] >= 0) arcs[0] += scree_graph_degree(l->graph, u);
  scree_reduce sum = {{arcs[0], 0}, UINT64_MAX, 0};
  check_equal(scree_graphs_reduce(l->graphs, &sum), SCREE_OK);
  check_equal(work.sent, sum.sum[0]);
  check_equal(work.edges, sum.sum[0]);
  scree_answer_free(&r);
}

static void prepared(layer *l) {
  scree_bfs_options wrong = SCREE_BFS_OPTIONS_INIT;
  wrong.algorithm = "dfs";
  check_equal(scree_solver_prepare(l->bfs, l->graph, NULL), SCREE_OK);
  check_equal(scree_solver_prepare(l->sssp, l->graph, NULL), SCREE_OK);
  check_equal(scree_solver_prepare(l->bfs, l->graph, &wrong), SCREE_EINVAL);
}

/* ---- kernels without a source, through the registry ---- */

/* Runs the i-th variant; what holds for all kernels. */
static bool run_whole(layer *l, scree_solver *solver, const scree_kernel *kernel, size_t i, scree_work *work,
                      uint64_t *passes) {
  const char *name = scree_kernel_variant_at(kernel, i)->name;
  union {
    scree_cc_options cc;
    scree_pagerank_options pagerank;
  } how;
  watched w = {0};
  scree_answer answer;
  scree_kernel_options_init(kernel, &how);
  how.cc.algorithm = name;
  how.cc.watch = (scree_watch){watch, &w};
  if (!check_text(scree_solver_run(solver, l->graph, 0, &how, &answer) == SCREE_OK, "%s: %s", name,
                  scree_graphs_error(l->graphs)))
    return false;
  *work = answer.work;
  *passes = answer.passes;
  double parts = work->handler_seconds + work->queue_seconds + work->wait_seconds;
  check_text(parts > 0 && parts <= 1.01 * RANKS * answer.seconds, "%s: %g of %g", name, parts, answer.seconds);
  check_text(work->handler_seconds > 0 && work->queue_seconds > 0, "%s: no handler or own work", name);
  check_text(work->sent > 0 && work->bytes >= work->sent * 8 && work->bytes <= work->sent * 12 && work->blocks > 0,
             "%s: bytes", name);
  check_text(work->edges > 0 && work->epochs > 1 && work->detection_rounds >= work->epochs, "%s: epochs", name);
  check_text(w.calls > 0 && w.calls <= work->epochs && w.last.epochs <= work->epochs, "%s: %u calls", name,
             (unsigned)w.calls);
  scree_answer_free(&answer);
  return true;
}

static void components(layer *l) {
  const scree_kernel *kernel = scree_kernel_find("cc");
  scree_solver *solver = NULL;
  scree_work work;
  uint64_t passes;
  check_equal(scree_solver_open(l->graphs, kernel, &solver), SCREE_OK);
  for (size_t i = 0; scree_kernel_variant_at(kernel, i); i++) {
    if (!run_whole(l, solver, kernel, i, &work, &passes)) break;
    /* Label propagation offers labels, as messages alone; union-find has no relaxations. */
    const bool offers = strcmp(scree_kernel_variant_at(kernel, i)->name, "label") == 0;
    check_equal(work.useful + work.invalidated + work.rejected, offers ? work.sent : 0);
    check(!offers || (work.useful > 0 && work.edges == work.sent));
  }
  scree_solver_close(solver);
}

static void ranks(layer *l) {
  const scree_kernel *kernel = scree_kernel_find("pagerank");
  scree_solver *solver = NULL;
  scree_work work;
  uint64_t passes;
  check_equal(scree_solver_open(l->graphs, kernel, &solver), SCREE_OK);
  for (size_t i = 0; scree_kernel_variant_at(kernel, i); i++) {
    if (!run_whole(l, solver, kernel, i, &work, &passes)) break;
    check_equal(passes, SCREE_PAGERANK_ITERATIONS);
    check_equal(work.edges, passes * l->graph->arcs);
    check_equal(work.epochs, passes + 2); /* that the graph is ready, and the last change */
    check_equal(work.useful + work.invalidated + work.rejected + work.direct + work.pruned, 0);
  }
  scree_solver_close(solver);
}

static void all(scree_world *world, void *arg) {
  const char *spec = arg;
  const scree_algorithm *a;
  layer l = {0};
  if (!check_equal(scree_graphs_open(world, &l.graphs), SCREE_OK)) return;
  check_equal(scree_solver_open(l.graphs, scree_kernel_find("bfs"), &l.bfs), SCREE_OK);
  check_equal(scree_solver_open(l.graphs, scree_kernel_find("sssp"), &l.sssp), SCREE_OK);
  check_equal(scree_graph_load(l.graphs, spec, NULL, &l.graph), SCREE_OK);
  check_equal(scree_graph_random_source(l.graph, 1, &l.source), SCREE_OK);
  prepared(&l);
  level_tells_all(&l);
  for (size_t i = 0; (a = scree_kernel_variant_at(scree_kernel_find("bfs"), i)); i++) look_at(&l, false, a->name);
  for (size_t i = 0; (a = scree_kernel_variant_at(scree_kernel_find("sssp"), i)); i++)
    if (strcmp(a->name, "chaotic") != 0) look_at(&l, true, a->name); /* its work depends on the schedule alone */
  components(&l);
  ranks(&l);
  scree_graph_free(l.graph);
  scree_solver_close(l.sssp);
  scree_solver_close(l.bfs);
  scree_graphs_close(l.graphs);
}

static void work(void **unused) {
  (void)unused;
  for (uint64_t seed = 1; seed <= 3; seed++) {
    scree_sim_config config = {.seed = seed, .ranks = RANKS, .nodes = 2, .unperturbed = true};
    check_equal(scree_sim_run(&config, NULL, all, (void *)(uintptr_t) "kron:9", NULL), SCREE_OK);
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(work)};
HARNESS_MAIN(tests)
