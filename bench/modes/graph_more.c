/* graph_more.c - connected components and PageRank on a Kronecker graph.
 *
 * Every variant is interleaved with a serial yardstick on the same graph: union-find over all arcs, and PageRank that
 * pulls the shares of the neighbours. Each variant's first answer is validated; figures are medians of the rounds.
 * Default scale 18, edge factor 16. */
#include <math.h>
#include <scree/cc.h>
#include <scree/pagerank.h>
#include <scree/scree_mpi.h>
#include <stdlib.h>

#include "modes.h"
#include "yardstick/serial.h"

enum { ROUNDS_MAX = 1000, VARIANTS_MAX = 8, ITERATIONS = 20 };

typedef struct {
  bench *b;
  scree_graphs *graphs;
  scree_graph *graph;
  scree_solver *cc;
  scree_solver *pagerank;
  serial_csr csr; /* on rank 0 */
} state;

typedef struct {
  const char *kernel, *name;
  double seconds[ROUNDS_MAX], messages;
  int count;
} line;

static bool check(const state *s, scree_status status, const scree_verdict *verdict, const char *name) {
  if (status == SCREE_OK && verdict->valid) return true;
  if (s->b->rank == 0) fprintf(stderr, "more: %s: %s\n", name, status ? scree_graphs_error(s->graphs) : verdict->text);
  return false;
}

static void add(line *l, const char *kernel, const char *name, double seconds, double messages) {
  l->kernel = kernel;
  l->name = name;
  l->messages = messages;
  l->seconds[l->count++] = seconds;
}

static bool run_cc(state *s, const char *name, line *l) {
  scree_cc_options options = SCREE_CC_OPTIONS_INIT;
  options.algorithm = name;
  scree_answer r;
  scree_verdict verdict = {.valid = true};
  scree_status status = scree_solver_run(s->cc, s->graph, 0, &options, &r);
  if (status) return check(s, status, &verdict, name);
  if (l->count == 0) status = scree_cc_validate(s->graph, r.array[0], &verdict);
  bool good = check(s, status, &verdict, name);
  add(l, "cc", name, r.seconds, (double)r.work.sent);
  scree_answer_free(&r);
  return good;
}

static bool run_pagerank(state *s, const char *name, line *l) {
  scree_pagerank_options options = SCREE_PAGERANK_OPTIONS_INIT;
  options.algorithm = name;
  options.iterations = ITERATIONS;
  scree_answer r;
  scree_verdict verdict = {.valid = true};
  scree_status status = scree_solver_run(s->pagerank, s->graph, 0, &options, &r);
  if (status) return check(s, status, &verdict, name);
  if (l->count == 0)
    status = scree_pagerank_validate(s->graph, r.array[0], SCREE_PAGERANK_DAMPING, r.figure[1], &verdict);
  bool good = check(s, status, &verdict, name);
  add(l, "pagerank", name, r.seconds, (double)r.work.sent);
  scree_answer_free(&r);
  return good;
}

/* ---- the yardsticks: rank 0 computes, the others wait ---- */

static void union_find(const serial_csr *csr, uint32_t *parent) {
  for (uint32_t u = 0; u < csr->n; u++) parent[u] = u;
  for (uint32_t u = 0; u < csr->n; u++)
    for (uint64_t e = csr->offsets[u]; e < csr->offsets[u + 1]; e++) {
      uint32_t a = u, b = csr->targets[e];
      while (parent[a] != parent[b]) {
        uint32_t high = parent[a] > parent[b] ? a : b, low = high == a ? b : a, old = parent[high];
        parent[high] = parent[low];
        if (old == high) break;
        a = old;
        b = low;
      }
    }
  for (uint32_t u = 0; u < csr->n; u++) parent[u] = parent[parent[u]];
}

static void iterate(const serial_csr *csr, double *rank, double *share) {
  double n = (double)csr->n;
  for (uint64_t u = 0; u < csr->n; u++) rank[u] = 1 / n;
  for (int i = 0; i < ITERATIONS; i++) {
    double dangling = 0;
    for (uint64_t u = 0; u < csr->n; u++) {
      uint64_t degree = csr->offsets[u + 1] - csr->offsets[u];
      share[u] = degree ? rank[u] / (double)degree : 0;
      if (!degree) dangling += rank[u];
    }
    for (uint64_t u = 0; u < csr->n; u++) {
      double received = 0;
      for (uint64_t e = csr->offsets[u]; e < csr->offsets[u + 1]; e++) received += share[csr->targets[e]];
      rank[u] = (0.15 + 0.85 * dangling) / n + 0.85 * received;
    }
  }
}

