/* graph_regret.c - how far the default of SSSP, and of BFS, is from the best variant of each on many families of graphs.
 *
 * The variants are interleaved; times are medians of the rounds, each rank's slowest; every variant's first answer is
 * validated. Relaxations are those that were made, per arc of a reached vertex. --scale: log2 of the vertices of most
 * graphs, default 18. After `--`: the families to run (default all) and graph files. With SCREE_BENCH_LOAD=1 a thread of rank 0 takes time of one
 * core all the while. */
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <scree/kernel.h>
#include <scree/scree_mpi.h>
#include <stdlib.h>
#include <string.h>

#include "modes.h"
#include "regret_graphs.h"

enum { VARIANTS_MAX = 12, ROUNDS_MAX = 64, MUCH_SLOWER = 8 };
static const double JUDGED = 0.01; /* seconds: shorter runs are not judged by their time */

typedef struct {
  const char *name;
  double seconds[ROUNDS_MAX], median, relaxations; /* relaxations: per arc of a reached vertex, the most of any run */
  int runs;
} column;

typedef struct {
  double value;
  char where[160];
} extreme;

typedef struct {
  bench *b;
  scree_graphs *graphs;
  const scree_kernel *kernel;
  scree_solver *solver;
  const scree_graph *graph;
  const char *family, *weights;
  double arcs; /* of reached vertices */
  column columns[VARIANTS_MAX];
  size_t count;
  extreme regret[2], relaxations[2]; /* of SSSP, of BFS */
} state;

/* ---- a load that is not ours ---- */

static void *spin(void *unused) {
  cpu_set_t all, first;
  CPU_ZERO(&first);
  sched_getaffinity(0, sizeof all, &all);
  for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&first) == 0; i++)
    if (CPU_ISSET(i, &all)) CPU_SET(i, &first);
  pthread_setaffinity_np(pthread_self(), sizeof first, &first);
  for (volatile uint64_t turns = 0;; turns++) {
  }
  return unused;
}

static void start_load(const bench *b) {
  pthread_t thread;
  if (b->rank == 0 && getenv("SCREE_BENCH_LOAD") && pthread_create(&thread, NULL, spin, NULL) == 0)
    pthread_detach(thread);
}

/* ---- one run ---- */

static scree_status check(state *s, uint64_t source, const void *options, const scree_answer *a) {
  scree_verdict verdict;
  uint64_t vertices, edges = 0;
  const bool levels = s->kernel->arrays[0].kind == SCREE_VALUE_LEVEL;
  scree_status status = scree_solver_validate(s->solver, s->graph, source, options, a, &verdict);
  if (status == SCREE_OK && !verdict.valid) {
    if (s->b->rank == 0) fprintf(stderr, "regret: %s, %s, %s: %s\n", s->family, s->weights, a->algorithm, verdict.text);
    return SCREE_EINVAL;
  }
  if (status == SCREE_OK)
    status =
        scree_graph_traversed(s->graph, levels ? NULL : a->array[0], levels ? a->array[0] : NULL, &vertices, &edges);
  s->arcs = fmax(1, (s->graph->directed ? 1.0 : 2.0) * (double)edges);
  return status;
}

static bool run(state *s, size_t variant, uint64_t source, column *c) {
  union {
    scree_kernel_options head;
    char bytes[512];
  } options;
  scree_answer a;
  scree_kernel_options_init(s->kernel, &options);
  options.head.algorithm = c->name = scree_kernel_variant_at(s->kernel, variant)->name;
  scree_status status = scree_solver_run(s->solver, s->graph, source, &options, &a);
  if (status == SCREE_OK && c->runs == 0) status = check(s, source, &options, &a);
  if (status != SCREE_OK) {
    if (s->b->rank == 0) fprintf(stderr, "regret: %s: %s\n", c->name, scree_graphs_error(s->graphs));
    return false;
  }
  c->seconds[c->runs++] = a.seconds;
  c->relaxations = fmax(c->relaxations, (double)(a.work.sent + a.work.direct) / s->arcs);
  scree_answer_free(&a);
  return true;
}

/* The first round is a warm-up; a variant that is much slower than the default is not run again. */
static bool run_rounds(state *s, uint64_t source) {
  memset(s->columns, 0, sizeof s->columns);
  for (int round = 0; round <= s->b->rounds && round < ROUNDS_MAX; round++) {
    s->count = 0;
    for (size_t i = 0; scree_kernel_variant_at(s->kernel, i) && s->count < VARIANTS_MAX; i++) {
      column *c = &s->columns[s->count];
      if (!scree_kernel_variant_tuned(s->kernel, i)) continue;
      s->count++;
      if (round && c->seconds[0] > MUCH_SLOWER * s->columns[0].seconds[0]) continue;
      if (!run(s, i, source, c)) return false;
    }
  }
  return true;
}

/* ---- rows ---- */

static void keep_extreme(const state *s, extreme *e, double value) {
  if (!(value > e->value)) return;
  e->value = value;
  snprintf(e->where, sizeof e->where, "%s, weights %s", s->family, s->weights);
}

static void record(const state *s, const column *best) {
  cJSON *r = bench_record(s->b), *seconds = cJSON_CreateObject();
  cJSON_AddStringToObject(r, "kernel", s->kernel->name);
  cJSON_AddStringToObject(r, "family", s->family);
  cJSON_AddStringToObject(r, "weights", s->weights);
  cJSON_AddNumberToObject(r, "ranks", s->b->ranks);
  cJSON_AddStringToObject(r, "best", best->name);
  cJSON_AddNumberToObject(r, "regret", s->columns[0].median / best->median);
  cJSON_AddNumberToObject(r, "relaxations_per_arc", s->columns[0].relaxations);
  for (size_t i = 0; i < s->count; i++) cJSON_AddNumberToObject(seconds, s->columns[i].name, s->columns[i].median);
  cJSON_AddItemToObject(r, "seconds", seconds);
}

