/* sim_sssp_relaxations.c - the default of SSSP on graphs that are hard for one algorithm or another: under every schedule,
 * ranks that starve included, it makes few relaxations, and its distances are right.
 */
#include <scree/kernel.h>
#include <scree/scree_sim.h>

#include "harness.h"
#include "regret_graphs.h"

enum { SCALE = 13, BOUND = 3 };

typedef struct {
  size_t family, weights;
} job;

static void look_at(const job *j, scree_solver *solver, const scree_graph *g, const scree_answer *a) {
  scree_verdict verdict = {.valid = false};
  uint64_t vertices, edges, arcs;
  check_equal(scree_solver_validate(solver, g, 0, NULL, a, &verdict), SCREE_OK);
  check_text(verdict.valid, "%s, %s: %s", regret_family_at(j->family), regret_weights_at(j->weights), verdict.text);
  check(strcmp(regret_family_at(j->family), "jumps") != 0 || a->reason); /* it left the windows */
  check_equal(scree_graph_traversed(g, a->array[0], NULL, &vertices, &edges), SCREE_OK);
  arcs = (g->directed ? 1 : 2) * edges;
  check_text(a->work.sent + a->work.direct <= BOUND * arcs && a->work.edges <= BOUND * arcs,
             "%s, %s: %llu relaxations, %llu edges examined, of %llu arcs; %s", regret_family_at(j->family),
             regret_weights_at(j->weights), (unsigned long long)(a->work.sent + a->work.direct),
             (unsigned long long)a->work.edges, (unsigned long long)arcs, a->reason ? a->reason : "in windows");
}

static void solve(scree_world *world, void *arg) {
  const job *j = arg;
  scree_graphs *graphs;
  scree_solver *solver;
  scree_graph *g;
  scree_answer a;
  if (!check_equal(scree_graphs_open(world, &graphs), SCREE_OK)) return;
  check_equal(scree_solver_open(graphs, scree_kernel_find("sssp"), &solver), SCREE_OK);
  if (check_equal(regret_graph(graphs, j->family, j->weights, SCALE, &g), SCREE_OK)) {
    if (check_equal(scree_solver_run(solver, g, 0, NULL, &a), SCREE_OK)) {
      look_at(j, solver, g, &a);
      scree_answer_free(&a);
    }
    scree_graph_free(g);
  }
  scree_solver_close(solver);
  scree_graphs_close(graphs);
}

static void bounded(void **unused) {
  (void)unused;
  size_t families = 0, weights = 0;
  while (regret_family_at(families)) families++;
  while (regret_weights_at(weights)) weights++;
  for (uint64_t seed = 1; seed <= harness_seeds(families * weights, 10 * families * weights); seed++) {
    job j = {seed % families, seed / families % weights};
    scree_sim_config config = {.seed = seed, .ranks = 1 + (uint32_t)(seed * 7 % 5), .nodes = 1 + (uint32_t)(seed % 2)};
    if (config.nodes > config.ranks) config.nodes = 1;
    if (!check_text(scree_sim_run(&config, NULL, solve, &j, NULL) == SCREE_OK, "seed %u", (unsigned)seed)) return;
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(bounded)};
HARNESS_MAIN(tests)
