/* unit_tsan_algorithms.c - the variants that run all workers of a rank, under real threads, on small dense graphs with
 * many equal distances: most vertices are offered several at once by all workers, and by progress threads.
 *
 * Distances, and for each vertex its parent, are compared with serial answers; parents must lead to the source. */
#include "harness.h"
#include "kernels.h"
#include "threads_transport.h"

#if defined(__SANITIZE_THREAD__)
enum { TIMES = 12 };
#else
enum { TIMES = 60 };
#endif
enum { VERTICES = 300, EDGES = 1900, GRAPHS = 2 };

typedef struct {
  threads_node node;
  case_graph given[GRAPHS];
  kernel_answers answers[GRAPHS];
} contest;

/* Weights of 0 make paths without length, in circles too. */
static void draw_graph(case_graph *c, double weights) {
  uint64_t state = 7;
  *c = (case_graph){.shape = {.n = VERTICES, .weight = SCREE_WEIGHT_UINT32}};
  for (uint64_t i = 0; i < EDGES; i++) {
    const uint64_t u = case_draw(&state, VERTICES), v = case_draw(&state, VERTICES);
    case_graph_add(c, u, v, (double)case_draw(&state, (uint64_t)weights));
  }
}

static void run_variants(const kernel_try *t) {
  const scree_algorithm *a;
  for (size_t k = 0; kernel_rows[k]; k++)
    for (size_t i = 0; (a = scree_kernel_variant_at(scree_kernel_find(kernel_rows[k]->name), i)) != NULL; i++)
      if (kernel_has_workers(k, i)) kernels_try(t, k, i);
}

static void solve(kernel_layer *layer, contest *c) {
  case_verdict verdict = {0};
  for (uint64_t k = 0; k < GRAPHS; k++) {
    scree_graph *g = case_graph_build(layer->graphs, &c->given[k], 2 + k);
    if (!check(g != NULL)) return;
    for (uint64_t draw = 0; draw < TIMES && harness_failures() == 0; draw++) {
      const kernel_try t = {.layer = layer,
                            .graph = g,
                            .given = &c->given[k],
                            .expected = c->answers[k].value,
                            .draw = draw,
                            .verdict = &verdict};
      run_variants(&t);
      check_text(!verdict.wrong, "graph %d, draw %d: %s", (int)k, (int)draw, verdict.text);
    }
    scree_graph_free(g);
  }
}

static void race(void *context, uint32_t rank) {
  contest *c = context;
  scree_world *world = threads_world(&c->node, rank);
  kernel_layer layer;
  if (!check(world != NULL)) return;
  if (kernels_open(world, &layer)) solve(&layer, c);
  kernels_close(&layer);
  check_equal(scree_close(world), SCREE_OK);
}

static void run(uint32_t ranks, uint32_t threads, uint64_t progress, uint64_t coalesce_bytes) {
  contest *c = calloc(1, sizeof *c);
  scree_options options = SCREE_OPTIONS_INIT;
  options.threads = threads;
  options.progress = progress;
  options.memory = 1 << 20;
  options.coalesce_bytes = coalesce_bytes;
  if (!check(c != NULL)) return;
  draw_graph(&c->given[0], 3);
  draw_graph(&c->given[1], 100);
  for (uint64_t k = 0; k < GRAPHS; k++) check(kernels_solve(&c->given[k], &c->answers[k]));
  if (check(threads_open(&c->node, ranks, &options))) threads_run(ranks, race, c);
  threads_close(&c->node);
  for (uint64_t k = 0; k < GRAPHS; k++) kernels_forget(&c->answers[k]);
  for (uint64_t k = 0; k < GRAPHS; k++) case_graph_free(&c->given[k]);
  free(c);
}

HARNESS_TEST(one_rank) {
  run(1, 1, SCREE_PROGRESS_NONE, 0);
  run(1, 4, SCREE_PROGRESS_NONE, 64);
}

HARNESS_TEST(ranks) {
  run(2, 2, SCREE_PROGRESS_NONE, 0);
  run(2, 3, SCREE_PROGRESS_NONE, 64);
}

HARNESS_TEST(progress_threads) {
  run(2, 1, SCREE_PROGRESS_FULL, 64);
  run(2, 2, SCREE_PROGRESS_FULL, 64);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(one_rank), cmocka_unit_test(ranks),
                                          cmocka_unit_test(progress_threads)};
HARNESS_MAIN(tests)
