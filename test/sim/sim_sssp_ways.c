/* sim_sssp_ways.c - what is special about a variant of SSSP, where every answer would be right without it.
 *
 * Covered are k, which counts arcs, the sorting of a batch, the workers of dc-hybrid and a progress thread beside
 * them. */
#include <scree/scree_sim.h>

#include <scree/sssp.h>

#include "harness.h"
#include "kernels.h"
#include "sssp/relax.h"

enum { PATH = 101, FAN = 25, FAN_VERTICES = 52 };

typedef struct {
  case_graph given;
  void (*run)(kernel_layer *layer, const scree_graph *graph);
} job;

static void run_job(scree_world *world, void *arg) {
  job *j = arg;
  kernel_layer layer;
  if (!kernels_open(world, &layer)) return;
  scree_graph *g = case_graph_build(layer.graphs, &j->given, 2);
  if (check(g != NULL)) j->run(&layer, g);
  scree_graph_free(g);
  kernels_close(&layer);
}

static void on_two_ranks(job *j, uint64_t n) {
  scree_sim_config config = {.seed = 1, .ranks = 2, .nodes = 1, .unperturbed = true};
  j->given.shape = (scree_graph_shape){.n = n, .weight = SCREE_WEIGHT_UINT32, .directed = true};
  check_equal(scree_sim_run(&config, NULL, run_job, j, NULL), SCREE_OK);
  case_graph_free(&j->given);
}

static scree_work solve(kernel_layer *layer, const scree_graph *g, scree_sssp_options how) {
  scree_answer r = {0};
  scree_work work = {0};
  if (check(scree_solver_run(layer->solver[0], g, 0, &how, &r) == SCREE_OK)) work = r.work;
  scree_answer_free(&r);
  return work;
}

/* ---- kla ---- */

static scree_sssp_options kla(uint64_t k, bool no_pruning) {
  scree_sssp_options how = SCREE_SSSP_OPTIONS_INIT;
  how.algorithm = "kla";
  how.k = k;
  how.no_pruning = no_pruning;
  return how;
}

/* A superstep for each k arcs of the path, and one that finds the last vertex without an arc to go on with. */
static void run_k(kernel_layer *layer, const scree_graph *g) {
  static const uint64_t ks[] = {1, 2, 7, 10, 99, 100, 101, 1000};
  for (size_t i = 0; i < sizeof ks / sizeof ks[0]; i++)
    for (int no_pruning = 0; no_pruning < 2; no_pruning++) {
      scree_work work = solve(layer, g, kla(ks[i], no_pruning));
      check_equal(work.epochs, (PATH - 1) / ks[i] + 1);
    }
  /* Each superstep costs more than it does: k grows as fast as it can, 1 + 2 + 4 + 8 + 16 + 32 + 64 arcs. */
  check_equal(solve(layer, g, kla(SCREE_UNSET, false)).epochs, 7);
}

HARNESS_TEST(k_counts_arcs) {
  job path = {.run = run_k};
  for (uint64_t v = 1; v < PATH; v++) case_graph_add(&path.given, v - 1, v, 1);
  on_two_ranks(&path, PATH);
}

/* ---- delta-sort ---- */

static void run_sort(kernel_layer *layer, const scree_graph *g) {
  scree_sssp_options how = SCREE_SSSP_OPTIONS_INIT;
  how.algorithm = "delta";
  how.delta = 10;
  how.no_pruning = true;
  check(solve(layer, g, how).superseded > 0);
  how.algorithm = "delta-sort";
  scree_work work = solve(layer, g, how);
  check_equal(work.superseded, 0);
  check_equal(work.useful, FAN + 1);
}

/* 0 leads to 1 .. FAN by light arcs, they lead to the last vertex, on the other rank, by heavy arcs of mixed
 * lengths. */
HARNESS_TEST(batches_are_sorted) {
  job fan = {.run = run_sort};
  for (uint64_t v = 1; v <= FAN; v++) {
    case_graph_add(&fan.given, 0, v, 1);
    case_graph_add(&fan.given, v, FAN_VERTICES - 1, (double)(100 + v * 7 % FAN));
  }
  on_two_ranks(&fan, FAN_VERTICES);
}

/* ---- dc-hybrid ---- */

static void run_dc(scree_world *world, void *arg) {
  const uint32_t threads = *(const uint32_t *)arg;
  kernel_layer layer;
  scree_graph *g = NULL;
  scree_sssp_options how = SCREE_SSSP_OPTIONS_INIT;
  if (kernels_open(world, &layer) && check(scree_graph_load(layer.graphs, "kron:11", NULL, &g) == SCREE_OK)) {
    how.algorithm = "dc";
    const scree_work alone = solve(&layer, g, how);
    how.algorithm = "dc-hybrid";
    const scree_work work = solve(&layer, g, how);
    check_equal(work.useful, alone.useful);
    check_equal(work.epochs, 1);
    if (threads == 1) {
      check_equal(work.messages, alone.messages);
      check_equal(work.direct, alone.direct);
      check_equal(work.edges, alone.edges);
    } else { /* some of a rank's own vertices are another worker's to process */
      check_equal(alone.messages, 0);
      check(work.messages > work.useful / 8);
      check_equal(work.bytes, work.messages * sizeof(scree__relax_item));
    }
  }
  scree_graph_free(g);
  kernels_close(&layer);
}

/* One worker does what dc does; several share the vertices of one rank. */
HARNESS_TEST(workers_share) {
  for (uint32_t threads = 1; threads <= 4; threads++) {
    scree_sim_config config = {.seed = threads, .ranks = 1, .nodes = 1, .threads = threads, .unperturbed = true};
    check_equal(scree_sim_run(&config, NULL, run_dc, &threads, NULL), SCREE_OK);
  }
}

/* What a progress thread lowers it passes to workers, in messages of 24 bytes; relaxations are counted once. */
static void run_beside(scree_world *world, void *arg) {
  uint64_t *handed = arg;
  kernel_layer layer;
  scree_graph *g = NULL;
  scree_sssp_options how = SCREE_SSSP_OPTIONS_INIT;
  if (kernels_open(world, &layer) && check(scree_graph_load(layer.graphs, "kron:9", NULL, &g) == SCREE_OK)) {
    how.algorithm = "dc-hybrid";
    const scree_work work = solve(&layer, g, how);
    const uint64_t rest = work.bytes - work.messages * sizeof(scree__relax_item);
    check_equal(work.messages + work.direct, work.useful + work.superseded + work.rejected);
    check(rest % 24 == 0);
    check(rest / 24 <= work.useful + work.superseded);
    *handed = rest / 24;
  }
  scree_graph_free(g);
  kernels_close(&layer);
}

HARNESS_TEST(progress_thread_hands_over) {
  scree_options options = SCREE_OPTIONS_INIT;
  options.progress = SCREE_PROGRESS_FULL;
  for (uint32_t threads = 1; threads <= 3; threads++)
    for (uint64_t seed = 1; seed <= 4; seed++) {
      uint64_t handed = 0;
      scree_sim_config config = {.seed = seed, .ranks = 2, .nodes = 1, .threads = threads};
      check_equal(scree_sim_run(&config, &options, run_beside, &handed, NULL), SCREE_OK);
      check_text(handed > 0, "seed %d, %d threads: the progress threads lowered nothing", (int)seed, (int)threads);
    }
}

HARNESS_MAIN