static bool run_serial(state *s, bool is_cc, line *l) {
  double seconds = 0;
  int good = 1;
  if (s->b->rank == 0) {
    uint32_t *parent = malloc((s->csr.n + 1) * sizeof *parent);
    double *rank = malloc((s->csr.n + 1) * sizeof *rank), *share = malloc((s->csr.n + 1) * sizeof *share);
    double start = bench_now();
    good = parent && rank && share;
    if (good && is_cc) union_find(&s->csr, parent);
    if (good && !is_cc) iterate(&s->csr, rank, share);
    seconds = bench_now() - start;
    free(parent);
    free(rank);
    free(share);
  }
  MPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD);
  add(l, is_cc ? "cc" : "pagerank", "serial", seconds, 0);
  return good;
}

/* ---- rows ---- */

static void report(const state *s, line *l, const line *serial, int scale) {
  if (s->b->rank != 0 || l->count == 0) return;
  const double seconds = bench_median(l->seconds, l->count), alone = serial->seconds[serial->count / 2]; /* sorted */
  bench_row(s->b, BENCH_TEXT("kernel", "%-9s", l->kernel), BENCH_TEXT("algorithm", " %-9s", l->name),
            BENCH_CELL("scale", " %5.0f", scale, 1), BENCH_CELL("ranks", NULL, s->b->ranks, 1),
            BENCH_CELL("seconds", " %10.3f", seconds, 1e3), BENCH_CELL("serial_ratio", " %8.2f", alone / seconds, 1),
            BENCH_CELL("sent_per_arc", " %10.3f", l->messages / (double)s->graph->arcs, 1));
}

static bool run_kernel(state *s, bool is_cc, line *lines, int scale) {
  bool good = true;
  for (int round = 0; round < s->b->rounds && good; round++) {
    good = run_serial(s, is_cc, &lines[0]);
    for (size_t i = 0; good && i + 1 < VARIANTS_MAX; i++) {
      const scree_algorithm *a = is_cc ? scree_kernel_variant_at(scree_kernel_find("cc"), i)
                                       : scree_kernel_variant_at(scree_kernel_find("pagerank"), i + 1);
      if (!a) break;
      good = (is_cc ? run_cc : run_pagerank)(s, a->name, &lines[i + 1]);
    }
  }
  for (int i = 0; i < VARIANTS_MAX; i++) report(s, &lines[i], &lines[0], scale);
  return good;
}

static bool run_all(state *s, int scale) {
  static line lines[2][VARIANTS_MAX];
  char spec[32];
  snprintf(spec, sizeof spec, "kron:%d", scale);
  const scree_graph_options options = {.weights = SCREE_WEIGHTS_DROP};
  if (scree_graph_load(s->graphs, spec, &options, &s->graph) || serial_csr_gather(s->graph, &s->csr)) return false;
  if (s->b->rank == 0)
    printf("%-9s %-9s %5s %10s %8s %10s\n", "kernel", "variant", "scale", "ms", "/serial", "sent/arc");
  return run_kernel(s, true, lines[0], scale) && run_kernel(s, false, lines[1], scale);
}

bool bench_graph_more(bench *b) {
  state s = {.b = b};
  scree_world *world;
  if (scree_open_mpi(MPI_COMM_WORLD, NULL, &world) != SCREE_OK) return false;
  bool good = scree_graphs_open(world, &s.graphs) == SCREE_OK &&
              scree_solver_open(s.graphs, scree_kernel_find("cc"), &s.cc) == SCREE_OK &&
              scree_solver_open(s.graphs, scree_kernel_find("pagerank"), &s.pagerank) == SCREE_OK &&
              run_all(&s, b->scale ? b->scale : 18);
  if (!good && b->rank == 0)
    fprintf(stderr, "more: %s\n", s.graphs ? scree_graphs_error(s.graphs) : "cannot open a world");
  serial_csr_free(&s.csr);
  scree_graph_free(s.graph);
  scree_solver_close(s.pagerank);
  scree_solver_close(s.cc);
  scree_graphs_close(s.graphs);
  return scree_close(world) == SCREE_OK && good;
}
