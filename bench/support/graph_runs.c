/* graph_runs.c - opens a world of all ranks and one of rank 0 alone, each with the graph; runs and reports all
 * variants. */
#include "graph_runs.h"

#include <math.h>
#include <scree/bfs.h>
#include <scree/scree_mpi.h>
#include <scree/sssp.h>
#include <stdlib.h>
#include <string.h>

#include "yardstick/serial.h"

/* The last of RUNS is timed: the first one sorts rows, touches pages and warms the caches. */
enum { VARIANTS_MAX = 16, RUNS = 2 };

/* A world with the graph in it. */
typedef struct {
  scree_world *world; /* NULL: this rank is not in it */
  scree_graphs *graphs;
  scree_solver *bfs;
  scree_solver *sssp;
  scree_graph *graph;
} graph_world;

typedef struct {
  double inverse; /* sum of 1 / TEPS */
  int runs;
  double sent; /* relaxations, summed */
} rate;

typedef struct {
  serial_scratch scratch;
  uint32_t *level, *parent;
  double *dist;
} yardsticks;

typedef struct {
  bench *b;
  const graph_job *job;
  graph_world alone, all;
  serial_csr csr; /* on rank 0 */
  yardsticks yardsticks;
  bool is_sssp;
  rate serial[2], rates[2][VARIANTS_MAX]; /* rates: of rank 0 alone, of all */
} session;

static double teps(const rate *r) {
  return r->runs ? r->runs / r->inverse : 0;
}

static void add(rate *r, double edges, double seconds, double sent) {
  if (edges == 0) return; /* an isolated source yields no rate */
  r->inverse += seconds / edges;
  r->sent += sent;
  r->runs++;
}

/* ---- worlds ---- */

static bool open_graph_world(graph_world *p, MPI_Comm comm, const graph_job *job) {
  if (scree_open_mpi(comm, NULL, &p->world) != SCREE_OK) return false;
  if (scree_graphs_open(p->world, &p->graphs) != SCREE_OK ||
      scree_solver_open(p->graphs, scree_kernel_find("bfs"), &p->bfs) != SCREE_OK ||
      scree_solver_open(p->graphs, scree_kernel_find("sssp"), &p->sssp) != SCREE_OK)
    return false;
  if (scree_graph_load(p->graphs, job->spec, &job->options, &p->graph) == SCREE_OK) return true;
  fprintf(stderr, "bench: %s\n", scree_graphs_error(p->graphs));
  return false;
}

static void close_graph_world(graph_world *p) {
  if (!p->world) return;
  scree_graph_free(p->graph);
  scree_solver_close(p->sssp);
  scree_solver_close(p->bfs);
  scree_graphs_close(p->graphs);
  scree_close(p->world);
}

/* ---- yardsticks: rank 0 computes, the others sleep ---- */

static bool open_yardsticks(yardsticks *y, const serial_csr *csr) {
  y->level = bench_alloc(csr->n * sizeof *y->level, true);
  y->parent = bench_alloc(csr->n * sizeof *y->parent, true);
  y->dist = bench_alloc(csr->n * sizeof *y->dist, true);
  return serial_scratch_open(&y->scratch, csr) && y->level && y->parent && y->dist;
}

static void close_yardsticks(yardsticks *y) {
  serial_scratch_close(&y->scratch);
  scree_huge_free(y->level);
  scree_huge_free(y->parent);
  scree_huge_free(y->dist);
}

/* In an undirected graph half the arcs of the reached vertices are edges. Self loops are single arcs; their effect is
 * negligible. */
static double edges_of(const session *s, const yardsticks *y) {
  const serial_csr *csr = &s->csr;
  uint64_t arcs = 0;
  for (uint64_t v = 0; v < csr->n; v++)
    if (s->is_sssp ? isfinite(y->dist[v]) : y->level[v] != SERIAL_UNREACHED)
      arcs += csr->offsets[v + 1] - csr->offsets[v];
  return s->alone.graph->directed ? (double)arcs : (double)arcs / 2;
}

