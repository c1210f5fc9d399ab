/* mpi_kernels.c - all kernels over real ranks, against serial and published answers: tiny and huge blocks, chaos,
 * workers.
 *
 * The same drawn graphs as in the simulator, and a Kronecker graph that is large enough to keep ranks busy; a program
 * with communicators of its own: each half of the ranks has a world, with two graphs that live at once, beside a world
 * of all ranks. */
#include <limits.h>
#include <sys/resource.h>

#include "generate/kron.h"
#include "harness.h"
#include "kernels.h"
#include "published.h"
#include "ranks.h"
#include "setting.h"

#define TINY_CHAOS(seed) .coalesce_bytes = 64, .test_pool_blocks = 2, .batch_max = 7, .chaos = (seed)
#define ONE_MESSAGE      .coalesce_bytes = 1, .test_pool_blocks = 1, .batch_max = 3
#define MPI              .transport = SCREE_TRANSPORT_MPI

/* Ranks that outnumber few cores take most of the time: of the settings they usually have those of chaos. */
static void skip_if_slow(const setting *s) {
  if (harness_ranks > 2 && !harness_full() && !s->chaos) harness_skip("on more than 2 ranks, but for --full");
}

/* ---- drawn graphs ---- */

/* Each setting has graphs of its own. */
static void drawn_graphs(void **state) {
  const setting *s = *state;
  skip_if_slow(s);
  const uint64_t own = 16 * (s->coalesce_bytes + s->chaos) + 4 * s->transport + s->threads;
  scree_world *world = setting_open(s);
  kernel_layer layer;
  if (!world) return;
  const uint64_t seeds = harness_full() ? 20 : 1; /* sim_property draws many */
  bool ready = kernels_open(world, &layer);
  for (uint64_t seed = 1; ready && seed <= seeds; seed++) kernels_run_pair(&layer, 1000 * seed + own);
  kernels_close(&layer);
  check_equal(scree_close(world), SCREE_OK);
}

/* ---- Kronecker graphs ---- */

typedef struct {
  case_graph given;
  kernel_answers answers;
} known;

static void kron(known *k, const char *spec) {
  scree__kron kron;
  char why[200];
  *k = (known){.given = {.shape = {.weight = SCREE_WEIGHT_FLOAT}, .source = SCREE_NO_VERTEX}};
  check(scree__kron_parse(&kron, spec, why, sizeof why));
  k->given.shape.n = UINT64_C(1) << kron.scale;
  for (uint64_t i = 0; i < kron.edge_factor << kron.scale; i++) {
    uint64_t u, v;
    float w;
    scree__kron_edge(&kron, i, &u, &v, &w);
    case_graph_add(&k->given, u, v, (double)w);
  }
  k->given.source = k->given.edges[0].u;
  check(kernels_solve(&k->given, &k->answers));
}

static void forget(known *k) {
  kernels_forget(&k->answers);
  case_graph_free(&k->given);
}

static void run_known(kernel_layer *layer, const known *k, const scree_graph *g, uint64_t draw) {
  case_verdict verdict = {0};
  const kernel_try t = {.layer = layer,
                        .graph = g,
                        .given = &k->given,
                        .source = k->given.source,
                        .draw = draw,
                        .defaults = true,
                        .expected = k->answers.value,
                        .verdict = &verdict};
  kernels_try_all(&t);
  check_text(!verdict.wrong, "%u ranks: %s", scree_graphs_worker(layer->graphs)->ranks, verdict.text);
}

