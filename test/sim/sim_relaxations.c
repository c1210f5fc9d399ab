/* sim_relaxations.c - the defaults of SSSP and BFS on graphs that are hard for one algorithm or another: under every
 * schedule, ranks that starve included, they make few relaxations, and their answers are right. */
#include <scree/kernel.h>
#include <scree/scree_sim.h>

#include "hard_graphs.h"
#include "harness.h"

enum { RELAXATIONS = 3, EXAMINED = 4 };

typedef struct {
  size_t family, weights;
} job;

static void look_at(const job *j, const scree_kernel *kernel, scree_solver *solver, const scree_graph *g,
                    const scree_answer *a) {
  const bool levels = kernel->arrays[0].kind == SCREE_VALUE_LEVEL;
  const char *family = hard_family_at(j->family), *weights = hard_weights_at(j->weights);
  scree_verdict verdict = {.valid = false};
  uint64_t vertices, edges, made = a->work.sent + a->work.direct;
  check_equal(scree_solver_validate(solver, g, 0, NULL, a, &verdict), SCREE_OK);
  check_text(verdict.valid, "%s, %s, %s: %s", kernel->name, family, weights, verdict.text);
  check_equal(scree_graph_traversed(g, levels ? NULL : a->array[0], levels ? a->array[0] : NULL, &vertices, &edges),
              SCREE_OK);
  const uint64_t arcs = (g->directed ? 1U : 2U) * edges;
  check_text(made <= RELAXATIONS * arcs && a->work.edges <= EXAMINED * arcs,
             "%s, %s, %s: %llu relaxations, %llu edges examined, of %llu; %s", kernel->name, family, weights,
             (unsigned long long)made, (unsigned long long)a->work.edges, (unsigned long long)arcs,
             a->reason ? a->reason : "no reason");
  check(strcmp(family, "jumps") != 0 || levels || (a->reason && strstr(a->reason, "in windows"))); /* it left them */
  check(strcmp(family, "path") != 0 || !levels || a->reason); /* it left the levels */
}

static void solve_one(const job *j, scree_graphs *graphs, const scree_graph *g, const char *name) {
  const scree_kernel *kernel = scree_kernel_find(name);
  scree_solver *solver;
  scree_answer a;
  check_equal(scree_solver_open(graphs, kernel, &solver), SCREE_OK);
  if (check_equal(scree_solver_run(solver, g, 0, NULL, &a), SCREE_OK)) {
    look_at(j, kernel, solver, g, &a);
    scree_answer_free(&a);
  }
  scree_solver_close(solver);
}

static void solve(scree_world *world, void *arg) {
  const job *j = arg;
  scree_graphs *graphs;
  scree_graph *g;
  if (!check_equal(scree_graphs_open(world, &graphs), SCREE_OK)) return;
  if (check_equal(hard_graph(graphs, j->family, j->weights, &g), SCREE_OK)) {
    solve_one(j, graphs, g, "sssp");
    solve_one(j, graphs, g, "bfs");
    scree_graph_free(g);
  }
  scree_graphs_close(graphs);
}

static void bounded(void **unused) {
  (void)unused;
  size_t families = 0, weights = 0;
  while (hard_family_at(families)) families++;
  while (hard_weights_at(weights)) weights++;
  for (uint64_t seed = 1; seed <= harness_seeds(families * weights, 10 * families * weights); seed++) {
    job j = {seed % families, seed / families % weights};
    scree_sim_config config = {.seed = seed, .ranks = 1 + (uint32_t)(seed * 7 % 5), .nodes = 1 + (uint32_t)(seed % 2)};
    if (config.nodes > config.ranks) config.nodes = 1;
    if (!check_text(scree_sim_run(&config, NULL, solve, &j, NULL) == SCREE_OK, "seed %u", (unsigned)seed)) return;
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(bounded)};
HARNESS_MAIN(tests)