static void run_yardsticks(session *s, uint64_t source) {
  yardsticks *y = &s->yardsticks;
  for (int k = 0; k < (s->is_sssp ? 1 : 2); k++) {
    double start = 0;
    for (int run = 0; run < RUNS; run++) {
      start = bench_now();
      if (s->is_sssp)
        serial_heap_dijkstra(&s->csr, &y->scratch, (uint32_t)source, y->dist);
      else if (k == 0)
        serial_bitmap_bfs(&s->csr, &y->scratch, (uint32_t)source, y->level, y->parent);
      else
        serial_queue_bfs(&s->csr, &y->scratch, (uint32_t)source, y->level, y->parent);
    }
    double seconds = bench_now() - start;
    add(&s->serial[k], edges_of(s, y), seconds, 0);
  }
}

/* ---- variants ---- */

/* Chaotic SSSP repeats most of its work and takes as long as all the others together: one run from one source suffices,
 * after the others have warmed what they share. */
static bool is_slow(const scree_algorithm *a) {
  return strcmp(a->name, "chaotic") == 0;
}

static int runs_of(const scree_algorithm *a) {
  return is_slow(a) ? 1 : RUNS;
}

static bool check(const graph_world *p, const scree_verdict *verdict, scree_status status, const char *name) {
  if (status == SCREE_OK && verdict->valid) return true;
  if (scree_graph_rank(p->graph) == 0)
    fprintf(stderr, "bench: %s: %s\n", name, status ? scree_graphs_error(p->graphs) : verdict->text);
  return false;
}

static bool run_bfs(const graph_world *p, const scree_algorithm *a, uint64_t source, bool validates, rate *r) {
  scree_bfs_options options = SCREE_BFS_OPTIONS_INIT;
  options.algorithm = a->name;
  scree_answer answer = {0};
  scree_verdict verdict = {.valid = true};
  uint64_t vertices, edges;
  scree_status status = SCREE_OK;
  for (int run = 0; run < runs_of(a) && status == SCREE_OK; run++) {
    scree_answer_free(&answer);
    status = scree_solver_run(p->bfs, p->graph, source, &options, &answer);
  }
  if (status != SCREE_OK) return check(p, &verdict, status, a->name);
  if (validates) status = scree_bfs_validate(p->graph, source, answer.array[0], answer.array[1], &verdict);
  if (status == SCREE_OK) status = scree_graph_traversed(p->graph, NULL, answer.array[0], &vertices, &edges);
  bool good = check(p, &verdict, status, a->name);
  if (good) add(r, (double)edges, answer.seconds, (double)(answer.work.sent + answer.work.direct));
  scree_answer_free(&answer);
  return good;
}

static bool run_sssp(const graph_world *p, const scree_algorithm *a, uint64_t source, bool validates, rate *r) {
  scree_sssp_options options = SCREE_SSSP_OPTIONS_INIT;
  options.algorithm = a->name;
  scree_answer answer = {0};
  scree_verdict verdict = {.valid = true};
  uint64_t vertices, edges;
  scree_status status = SCREE_OK;
  for (int run = 0; run < runs_of(a) && status == SCREE_OK; run++) {
    scree_answer_free(&answer);
    status = scree_solver_run(p->sssp, p->graph, source, &options, &answer);
  }
  if (status != SCREE_OK) return check(p, &verdict, status, a->name);
  if (validates) status = scree_sssp_validate(p->graph, source, answer.array[0], &verdict);
  if (status == SCREE_OK) status = scree_graph_traversed(p->graph, answer.array[0], NULL, &vertices, &edges);
  bool good = check(p, &verdict, status, a->name);
  if (good) add(r, (double)edges, answer.seconds, (double)(answer.work.sent + answer.work.direct));
  scree_answer_free(&answer);
  return good;
}

static const scree_algorithm *variant(const session *s, size_t i) {
  return s->is_sssp ? scree_kernel_variant_at(scree_kernel_find("sssp"), i)
                    : scree_kernel_variant_at(scree_kernel_find("bfs"), i);
}

