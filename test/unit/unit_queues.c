/* unit_queues.c - the priority queue and the buckets of the algorithms, against plain arrays.
 *
 * A wrong order would change no answer, only the time. */
#include "harness.h"
#include "queue/queue.h"
#include "queue/window_queue.h"
#include "sssp/buckets.h"

enum { N = 100, STEPS = 20000 };

static uint32_t draw(uint64_t *state, uint32_t n) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(*state >> 33) % n;
}

static double min_of(const double *keys) {
  double min = 1e9;
  for (int v = 0; v < N; v++)
    if (keys[v] >= 0 && keys[v] < min) min = keys[v];
  return min;
}

/* A graph of N vertices on one rank, as far as queues read it. */
static scree_graph graph_of(scree_graphs *graphs, double weight_max) {
  static uint64_t no_arcs_here[N + 1]; /* no weights to sample */
  scree_graph g = {.graphs = graphs, .locals = N, .arcs = 4 * N, .weight_max = weight_max, .offsets = no_arcs_here};
  g.vertices.n = N;
  return g;
}

/* Draws pushes of keys not below what was popped, some of them far ahead, and pops; `slack` is how much more than the
 * minimum a popped key may be. */
static void queue_order(scree_graphs *graphs, const scree__queue_kind *kind, double weight_max, double slack) {
  scree_graph g = graph_of(graphs, weight_max);
  double keys[N], floor = 0; /* -1: not in the queue */
  uint32_t count = 0;
  uint64_t state = 1;
  for (int v = 0; v < N; v++) keys[v] = -1;
  scree__queue *queue = kind->make(&g, keys);
  assert_non_null(queue);
  for (int i = 0; i < STEPS || count; i++) {
    if (i < STEPS && draw(&state, 2 + (uint32_t)(i / 1000) % 4)) {
      uint32_t v = draw(&state, N);
      const uint32_t ahead = draw(&state, 50);
      const double key = floor + ahead * (draw(&state, 20) ? 1 : 100);
      count += keys[v] < 0;
      if (keys[v] < 0 || key < keys[v]) {
        keys[v] = key;
        kind->push(queue, v, key);
      } else if (kind != &scree__queue_buckets) {
        kind->push(queue, v, key); /* a key that is not lower changes nothing */
      }
    } else if (count) {
      double min = min_of(keys);
      uint32_t v = kind->pop(queue);
      check(v < N && keys[v] >= 0 && keys[v] <= min + slack);
      if (keys[v] > floor) floor = keys[v];
      keys[v] = -1;
      count--;
    }
    check_equal(queue->count, count);
  }
  kind->free(queue);
}

/* ---- the window ---- */

enum { EXPONENTS = 60 };

/* From 0 to 2^30, and of all magnitudes between. */
static double draw_distance(uint64_t *state) {
  if (draw(state, 8) == 0) return draw(state, 4);
  const uint32_t mantissa = draw(state, 1000); /* two draws in one call would have no order */
  return ldexp(mantissa, (int)draw(state, EXPONENTS) - 40);
}

/* What is taken out is in the window, or beyond its limit by less than a bucket, and no key is less by more than a
 * bucket; a bucket is at most an eighth of the window. Differences are compared, since a bucket may vanish beside the
 * limit: that of a window of one unit in the last place does, and a key equal to the limit may be taken from it. */
static void pop_from_window(scree__window_queue *q, double *keys, double base, double limit) {
  const double min = min_of(keys);
  const uint32_t v = scree__window_pop(q);
  if (v == SCREE__NONE32) {
    check(!(min < limit));
    return;
  }
  const double bucket = (limit - base) / 7.9;
  check(v < N && keys[v] >= base && keys[v] - limit < bucket && keys[v] - min <= bucket);
  keys[v] = -1;
}

static void window_step(scree__window_queue *q, double *keys, double *base, double *limit, uint64_t *state) {
  const uint32_t v = draw(state, N);
  const double key = *base + draw_distance(state), min = min_of(keys);
  switch (draw(state, 8)) {
  case 0:
    if (min >= 1e9) break;
    check(scree__window_queue_min(q) <= min && scree__window_queue_min(q) >= *base);
    *base = draw(state, 2) ? min : scree__window_queue_min(q);
    *limit = scree__window_end(*base, ldexp(1, (int)draw(state, EXPONENTS) - 30));
    scree__window_queue_move(q, *base, *limit);
    break;
  case 1:
  case 2:
    pop_from_window(q, keys, *base, *limit);
    break;
  default:
    if (key >= 1e9 || (keys[v] >= 0 && key >= keys[v])) break;
    keys[v] = key;
    scree__window_push(q, v, key);
  }
}