static void kronecker(void **state) {
  const setting *s = *state;
  scree_world *world = setting_open(s);
  const bool scarce = s->test_pool_blocks != 0; /* pools of two small blocks: most of the time is waiting for them */
  const bool slow = harness_ranks > 2 && !harness_full();
  const bool large = harness_full() || (harness_ranks == 2 && !s->coalesce_bytes && !s->progress && !s->route);
  const char *const spec = scarce || slow ? "8" : large ? "11" : "9";
  char graph[16];
  snprintf(graph, sizeof graph, "kron:%s", spec);
  kernel_layer layer;
  known k;
  if (!world) return;
  kron(&k, spec);
  if (kernels_open(world, &layer)) {
    scree_graph *g = NULL; /* each rank generates a part */
    if (check_equal(scree_graph_load(layer.graphs, graph, NULL, &g), SCREE_OK)) run_known(&layer, &k, g, 2);
    scree_graph_free(g);
  }
  kernels_close(&layer);
  forget(&k);
  check_equal(scree_close(world), SCREE_OK);
}

/* ---- page faults ---- */

/* Of this process, by a run of the default variant, from one source where the kernel may take all; -1: it failed. */
static long faults_of_a_run(const kernel_layer *layer, const scree_graph *g, size_t k) {
  const scree_kernel *kernel = scree_kernel_find(kernel_rows[k]->name);
  _Alignas(scree_kernel_options) char how[512], why[300];
  struct rusage before, after;
  scree_answer answer = {0};
  scree_kernel_options_init(kernel, how);
  if (scree_kernel_option_find(kernel, SIZE_MAX, "sources"))
    check_equal(scree_kernel_options_set(kernel, how, "sources", "1", why, sizeof why), 0);
  getrusage(RUSAGE_SELF, &before);
  if (!check_equal(scree_solver_run(layer->solver[k], g, 1, how, &answer), SCREE_OK)) return -1;
  scree_answer_free(&answer);
  getrusage(RUSAGE_SELF, &after);
  return after.ru_minflt - before.ru_minflt;
}

/* Its arrays have more than 100 pages, which the runs after the first one find as they were left. Blocks have at most
 * 64, since under load more of them are in flight than before; the least of three runs, since the arrays of the kernel
 * before are replaced one by one. */
HARNESS_TEST(memory_kept_between_runs) {
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
  harness_skip("the sanitizer's shadow of memory faults too");
#endif
  if (harness_ranks > 2) harness_skip("on more ranks the arrays are too small");
  scree_world *world = setting_open(&(setting){.memory = 1 << 18});
  kernel_layer layer;
  if (!world) return;
  scree_graph *g = NULL;
  const bool ready =
      kernels_open(world, &layer) && check_equal(scree_graph_load(layer.graphs, "kron:17,2", NULL, &g), SCREE_OK);
  for (size_t k = 0; ready && kernel_rows[k]; k++) {
    long least = faults_of_a_run(&layer, g, k) < 0 ? -1 : LONG_MAX;
    for (int run = 1; run <= 3 && least >= 0; run++) {
      const long faults = faults_of_a_run(&layer, g, k);
      if (faults < least) least = faults;
    }
    check_text(least < 100, "%s: %ld page faults in a run after the first one", kernel_rows[k]->name, least);
  }
  scree_graph_free(g);
  kernels_close(&layer);
  check_equal(scree_close(world), SCREE_OK);
}

/* ---- two worlds ---- */

typedef struct {
  scree_world *world;
  kernel_layer layer;
  scree_graph *graphs[2];
} part;

static bool open_part(part *p, MPI_Comm comm, known *graphs) {
  bool ready = check_equal(scree_open_mpi(comm, NULL, &p->world), SCREE_OK) && kernels_open(p->world, &p->layer);
  for (int i = 0; i < 2 && ready; i++)
    ready = check((p->graphs[i] = case_graph_build(p->layer.graphs, &graphs[i].given, 2)) != NULL);
  return ready;
}

static void close_part(part *p) {
  for (int i = 0; i < 2; i++) scree_graph_free(p->graphs[i]);
  kernels_close(&p->layer);
  check_equal(scree_close(p->world), SCREE_OK);
}

