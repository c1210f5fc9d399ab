/* mpi_graph.c - tests of the graph layer on real ranks: what the simulator checks in depth, once over the transports.
 *
 * There is a generated graph, a real file, and an error that all ranks see. */
#include "base/hash.h"
#include "generate/kron.h"
#include "graph/exchange.h"
#include "harness.h"
#include "ranks.h"
#include "yardstick/serial.h"

static scree_world *world;
static scree_graphs *graphs;

static int open_world(void **state) {
  (void)state;
  if (scree_open(NULL, &world)) return -1;
  return scree_graphs_open(world, &graphs) ? -1 : 0;
}

static int close_world(void **state) {
  (void)state;
  scree_graphs_close(graphs);
  return scree_close(world) ? -1 : 0;
}

static scree_graph *load(const char *spec, const scree_graph_options *options) {
  scree_graph *g = NULL;
  check_text(scree_graph_load(graphs, spec, options, &g) == SCREE_OK, "%s", scree_graphs_error(graphs));
  return g;
}

static uint64_t hash_of(uint64_t u, uint64_t v, double w) {
  uint64_t bits;
  memcpy(&bits, &w, sizeof bits);
  return scree__hash_draw(scree__hash_draw(u, v), bits);
}

/* The arcs that came together are those of the pure function. */
static void generated(void **state) {
  (void)state;
  scree__kron kron;
  char why[256];
  uint64_t expected = 0, found = 0;
  check(scree__kron_parse(&kron, "12,8,5", why, sizeof why));
  for (uint64_t i = 0; i < 8 << 12; i++) {
    uint64_t u, v;
    float w;
    scree__kron_edge(&kron, i, &u, &v, &w);
    expected += hash_of(u, v, (double)w);
    if (u != v) expected += hash_of(v, u, (double)w);
  }
  for (int kind = 0; kind < 3; kind++) {
    scree_graph *g = load("kron:12,8,5", &(scree_graph_options){.distribution = (scree_distribution_kind)kind});
    if (!g) return;
    found = 0;
    for (uint64_t u = 0; u < g->locals; u++)
      for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++)
        found += hash_of(scree_graph_vertex(g, scree_location_make(scree_graph_rank(g), u)),
                         scree_graph_vertex(g, scree_graph_target(g, e)), scree_graph_weight(g, e));
    scree_reduce r = {.sum = {found}, .min = UINT64_MAX};
    check_equal(scree_graphs_reduce(graphs, &r), SCREE_OK);
    check_equal(r.sum[0], expected);
    scree_graph_free(g);
  }
}

/* Dijkstra's distances of a real graph are valid; with one of them wrong they are not. */
static void validated(void **state) {
  (void)state;
  const char *path = harness_data("rome99.gr");
  if (!path) harness_skip(HARNESS_NO_DATA);
  scree_graph *g = load(path, NULL);
  serial_csr csr;
  if (!g || !check_equal(serial_csr_gather(g, &csr), SCREE_OK)) return;
  double *first = calloc(g->vertices.n + 1, sizeof *first), *all = malloc((g->vertices.n + 1) * sizeof *all),
         *dist = malloc((g->locals + 1) * sizeof *dist);
  if (csr.n) check(serial_dijkstra(&csr, 0, first));
  ranks_reduce(MPI_COMM_WORLD, first, all, g->vertices.n, RANKS_MAX);
  for (uint64_t u = 0; u < g->locals; u++)
    dist[u] = all[scree_graph_vertex(g, scree_location_make(scree_graph_rank(g), u))];
  scree_verdict verdict;
  check_equal(scree_sssp_validate(g, 0, dist, &verdict), SCREE_OK);
  check_text(verdict.valid, "%s", verdict.text);
  scree_location p = scree_graph_location(g, scree_graph_find(g, 1000));
  if (scree_location_owner(p) == scree_graph_rank(g)) dist[scree_location_local(p)] -= 1;
  check_equal(scree_sssp_validate(g, 0, dist, &verdict), SCREE_OK);
  check(!verdict.valid);
  free(first);
  free(all);
  free(dist);
  serial_csr_free(&csr);
  scree_graph_free(g);
}

static void refused(void **state) {
  (void)state;
  scree_graph *g = NULL;
  check_equal(scree_graph_load(graphs, "/nonexistent/x.gr", NULL, &g), SCREE_EINVAL);
  check_contains(scree_graphs_error(graphs), "/nonexistent/x.gr: rank 0: cannot open it: No such file");
  check_equal(scree_graph_load(graphs, "kron:12", &(scree_graph_options){.direction = SCREE_DIRECTED}, &g),
              SCREE_EINVAL);
  check(!g);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(generated, open_world, close_world),
                                          cmocka_unit_test_setup_teardown(validated, open_world, close_world),
                                          cmocka_unit_test_setup_teardown(refused, open_world, close_world)};
HARNESS_MPI_MAIN(tests)