static void windows(scree_graphs *graphs) {
  for (uint64_t seed = 1, seeds = harness_seeds(100, 400); seed <= seeds; seed++) {
    const scree_graph g = graph_of(graphs, 1);
    double keys[N], base = 0, limit = 1;
    uint64_t state = seed;
    for (int v = 0; v < N; v++) keys[v] = -1;
    scree__window_queue *q = scree__window_queue_make(&g, keys);
    assert_non_null(q);
    scree__window_queue_move(q, base, limit);
    for (int i = 0; i < STEPS; i++) window_step(q, keys, &base, &limit, &state);
    for (; min_of(keys) < 1e9; pop_from_window(q, keys, base, limit)) {
      base = scree__window_queue_min(q);
      limit = base > 1 ? 2 * base : base + 1;
      scree__window_queue_move(q, base, limit);
    }
    check(scree__window_queue_min(q) == INFINITY);
    scree__window_queue_free(q);
  }
}

/* Keys that decrease many times leave more old entries than there is space for; each vertex comes out once. */
static void old_entries(scree_graphs *graphs) {
  enum { ROUNDS = 1000 };
  const scree_graph g = graph_of(graphs, 1);
  double keys[N] = {0};
  uint64_t state = 7;
  scree__window_queue *q = scree__window_queue_make(&g, keys);
  assert_non_null(q);
  scree__window_queue_move(q, 0, 1e6);
  for (int v = 0; v < N; v++) keys[v] = 1e30;
  for (int i = 0; i < ROUNDS * N; i++) {
    const uint32_t v = draw(&state, N);
    keys[v] *= 0.9 + 0.01 * draw(&state, 10);
    scree__window_push(q, v, keys[v]);
  }
  scree__window_queue_move(q, 0, 1e30);
  for (int v = 0; v < N; v++) {
    const uint32_t taken = scree__window_pop(q);
    assert_true(taken < N && keys[taken] >= 0);
    keys[taken] = -1;
  }
  check_equal(scree__window_pop(q), SCREE__NONE32);
  check(scree__window_queue_min(q) == INFINITY);
  scree__window_queue_free(q);
}

/* ---- all of them ---- */

/* Buckets of such a width that most keys are near, then that most lie beyond the last one. A vertex may come out before
 * the smallest of its bucket: the slack is a bucket's width. */
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

static void bucket_sets(scree_graphs *graphs) {
  const scree_graph g = graph_of(graphs, 1);
  for (uint32_t span = 1; span < 20; span += 6) {
    scree__buckets b = {.waiting = 0};
    uint64_t sets[N], at = 0, state = span, waiting = 0;
    assert_true(scree__buckets_init(&b, &g, span));
    for (int v = 0; v < N; v++) sets[v] = UINT64_MAX;
    for (int i = 0; i < STEPS && harness_failures() == 0; i++) bucket_step(&b, sets, &at, &state);
    for (int v = 0; v < N; v++) waiting += sets[v] < UINT64_MAX - 1;
    check_equal(b.waiting, waiting);
    scree__buckets_free(&b);
  }
}

HARNESS_TEST(queue_orders) {
  scree_world *world;
  scree_graphs *graphs;
  assert_int_equal(scree_open(NULL, &world), SCREE_OK);
  assert_int_equal(scree_graphs_open(world, &graphs), SCREE_OK);
  queue_order(graphs, &scree__queue_dary, 50, 0);
  queue_order(graphs, &scree__queue_buckets, 50, 50.0 / 128);
  queue_order(graphs, &scree__queue_buckets, 0.5, 0.5 / 128);
  windows(graphs);
  old_entries(graphs);
  bucket_sets(graphs);
  scree_graphs_close(graphs);
  assert_int_equal(scree_close(world), SCREE_OK);
}

HARNESS_MAIN
