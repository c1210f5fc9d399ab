/* unit_queues.c - the priority queue and the buckets of the algorithms, against plain arrays.
 *
 * Room: what a wrong order would not show in any answer, only in the time that it takes. */
#include "../algorithms/common/heap.h"
#include "../algorithms/sssp/buckets.h"
#include "harness.h"

enum { N = 100, STEPS = 20000 };

static uint32_t draw(uint64_t *state, uint32_t n) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(*state >> 33) % n;
}

static double least_of(const double *keys) {
  double least = 1e9;
  for (int v = 0; v < N; v++)
    if (keys[v] >= 0 && keys[v] < least) least = keys[v];
  return least;
}

static void heap_order(void **unused) {
  (void)unused;
  scree__heap heap;
  double keys[N]; /* -1: not in the heap */
  uint32_t count = 0;
  uint64_t state = 1;
  assert_true(scree__heap_init(&heap, N));
  for (int v = 0; v < N; v++) keys[v] = -1;
  for (int i = 0; i < STEPS; i++) {
    uint32_t v = draw(&state, N);
    double key = draw(&state, 50);
    if (draw(&state, 2 + (uint32_t)(i / 1000) % 4)) {
      scree__heap_push(&heap, v, key);
      count += keys[v] < 0;
      if (keys[v] < 0 || key < keys[v]) keys[v] = key;
    } else if (count) {
      double least = least_of(keys);
      v = scree__heap_pop(&heap);
      check(v < N && keys[v] == least);
      keys[v] = -1;
      count--;
    }
    check_equal(heap.count, count);
  }
  for (double last = 0; count; count--) {
    uint32_t v = scree__heap_pop(&heap);
    check(keys[v] >= last);
    last = keys[v];
  }
  scree__heap_free(&heap);
}

static uint64_t first_of(const uint64_t *sets, uint64_t from) {
  uint64_t first = UINT64_MAX;
  for (int v = 0; v < N; v++)
    if (sets[v] < first && sets[v] >= from && sets[v] != UINT64_MAX - 1) first = sets[v];
  return first;
}

/* sets[v]: a bucket, UINT64_MAX - 1 for the settled, UINT64_MAX for none. */
static void bucket_step(scree__buckets *b, uint64_t *sets, uint64_t *at, uint64_t *state) {
  uint32_t v = draw(state, N);
  switch (draw(state, 4)) {
  case 0:
    scree__buckets_settle(b, v);
    sets[v] = UINT64_MAX - 1;
    break;
  case 1:
    v = scree__buckets_settled(b);
    if (v != SCREE__NO_VERTEX32) check_equal(sets[v], UINT64_MAX - 1), sets[v] = UINT64_MAX;
    break;
  default:
    sets[v] = *at + draw(state, b->span);
    scree__buckets_put(b, v, sets[v]);
  }
  uint64_t first = first_of(sets, *at);
  check_equal(scree__buckets_first(b, *at), first);
  if (first == UINT64_MAX) return;
  v = scree__buckets_head(b, first);
  check(v < N && sets[v] == first);
  *at = first;
}

static void bucket_sets(void **unused) {
  (void)unused;
  for (uint32_t span = 1; span < 20; span += 6) {
    scree__buckets b;
    uint64_t sets[N], at = 0, state = span, waiting = 0;
    assert_true(scree__buckets_init(&b, N, span));
    for (int v = 0; v < N; v++) sets[v] = UINT64_MAX;
    for (int i = 0; i < STEPS && harness_failures() == 0; i++) bucket_step(&b, sets, &at, &state);
    for (int v = 0; v < N; v++) waiting += sets[v] < UINT64_MAX - 1;
    check_equal(b.waiting, waiting);
    scree__buckets_free(&b);
  }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(heap_order),
    cmocka_unit_test(bucket_sets),
};
HARNESS_MAIN(tests)
