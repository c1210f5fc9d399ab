/* mpi_algorithms.c - BFS and SSSP over real ranks: every variant against serial answers, tiny and huge blocks, chaos.
 *
 * The same drawn graphs as in the simulator, and a Kronecker graph that is large enough to keep ranks busy.
 *
 * Product: under one MPI */
#include "algorithm_cases.h"
#include "harness.h"
#include "setting.h"

static const setting settings[] = {
    {.name = "as it comes"},
    {.name = "a message a block, one block", .coalesce_bytes = 1, .pool_blocks = 1, .batch_max = 3},
    {.name = "tiny blocks, chaos", .coalesce_bytes = 64, .pool_blocks = 2, .batch_max = 7, .chaos = 20261121},
    {.name = "huge blocks", .coalesce_bytes = 1 << 20},
    {.name = "several workers, which some variants use",
     .coalesce_bytes = 64,
     .pool_blocks = 2,
     .batch_max = 7,
     .threads = 3},
    {.name = "mpi", .transport = SCREE_TRANSPORT_MPI},
    {.name = "mpi, a message a block, one block",
     .transport = SCREE_TRANSPORT_MPI,
     .coalesce_bytes = 1,
     .pool_blocks = 1,
     .batch_max = 3},
    {.name = "mpi, tiny blocks, chaos, two workers",
     .transport = SCREE_TRANSPORT_MPI,
     .coalesce_bytes = 64,
     .pool_blocks = 2,
     .batch_max = 7,
     .chaos = 20261121,
     .threads = 2},
    {.name = "a progress thread", .progress = SCREE_PROGRESS_FULL},
    {.name = "mpi, tiny blocks, two workers and a progress thread",
     .transport = SCREE_TRANSPORT_MPI,
     .coalesce_bytes = 256,
     .threads = 2,
     .progress = SCREE_PROGRESS_FULL},
    {.name = "mpi, tiny blocks, chaos, by the bits of distances",
     .transport = SCREE_TRANSPORT_MPI,
     .coalesce_bytes = 64,
     .pool_blocks = 2,
     .batch_max = 7,
     .chaos = 20261123,
     .route = SCREE_ROUTE_DISSEMINATION},
    {.name = "by rows and columns", .route = SCREE_ROUTE_ROOK},
};

static void drawn_graphs(void **state) {
  scree_world *world = setting_open(*state);
  case_layer layer;
  if (!world) return;
  bool ready = case_open(world, &layer);
  for (uint64_t seed = 1; ready && seed <= (harness_full() ? 20 : scree_options_of(world)->threads > 1 ? 2 : 6); seed++)
    case_run(&layer, 1000 * seed);
  case_close(&layer);
  check_equal(scree_close(world), SCREE_OK);
}

/* With a progress thread one variant runs. */
static bool is_allowed(const case_layer *layer, const char *algorithm) {
  const scree_options *o = scree_options_of(scree_world_of(scree_graphs_worker(layer->graphs)));
  return o->progress != SCREE_PROGRESS_FULL || strcmp(algorithm, "dc-hybrid") == 0;
}

static void check_run(case_layer *layer, const scree_graph *g, uint64_t source, uint64_t *vertices, uint64_t *edges) {
  uint64_t reached, traversed;
  scree_verdict verdict;
  for (size_t i = 0; scree_kernel_variant_at(scree_kernel_find("sssp"), i); i++) {
    scree_sssp_options how = SCREE_SSSP_OPTIONS_INIT;
    how.algorithm = scree_kernel_variant_at(scree_kernel_find("sssp"), i)->name;
    if (!is_allowed(layer, how.algorithm)) continue;
    scree_answer r;
    if (!check_equal(scree_solver_run(layer->sssp, g, source, &how, &r), SCREE_OK)) return;
    check_equal(scree_graph_traversed(g, r.array[0], NULL, vertices, edges), SCREE_OK);
    check_equal(scree_sssp_validate(g, source, r.array[0], &verdict), SCREE_OK);
    check_text(verdict.valid, "%s: %s", how.algorithm, verdict.text);
    scree_answer_free(&r);
  }
  for (size_t i = 0; scree_kernel_variant_at(scree_kernel_find("bfs"), i); i++) {
    scree_bfs_options how = SCREE_BFS_OPTIONS_INIT;
    how.algorithm = scree_kernel_variant_at(scree_kernel_find("bfs"), i)->name;
    if (!is_allowed(layer, how.algorithm)) continue;
    scree_answer r;
    if (!check_equal(scree_solver_run(layer->bfs, g, source, &how, &r), SCREE_OK)) return;
    check_equal(scree_graph_traversed(g, NULL, r.array[0], &reached, &traversed), SCREE_OK);
    check_equal(reached, *vertices);
    check_equal(traversed, *edges);
    check_equal(scree_bfs_validate(g, source, r.array[0], r.array[1], &verdict), SCREE_OK);
    check_text(verdict.valid, "%s: %s", how.algorithm, verdict.text);
    scree_answer_free(&r);
  }
}

static void kronecker(void **state) {
  scree_world *world = setting_open(*state);
  case_layer layer;
  scree_graph *g = NULL;
  uint64_t source, vertices = 0, edges = 0;
  if (!world) return;
  if (case_open(world, &layer) && check_equal(scree_graph_load(layer.graphs, "kron:11", NULL, &g), SCREE_OK) &&
      check_equal(scree_graph_random_source(g, 1, &source), SCREE_OK)) {
    check_run(&layer, g, source, &vertices, &edges);
    check(vertices > 500 && edges > 10000);
  }
  scree_graph_free(g);
  case_close(&layer);
  check_equal(scree_close(world), SCREE_OK);
}

#define SETTING(i) (void *)(uintptr_t)&settings[i]
static const struct CMUnitTest tests[] = {
    {"drawn_graphs", drawn_graphs, NULL, NULL, SETTING(0)},
    {"drawn_graphs_one_message_blocks", drawn_graphs, NULL, NULL, SETTING(1)},
    {"drawn_graphs_chaos", drawn_graphs, NULL, NULL, SETTING(2)},
    {"drawn_graphs_huge_blocks", drawn_graphs, NULL, NULL, SETTING(3)},
    {"drawn_graphs_workers", drawn_graphs, NULL, NULL, SETTING(4)},
    {"drawn_graphs_mpi", drawn_graphs, NULL, NULL, SETTING(5)},
    {"drawn_graphs_mpi_one_message_blocks", drawn_graphs, NULL, NULL, SETTING(6)},
    {"drawn_graphs_mpi_workers_chaos", drawn_graphs, NULL, NULL, SETTING(7)},
    {"drawn_graphs_mpi_routed_chaos", drawn_graphs, NULL, NULL, SETTING(10)},
    {"kronecker", kronecker, NULL, NULL, SETTING(0)},
    {"kronecker_huge_blocks", kronecker, NULL, NULL, SETTING(3)},
    {"kronecker_workers", kronecker, NULL, NULL, SETTING(4)},
    {"kronecker_mpi", kronecker, NULL, NULL, SETTING(5)},
    {"kronecker_routed", kronecker, NULL, NULL, SETTING(11)},
    {"kronecker_progress_thread", kronecker, NULL, NULL, SETTING(8)},
    {"kronecker_mpi_progress_thread", kronecker, NULL, NULL, SETTING(9)},
};

int main(int argc, char **argv) {
  harness_level = MPI_THREAD_SERIALIZED;
  return harness__mpi_main(argc, argv, tests, sizeof tests / sizeof *tests);
}
