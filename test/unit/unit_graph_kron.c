/* unit_graph_kron.c - tests of the Kronecker generator: a pure function with the specification's shape. */
#include "generate/kron.h"
#include "harness.h"

static scree__kron kron_of(const char *text) {
  scree__kron k;
  char why[256] = "";
  check_text(scree__kron_parse(&k, text, why, sizeof why), "%s", why);
  return k;
}

HARNESS_TEST(names) {
  scree__kron k = kron_of("16");
  check(k.scale == 16 && k.edge_factor == 16 && k.seed == 1);
  k = kron_of("20,8");
  check(k.scale == 20 && k.edge_factor == 8 && k.seed == 1);
  k = kron_of("1,1,0");
  check(k.scale == 1 && k.edge_factor == 1 && k.seed == 0);
  k = kron_of("40,1048576,18446744073709551614");
  check(k.scale == 40 && k.seed == UINT64_MAX - 1);
  static const char *const bad[] = {"",
                                    "0",
                                    "41",
                                    "x",
                                    "16,",
                                    "16,0",
                                    "16,8,",
                                    "16,8,1,1",
                                    "16 ",
                                    "-1",
                                    "1.5",
                                    "16,1048577",
                                    "00000000000000000000000016"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char why[256] = "";
    check_text(!scree__kron_parse(&k, bad[i], why, sizeof why), "kron:%s is refused", bad[i]);
    check_contains(why, "SCALE of 1 .. 40, EDGEFACTOR of 1 .. 1048576");
  }
}

/* Pinned: a change of the generator changes everybody's graphs. */
HARNESS_TEST(pinned) {
  scree__kron k = kron_of("10,16,3");
  uint64_t sum = 0;
  double weights = 0;
  for (uint64_t i = 0; i < 1 << 14; i++) {
    uint64_t u, v;
    float w;
    scree__kron_edge(&k, i, &u, &v, &w);
    sum = (sum ^ (u << 32 | v)) * UINT64_C(0x9e3779b97f4a7c15);
    weights += (double)w;
  }
  check_equal(sum, UINT64_C(6428443721666975514));
  check(weights > 8000 && weights < 8400);
}

/* Before the permutation the top bits fall into the quadrants with .57, .19, .19, .05; after it the degrees show it:
 * the heaviest row of the first level carries (A + B)^scale of the edges. */
HARNESS_TEST(quadrants) {
  enum { EDGES = 1 << 18 };
  scree__kron k = kron_of("1,131072");
  uint64_t counts[4] = {0};
  for (uint64_t i = 0; i < EDGES; i++) {
    uint64_t u, v;
    float w;
    scree__kron_edge(&k, i, &u, &v, &w);
    counts[scree_bijection_invert(&k.order, u) * 2 + scree_bijection_invert(&k.order, v)]++;
    check(u < 2 && v < 2 && w >= 0 && w < 1);
  }
  static const double expected[] = {.57, .19, .19, .05};
  for (int q = 0; q < 4; q++) {
    double share = (double)counts[q] / EDGES;
    check_text(share > expected[q] - .005 && share < expected[q] + .005, "quadrant %d has %f", q, share);
  }
}

HARNESS_TEST(levels_are_independent) {
  enum { EDGES = 1 << 16 };
  scree__kron k = kron_of("6,1024");
  double max = 0;
  uint64_t counts[64] = {0};
  for (uint64_t i = 0; i < EDGES; i++) {
    uint64_t u, v;
    float w;
    scree__kron_edge(&k, i, &u, &v, &w);
    counts[scree_bijection_invert(&k.order, u)]++;
  }
  max = (double)counts[0] / EDGES; /* .76^6 = .1927 */
  check_text(max > .18 && max < .205, "row 0 has %f", max);
  check((double)counts[63] / EDGES < .001); /* .24^6 = .0002 */
}

HARNESS_MAIN
