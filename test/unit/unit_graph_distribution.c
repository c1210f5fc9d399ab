/* unit_graph_distribution.c - tests of bijection, places and the three distributions.
 *
 * It tests distribution.h and the hash; it needs no world. */
#include <scree/distribution.h>

#include "base/hash.h"
#include "harness.h"

HARNESS_TEST(bijection_is_one) {
  static const uint64_t sizes[] = {1, 2, 3, 4, 5, 7, 64, 100, 1000, 4096, 65537};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    uint64_t n = sizes[i];
    scree_bijection b;
    scree_bijection_init(&b, n, 42 + i);
    unsigned char *hit = calloc(n, 1);
    for (uint64_t v = 0; v < n; v++) {
      uint64_t image = scree_bijection_apply(&b, v);
      if (!check(image < n) || !check(!hit[image])) break;
      hit[image] = 1;
      check_equal(scree_bijection_invert(&b, image), v);
    }
    free(hit);
  }
}

HARNESS_TEST(bijection_of_large_sets) {
  static const uint64_t sizes[] = {SCREE_VERTICES_MAX, SCREE_VERTICES_MAX - 3, (UINT64_C(1) << 32) + 1,
                                   UINT64_C(1) << 63};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    scree_bijection b;
    scree_bijection_init(&b, sizes[i], i);
    for (uint64_t k = 0; k < 10000; k++) {
      uint64_t v = scree__hash_draw(7, k) % sizes[i], image = scree_bijection_apply(&b, v);
      if (!check(image < sizes[i]) || !check_equal(scree_bijection_invert(&b, image), v)) return;
    }
  }
}

/* Neighbours end up anywhere: the mean distance of the images of v and v + 1 is a third of n. */
HARNESS_TEST(bijection_scatters) {
  enum { N = 1 << 16 };
  scree_bijection b, other;
  scree_bijection_init(&b, N, 1);
  scree_bijection_init(&other, N, 2);
  double sum = 0;
  uint64_t same = 0;
  for (uint64_t v = 0; v + 1 < N; v++) {
    double d = (double)scree_bijection_apply(&b, v) - (double)scree_bijection_apply(&b, v + 1);
    sum += d < 0 ? -d : d;
    same += scree_bijection_apply(&b, v) == scree_bijection_apply(&other, v);
  }
  check(sum / N > 0.3 * N && sum / N < 0.37 * N);
  check(same < 16); /* 1 is expected of two random bijections */
}

static const scree_distribution_kind kinds[] = {SCREE_DISTRIBUTION_BLOCK, SCREE_DISTRIBUTION_CYCLIC,
                                                SCREE_DISTRIBUTION_HASH};

HARNESS_TEST(each_vertex_has_its_place) {
  static const uint32_t ranks[] = {1, 2, 3, 5, 7, 16, 64};
  static const uint64_t sizes[] = {1, 2, 6, 7, 10, 64, 1000, 4099};
  for (size_t k = 0; k < 3; k++)
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
      for (size_t j = 0; j < sizeof ranks / sizeof *ranks; j++) {
        scree_distribution d;
        scree_distribution_init(&d, kinds[k], sizes[i], ranks[j]);
        uint64_t total = 0;
        for (uint32_t r = 0; r < ranks[j]; r++) {
          uint64_t count = scree_distribution_count(&d, r);
          check(count == sizes[i] / ranks[j] || count == sizes[i] / ranks[j] + 1); /* balanced */
          total += count;
          for (uint64_t l = 0; l < count; l++) {
            uint64_t v = scree_distribution_global(&d, r, l);
            if (!check(v < sizes[i])) return;
            check_equal(scree_distribution_owner(&d, v), r);
            check_equal(scree_distribution_local(&d, v), l);
          }
        }
        check_equal(total, sizes[i]);
      }
}

HARNESS_TEST(most_vertices_and_ranks) {
  for (size_t k = 0; k < 3; k++) {
    scree_distribution d;
    scree_distribution_init(&d, kinds[k], SCREE_VERTICES_MAX, (1 << 24) - 1);
    for (uint64_t i = 0; i < 10000; i++) {
      uint64_t v = i < 5000 ? SCREE_VERTICES_MAX - 1 - i : scree__hash_draw(3, i) % SCREE_VERTICES_MAX;
      scree_location p = scree_distribution_location(&d, v);
      check(scree_location_local(p) < scree_distribution_count(&d, scree_location_owner(p)));
      if (!check_equal(scree_distribution_global(&d, scree_location_owner(p), scree_location_local(p)), v)) return;
    }
  }
}

HARNESS_TEST(orders) {
  scree_distribution d;
  scree_distribution_init(&d, SCREE_DISTRIBUTION_BLOCK, 10, 4); /* 3 3 2 2 */
  check_equal(scree_distribution_owner(&d, 5), 1);
  check_equal(scree_distribution_owner(&d, 6), 2);
  check_equal(scree_distribution_global(&d, 3, 1), 9);
  scree_distribution_init(&d, SCREE_DISTRIBUTION_CYCLIC, 10, 4);
  check_equal(scree_distribution_owner(&d, 6), 2);
  check_equal(scree_distribution_local(&d, 6), 1);
}

HARNESS_TEST(draws) {
  enum { N = 100000 };
  uint32_t min = UINT32_MAX, max = 0, counts[10] = {0};
  double sum = 0;
  for (uint64_t i = 0; i < N; i++) {
    uint32_t k = scree__between(scree__hash_draw(1, i), 5, 14);
    if (k < min) min = k;
    if (k > max) max = k;
    if (check(k >= 5 && k <= 14)) counts[k - 5]++;
    float f = scree__unit_float(scree__hash_draw(2, i));
    check(f >= 0 && f < 1);
    sum += (double)f;
  }
  check_equal(min, 5);
  check_equal(max, 14);
  for (int i = 0; i < 10; i++) check(counts[i] > N / 10 - 500 && counts[i] < N / 10 + 500); /* over 5 sigma */
  check(sum / N > 0.495 && sum / N < 0.505);
  check_equal(scree__between(UINT64_MAX, 0, UINT32_MAX), UINT32_MAX);
  check_equal(scree__between(UINT64_MAX, 3, 3), 3);
  check(scree__hash_draw(1, 0) != scree__hash_draw(0, 1));
}

HARNESS_MAIN