HARNESS_TEST(two_worlds) {
  part all = {0}, half = {0};
  known graphs[2];
  MPI_Comm comm;
  if (ranks_are_local) harness_skip(HARNESS_NO_MPI);
  kron(&graphs[0], "8,4,3");
  kron(&graphs[1], "9,8,5");
  MPI_Comm_split(MPI_COMM_WORLD, harness_rank % 2, -harness_rank, &comm);
  bool ready = open_part(&all, MPI_COMM_WORLD, graphs);
  ready = open_part(&half, comm, graphs) && ready;
  for (uint64_t i = 0; i < 3 && harness_all(ready); i++) { /* one graph twice */
    run_known(&half.layer, &graphs[i % 2], half.graphs[i % 2], i);
    run_known(&all.layer, &graphs[i % 2], all.graphs[i % 2], i);
  }
  close_part(&half);
  close_part(&all);
  forget(&graphs[0]);
  forget(&graphs[1]);
  MPI_Comm_free(&comm);
}

/* ---- published answers ---- */

static void published_answers(void **state) {
  const char *missing = published_find();
  if (missing) harness_skip(missing);
  if (harness_ranks != 2 && !harness_full()) harness_skip("on 2 ranks, but for --full");
  scree_world *world = setting_open(*state);
  if (!world) return;
  published_run(world);
  check_equal(scree_close(world), SCREE_OK);
}

/* A test for each function and setting. */
#define TEST(name, fn, ...)                                                                                            \
  {                                                                                                                    \
    name, fn, NULL, NULL, &(setting) {                                                                                 \
      __VA_ARGS__                                                                                                      \
    }                                                                                                                  \
  }
static const struct CMUnitTest tests[] = {
    TEST("drawn_graphs", drawn_graphs, .name = NULL),
    TEST("drawn_graphs_one_message_blocks", drawn_graphs, .name = NULL, ONE_MESSAGE),
    TEST("drawn_graphs_chaos", drawn_graphs, .name = NULL, TINY_CHAOS(20261121)),
    TEST("drawn_graphs_huge_blocks", drawn_graphs, .name = NULL, .coalesce_bytes = 1 << 20),
    TEST("drawn_graphs_workers", drawn_graphs, .name = NULL, .coalesce_bytes = 64, .test_pool_blocks = 2,
         .batch_max = 7, .threads = 3),
    TEST("drawn_graphs_mpi", drawn_graphs, .name = NULL, MPI),
    TEST("drawn_graphs_mpi_one_message_blocks", drawn_graphs, .name = NULL, MPI, ONE_MESSAGE),
    TEST("drawn_graphs_mpi_workers_chaos", drawn_graphs, .name = NULL, MPI, TINY_CHAOS(20261121), .threads = 2),
    TEST("drawn_graphs_mpi_routed_chaos", drawn_graphs, .name = NULL, MPI, TINY_CHAOS(20261123),
         .route = SCREE_ROUTE_DISSEMINATION),
    TEST("kronecker", kronecker, .name = NULL),
    TEST("kronecker_huge_blocks", kronecker, .name = NULL, .coalesce_bytes = 1 << 20),
    TEST("kronecker_workers", kronecker, .name = NULL, .coalesce_bytes = 64, .test_pool_blocks = 2, .batch_max = 7,
         .threads = 3),
    TEST("kronecker_mpi", kronecker, .name = NULL, MPI),
    TEST("kronecker_routed", kronecker, .name = NULL, .route = SCREE_ROUTE_ROOK),
    TEST("kronecker_progress_thread", kronecker, .name = NULL, .progress = SCREE_PROGRESS_FULL),
    TEST("kronecker_mpi_progress_thread", kronecker, .name = NULL, MPI, .coalesce_bytes = 256, .threads = 2,
         .progress = SCREE_PROGRESS_FULL),
    TEST("published", published_answers, .name = NULL),
};

int main(int argc, char **argv) {
  HARNESS_ADD(tests);
  harness_level = MPI_THREAD_SERIALIZED;
  return harness__mpi_main(argc, argv);
}