static void report(state *s) {
  const column *best = s->columns, *def = s->columns;
  if (s->b->rank != 0) return;
  for (size_t i = 0; i < s->count; i++) {
    column *c = &s->columns[i];
    c->median = c->runs > 1 ? bench_median(c->seconds + 1, c->runs - 1) : c->seconds[0];
    if (c->median < best->median) best = c;
  }
  printf("%-4s %-12s %-12s %9.2f %-9s %9.2f %7.2f %9.2f ", s->kernel->name, s->family, s->weights, 1e3 * def->median,
         best->name, 1e3 * best->median, def->median / best->median, def->relaxations);
  for (size_t i = 1; i < s->count; i++) printf(" %s %.2f", s->columns[i].name, 1e3 * s->columns[i].median);
  printf("\n");
  fflush(stdout);
  const bool bfs = !s->kernel->weights;
  if (def->median > JUDGED) keep_extreme(s, &s->regret[bfs], def->median / best->median);
  keep_extreme(s, &s->relaxations[bfs], def->relaxations);
  record(s, best);
}

static void head(const bench *b) {
  if (b->rank == 0)
    printf("%-4s %-12s %-12s %9s %-9s %9s %7s %9s  %s\n", "", "graph", "weights", "default", "best", "ms", "ratio",
           "relax/arc", "the others, ms");
}

static void report_worst(const state *s) {
  if (s->b->rank != 0) return;
  for (int bfs = 0; bfs < 2; bfs++) {
    printf("%s: default over best, of runs over 10 ms, at most %.2f (%s)", bfs ? "bfs" : "sssp", s->regret[bfs].value,
           s->regret[bfs].where);
    printf("; relaxations per reached arc at most %.2f (%s)\n", s->relaxations[bfs].value, s->relaxations[bfs].where);
  }
}

/* ---- all of them ---- */

static bool run_graph(state *s, scree_solver *const solvers[2], bool with_bfs) {
  uint64_t source;
  if (scree_graph_random_source(s->graph, 1, &source) != SCREE_OK) return false;
  for (int bfs = 0; bfs <= with_bfs; bfs++) {
    s->kernel = scree_kernel_find(bfs ? "bfs" : "sssp");
    s->solver = solvers[bfs];
    if (!run_rounds(s, source)) return false;
    report(s);
  }
  return true;
}

static bool run_family(state *s, scree_solver *const solvers[2], size_t i, size_t k, int scale) {
  scree_graph *graph;
  if (regret_graph(s->graphs, i, k, scale, &graph) != SCREE_OK) return false;
  s->graph = graph;
  s->family = regret_family_at(i);
  s->weights = regret_weights_at(k);
  const bool good = run_graph(s, solvers, k == 0);
  scree_graph_free(graph);
  return good;
}

static bool run_file(state *s, scree_solver *const solvers[2], const char *file) {
  scree_graph *graph;
  const scree_graph_options options = {0};
  if (scree_graph_load(s->graphs, file, &options, &graph) != SCREE_OK) return false;
  s->graph = graph;
  s->family = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
  s->weights = "its own";
  const bool good = run_graph(s, solvers, true);
  scree_graph_free(graph);
  return good;
}

static bool is_family(const char *name) {
  for (size_t i = 0; regret_family_at(i); i++)
    if (!strcmp(name, regret_family_at(i))) return true;
  return false;
}

/* Named, or none is named. */
static bool is_wanted(char *const names[], const char *family) {
  bool any = false;
  for (; *names; names++) {
    if (!strcmp(*names, family)) return true;
    any |= is_family(*names);
  }
  return !any;
}

static bool run_all(state *s, scree_solver *const solvers[2], char *const names[]) {
  const int scale = s->b->scale ? s->b->scale : 18;
  head(s->b);
  for (size_t i = 0; regret_family_at(i); i++)
    for (size_t k = 0; is_wanted(names, regret_family_at(i)) && regret_weights_at(k); k++)
      if (!run_family(s, solvers, i, k, scale < 8 ? 8 : scale)) return false;
  for (; *names; names++)
    if (!is_family(*names) && !run_file(s, solvers, *names)) return false;
  report_worst(s);
  return true;
}

bool bench_graph_regret(bench *b) {
  static state s;
  scree_world *world;
  scree_solver *solvers[2] = {NULL, NULL};
  s.b = b;
  start_load(b);
  if (scree_open_mpi(MPI_COMM_WORLD, NULL, &world) != SCREE_OK) return false;
  bool good = scree_graphs_open(world, &s.graphs) == SCREE_OK &&
              scree_solver_open(s.graphs, scree_kernel_find("sssp"), &solvers[0]) == SCREE_OK &&
              scree_solver_open(s.graphs, scree_kernel_find("bfs"), &solvers[1]) == SCREE_OK &&
              run_all(&s, solvers, b->rest);
  if (!good && b->rank == 0)
    fprintf(stderr, "regret: %s\n", s.graphs ? scree_graphs_error(s.graphs) : "cannot open a world");
  scree_solver_close(solvers[0]);
  scree_solver_close(solvers[1]);
  scree_graphs_close(s.graphs);
  return scree_close(world) == SCREE_OK && good;
}
