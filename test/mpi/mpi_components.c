/* mpi_components.c - connected components and PageRank over real ranks, and all algorithms in two worlds at a time.
 *
 * The drawn graphs of the simulator in several settings; a program with communicators of its own: each half of
 * the ranks has a world, with two graphs that live at once, beside a world of all ranks.
 *
 * Product: under one MPI */
#include <mpi.h>
#include <scree/bfs.h>
#include <scree/scree_mpi.h>
#include <scree/sssp.h>

#include "component_cases.h"
#include "harness.h"

static void drawn(uint64_t transport, uint64_t coalesce_bytes, uint64_t chaos) {
  scree_options options = SCREE_OPTIONS_INIT;
  scree_world *world = NULL;
  component_layer layer;
  options.transport = transport;
  options.coalesce_bytes = coalesce_bytes;
  options.chaos = chaos;
  if (!check_equal(scree_open(&options, &world), SCREE_OK)) return;
  bool ready = component_open(world, &layer);
  for (uint64_t seed = 1; ready && seed <= (harness_full() ? 60 : 10); seed++) component_run(&layer, 77 * seed);
  component_close(&layer);
  check_equal(scree_close(world), SCREE_OK);
}

static void as_it_comes(void **unused) {
  (void)unused;
  drawn(SCREE_TRANSPORT_AUTO, 0, 0);
}
static void tiny_blocks_chaos(void **unused) {
  (void)unused;
  drawn(SCREE_TRANSPORT_AUTO, 64, 5);
}
static void by_mpi(void **unused) {
  (void)unused;
  drawn(SCREE_TRANSPORT_MPI, 0, 0);
}
static void by_mpi_chaos(void **unused) {
  (void)unused;
  drawn(SCREE_TRANSPORT_MPI, 256, 6);
}

/* ---- two worlds ---- */

typedef struct {
  scree_world *world;
  component_layer layer;
  scree_solver *bfs, *sssp;
  scree_graph *graphs[2];
  double components[2];
} part;

static const char *const specs[] = {"kron:8,4,3", "kron:9,8,5"};

static bool open_part(part *p, MPI_Comm comm) {
  bool ready = check_equal(scree_open_mpi(comm, NULL, &p->world), SCREE_OK) && component_open(p->world, &p->layer) &&
               check_equal(scree_solver_open(p->layer.graphs, scree_kernel_find("bfs"), &p->bfs), SCREE_OK) &&
               check_equal(scree_solver_open(p->layer.graphs, scree_kernel_find("sssp"), &p->sssp), SCREE_OK);
  for (int i = 0; i < 2 && ready; i++)
    ready = check_equal(scree_graph_load(p->layer.graphs, specs[i], NULL, &p->graphs[i]), SCREE_OK);
  return ready;
}

static void close_part(part *p) {
  for (int i = 0; i < 2; i++) scree_graph_free(p->graphs[i]);
  scree_solver_close(p->sssp);
  scree_solver_close(p->bfs);
  component_close(&p->layer);
  check_equal(scree_close(p->world), SCREE_OK);
}

/* Runs a kernel once; returns the first figure of its answer. */
static double run_one(scree_solver *solver, const scree_graph *g, uint64_t source) {
  scree_answer a = {0};
  scree_verdict verdict;
  if (!check_equal(scree_solver_run(solver, g, source, NULL, &a), SCREE_OK)) return 0;
  check_equal(scree_solver_validate(solver, g, source, NULL, &a, &verdict), SCREE_OK);
  check_text(verdict.valid, "%s: %s", a.algorithm, verdict.text);
  const double figure = a.figure[0];
  scree_answer_free(&a);
  return figure;
}

static void run_paths(const part *p, const scree_graph *g) {
  uint64_t source;
  if (!check_equal(scree_graph_random_source(g, 1, &source), SCREE_OK)) return;
  run_one(p->bfs, g, source);
  run_one(p->sssp, g, source);
}

static void run_others(part *p, int i) {
  p->components[i] = run_one(p->layer.cc, p->graphs[i], 0);
  run_one(p->layer.pagerank, p->graphs[i], 0);
}

static void two_worlds(void **unused) {
  (void)unused;
  part all = {0}, half = {0};
  MPI_Comm comm;
  MPI_Comm_split(MPI_COMM_WORLD, harness_rank % 2, -harness_rank, &comm);
  bool ready = open_part(&all, MPI_COMM_WORLD);
  ready = open_part(&half, comm) && ready;
  for (int i = 0; i < 4 && harness_all(ready); i++) { /* each graph twice */
    run_paths(&half, half.graphs[i % 2]);
    run_others(&all, i % 2);
    run_others(&half, (i + 1) % 2);
    run_paths(&all, all.graphs[i % 2]);
  }
  for (int i = 0; i < 2; i++) check(all.components[i] > 0 && all.components[i] == half.components[i]);
  close_part(&half);
  close_part(&all);
  MPI_Comm_free(&comm);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(as_it_comes),  cmocka_unit_test(tiny_blocks_chaos), cmocka_unit_test(by_mpi),
    cmocka_unit_test(by_mpi_chaos), cmocka_unit_test(two_worlds),
};
HARNESS_MPI_MAIN(tests)