static bool run_variants(session *s, const graph_world *p, int index, uint64_t source, rate *rates) {
  bool good = true;
  const scree_algorithm *a;
  for (size_t v = 0; good && v < VARIANTS_MAX && (a = variant(s, v)); v++)
    if (index == 0 || !is_slow(a))
      good = (s->is_sssp ? run_sssp : run_bfs)(p, a, source, index == 0 || s->job->validates_all, &rates[v]);
  return good;
}

typedef struct {
  session *s;
  int index;
  uint64_t source;
} alone_args;

static bool run_alone(bench *b, void *arg) {
  alone_args *t = arg;
  (void)b;
  run_yardsticks(t->s, t->source);
  return run_variants(t->s, &t->s->alone, t->index, t->source, t->s->rates[0]);
}

static bool run_source(session *s, int index) {
  alone_args t = {s, index, 0};
  if (scree_graph_random_source(s->all.graph, (uint64_t)index + 1, &t.source) != SCREE_OK) return false;
  return bench_on_ranks(s->b, 1, run_alone, &t) && bench_all(run_variants(s, &s->all, index, t.source, s->rates[1]));
}

/* ---- rows ---- */

void graph_runs_head(const bench *b) {
  if (b->rank == 0)
    printf("%-12s %-5s %-16s %-7s %9s %9s %7s %8s %9s %8s\n", "", "", "", "weights", "1 rank", "all", "all/1",
           "/serial", "relax/arc", "sources");
}

static void row(const session *s, const char *name, const rate *one, const rate *all) {
  double alone = teps(one), together = teps(all), serial = teps(&s->serial[0]);
  double relaxations = all->runs ? all->sent / all->runs / (double)s->all.graph->arcs : 0;
  bench_row(s->b, BENCH_TEXT("graph", "%-12s", s->job->name),
            BENCH_TEXT("kernel", " %-5s", s->is_sssp ? "sssp" : "bfs"), BENCH_TEXT("algorithm", " %-16s", name),
            BENCH_TEXT("weights", " %-7s", s->is_sssp ? s->job->weights : "-"),
            BENCH_CELL("ranks", NULL, s->b->ranks, 1), BENCH_CELL("teps_1_rank", " %9.2f", alone, 1e-6),
            BENCH_CELL("teps", " %9.2f", together, 1e-6), BENCH_CELL(NULL, " %7.2f", together / alone, 1),
            BENCH_CELL("serial_ratio", " %8.2f", together / serial, 1),
            BENCH_CELL("made_per_arc", " %9.3f", relaxations, 1), BENCH_CELL("sources", " %8.0f", all->runs, 1));
}

static bool run_kernel(session *s, bool is_sssp) {
  s->is_sssp = is_sssp;
  bool good = true;
  memset(s->serial, 0, sizeof s->serial);
  memset(s->rates, 0, sizeof s->rates);
  for (int index = 0; good && index < s->job->sources; index++) good = run_source(s, index);
  for (size_t v = 0; good && v < VARIANTS_MAX && variant(s, v); v++)
    row(s, variant(s, v)->name, &s->rates[0][v], &s->rates[1][v]);
  if (good) row(s, is_sssp ? "(serial Dijkstra)" : "(serial BFS)", &s->serial[0], &s->serial[0]);
  if (good && !is_sssp) row(s, "(textbook BFS)", &s->serial[1], &s->serial[1]);
  return good;
}

bool graph_runs(bench *b, const graph_job *job) {
  session s = {.b = b, .job = job};
  bool good = bench_all(open_graph_world(&s.all, MPI_COMM_WORLD, job));
  if (good && b->rank == 0)
    good = open_graph_world(&s.alone, MPI_COMM_SELF, job) && serial_csr_gather(s.alone.graph, &s.csr) == SCREE_OK &&
           open_yardsticks(&s.yardsticks, &s.csr);
  good = bench_all(good);
  if (good && job->bfs) good = run_kernel(&s, false);
  if (good && job->sssp) good = run_kernel(&s, true);
  close_yardsticks(&s.yardsticks);
  serial_csr_free(&s.csr);
  close_graph_world(&s.alone);
  close_graph_world(&s.all);
  return good;
}
