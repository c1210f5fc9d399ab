/* unit_graph_serial.c - tests of the yardsticks: queue BFS and Dijkstra against Bellman-Ford on random graphs. */
#include <math.h>

#include "base/hash.h"
#include "harness.h"
#include "yardstick/serial.h"

enum { N = 60, M = 150 };

static void random_arcs(uint64_t seed, scree_weight_kind kind, scree_edge *arcs) {
  for (uint64_t i = 0; i < M; i++) {
    uint64_t bits = scree__hash_draw(seed, i);
    double w = kind == SCREE_WEIGHT_NONE     ? 1
               : kind == SCREE_WEIGHT_UINT32 ? (double)scree__between(bits << 20, 0, 5)
               : kind == SCREE_WEIGHT_FLOAT  ? (double)scree__unit_float(bits << 20)
                                             : (double)(bits >> 11) * 0x1p-53;
    arcs[i] = (scree_edge){bits % N, (bits >> 8) % N, w};
  }
}

static void bellman_ford(const scree_edge *arcs, uint32_t source, double *dist) {
  for (int v = 0; v < N; v++) dist[v] = INFINITY;
  dist[source] = 0;
  for (int round = 0; round < N; round++)
    for (int i = 0; i < M; i++) dist[arcs[i].v] = fmin(dist[arcs[i].v], dist[arcs[i].u] + arcs[i].weight);
}

HARNESS_TEST(dijkstra) {
  for (uint64_t seed = 0; seed < 400; seed++) {
    scree_edge arcs[M];
    serial_csr csr;
    double expected[N], dist[N];
    scree_weight_kind kind = (scree_weight_kind)(seed % 4);
    random_arcs(seed, kind, arcs);
    if (!check(serial_csr_build(&csr, N, M, arcs, kind))) return;
    bellman_ford(arcs, (uint32_t)(seed % N), expected);
    check(serial_dijkstra(&csr, (uint32_t)(seed % N), dist));
    for (int v = 0; v < N; v++)
      if (!check_text(dist[v] == expected[v], "seed %d, vertex %d: %g, not %g", (int)seed, v, dist[v], expected[v]))
        return;
    serial_csr_free(&csr);
  }
}

static void check_levels(const double *dist, uint32_t source, const uint32_t *level, const uint32_t *parent) {
  for (uint32_t v = 0; v < N; v++) {
    if (!check(level[v] == (dist[v] < INFINITY ? (uint32_t)dist[v] : SERIAL_UNREACHED))) return;
    if (level[v] == SERIAL_UNREACHED)
      check_equal(parent[v], SERIAL_UNREACHED);
    else if (v == source)
      check_equal(parent[v], source);
    else if (check(parent[v] < N))
      check_equal(level[parent[v]] + 1, level[v]);
  }
}

HARNESS_TEST(bfs) {
  for (uint64_t seed = 0; seed < 100; seed++) {
    scree_edge arcs[M];
    serial_csr csr;
    double dist[N];
    uint32_t level[N], parent[N], source = (uint32_t)(seed % N);
    random_arcs(seed, SCREE_WEIGHT_NONE, arcs);
    if (!check(serial_csr_build(&csr, N, M, arcs, SCREE_WEIGHT_NONE))) return;
    bellman_ford(arcs, source, dist);
    check(serial_bfs(&csr, source, level, parent));
    check_levels(dist, source, level, parent);
    serial_scratch scratch;
    if (!check(serial_scratch_open(&scratch, &csr))) return;
    for (int again = 0; again < 2; again++) { /* what the run before left does no harm */
      serial_queue_bfs(&csr, &scratch, source, level, parent);
      check_levels(dist, source, level, parent);
      serial_bitmap_bfs(&csr, &scratch, source, level, parent);
      check_levels(dist, source, level, parent);
    }
    serial_scratch_close(&scratch);
    serial_csr_free(&csr);
  }
}

HARNESS_TEST(rows) {
  static const scree_edge arcs[] = {{2, 0, 3}, {0, 1, 1}, {2, 2, 0}, {2, 0, 4}};
  serial_csr csr;
  check(serial_csr_build(&csr, 4, 4, arcs, SCREE_WEIGHT_UINT32));
  static const uint64_t offsets[] = {0, 1, 1, 4, 4};
  static const uint32_t targets[] = {1, 0, 2, 0}, weights[] = {1, 3, 0, 4};
  check(!memcmp(csr.offsets, offsets, sizeof offsets));
  check(!memcmp(csr.targets, targets, sizeof targets));
  check(!memcmp(csr.weights, weights, sizeof weights));
  serial_csr_free(&csr);
  check(!serial_csr_build(&csr, UINT32_MAX, 0, arcs, SCREE_WEIGHT_NONE));
}

HARNESS_MAIN
