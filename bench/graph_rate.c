/* graph_rate.c - traversed edges a second of every BFS and SSSP variant on a Kronecker graph.
 *
 * Room: the variants in turns with the serial yardsticks (queue BFS, binary-heap Dijkstra; one rank, the same graph),
 * from the same sources, every answer validated; harmonic means over the sources, as the Graph500 specification has
 * it. Default scale 18, edge factor 16. */
#include <math.h>
#include <scree/bfs.h>
#include <scree/scree_mpi.h>
#include <scree/sssp.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "graph/serial.h"

enum { MOST_VARIANTS = 16, USUAL_SOURCES = 8, FULL_SOURCES = 64, SLOW_SOURCES = 2 };

typedef struct {
  bench *b;
  scree_graphs *graphs;
  scree_bfs *bfs;
  scree_sssp *sssp;
  scree_graph *graph;
  scree__csr csr; /* on rank 0 */
  const char *weights;
  bool is_sssp;
  int sources;
} state;

typedef struct {
  const char *name;
  double inverse; /* sum of 1 / TEPS */
  double sent;    /* relaxations, summed */
  int runs;
} line;

/* Chaotic SSSP repeats most of its work: fewer sources say enough. */
static bool is_slow(const char *name) {
  return !strcmp(name, "chaotic");
}

static void add(line *l, const char *name, double edges, double seconds, double sent) {
  l->name = name;
  l->inverse += seconds / edges;
  l->sent += sent;
  l->runs++;
}

static double teps(const line *l) {
  return l->runs / l->inverse;
}

static bool check(state *s, const scree_verdict *verdict, scree_status status, const char *name) {
  if (status == SCREE_OK && verdict->valid) return true;
  if (s->b->rank == 0)
    fprintf(stderr, "graph_rate: %s: %s\n", name, status ? scree_graphs_error(s->graphs) : verdict->text);
  return false;
}

static bool run_bfs(state *s, const scree_algorithm *a, uint64_t source, line *l) {
  scree_bfs_options options = {.algorithm = a->name};
  scree_bfs_result *r;
  scree_verdict verdict = {.valid = true};
  uint64_t vertices, edges;
  scree_status status = scree_bfs_run(s->bfs, s->graph, source, &options, &r);
  if (status != SCREE_OK) return check(s, &verdict, status, a->name);
  status = scree_validate_bfs(s->graph, source, r->level, r->parent, &verdict);
  if (status == SCREE_OK) status = scree_graph_traversed(s->graph, NULL, r->level, &vertices, &edges);
  bool good = check(s, &verdict, status, a->name);
  if (good) add(l, a->name, (double)edges, r->seconds, (double)r->work.sent);
  scree_bfs_free(r);
  return good;
}

static bool run_sssp(state *s, const scree_algorithm *a, uint64_t source, line *l) {
  scree_sssp_options options = {.algorithm = a->name};
  scree_sssp_result *r;
  scree_verdict verdict = {.valid = true};
  uint64_t vertices, edges;
  scree_status status = scree_sssp_run(s->sssp, s->graph, source, &options, &r);
  if (status != SCREE_OK) return check(s, &verdict, status, a->name);
  status = scree_validate_sssp(s->graph, source, r->distance, &verdict);
  if (status == SCREE_OK) status = scree_graph_traversed(s->graph, r->distance, NULL, &vertices, &edges);
  bool good = check(s, &verdict, status, a->name);
  if (good) add(l, a->name, (double)edges, r->seconds, (double)r->work.sent);
  scree_sssp_free(r);
  return good;
}

/* Rank 0 works, the others wait. The edges are counted as scree_graph_traversed does: half the arcs of what was
 * reached, so the self loops of the graph, which are single arcs, make no difference that shows. */
static bool run_serial(state *s, uint64_t source, line *l) {
  const scree__csr *csr = &s->csr;
  double seconds = 1, edges = 1;
  int good = 1;
  if (s->b->rank == 0) {
    uint32_t *level = malloc(csr->n * sizeof *level), *parent = malloc(csr->n * sizeof *parent);
    double *dist = malloc(csr->n * sizeof *dist), arcs = 0;
    double start = bench_now();
    good = level && parent && dist &&
           (s->is_sssp ? scree__serial_dijkstra(csr, (uint32_t)source, dist)
                       : scree__serial_bfs(csr, (uint32_t)source, level, parent));
    seconds = bench_now() - start;
    for (uint64_t v = 0; good && v < csr->n; v++)
      if (s->is_sssp ? isfinite(dist[v]) : level[v] != SCREE__UNREACHED)
        arcs += (double)(csr->offsets[v + 1] - csr->offsets[v]);
    edges = arcs / 2;
    free(level);
    free(parent);
    free(dist);
  }
  MPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (good) add(l, "serial", edges, seconds, 0);
  return good;
}

static const scree_algorithm *variant(const state *s, size_t i) {
  return s->is_sssp ? scree_sssp_algorithm_at(i) : scree_bfs_algorithm_at(i);
}

static void report(state *s, const line *l, const line *serial, int scale) {
  if (s->b->rank != 0 || l->runs == 0) return;
  const char *kernel = s->is_sssp ? "sssp" : "bfs", *weights = s->is_sssp ? s->weights : "-";
  double ratio = teps(l) / teps(serial), sent = l->sent / l->runs / (double)s->graph->arcs;
  printf("%-5s %-8s %-7s %5d %8.2f %8.2f %10.2f %8d\n", kernel, l->name, weights, scale, teps(l) / 1e6, ratio, sent,
         l->runs);
  fflush(stdout);
  cJSON *record = bench_record(s->b);
  cJSON_AddStringToObject(record, "kernel", kernel);
  cJSON_AddStringToObject(record, "algorithm", l->name);
  cJSON_AddStringToObject(record, "weights", weights);
  cJSON_AddNumberToObject(record, "scale", scale);
  cJSON_AddNumberToObject(record, "ranks", s->b->ranks);
  cJSON_AddNumberToObject(record, "teps", teps(l));
  cJSON_AddNumberToObject(record, "serial_ratio", ratio);
  cJSON_AddNumberToObject(record, "sent_per_arc", sent);
  cJSON_AddNumberToObject(record, "sources", l->runs);
}

/* Every variant and the yardstick from one source, then from the next: drift hits all alike. */
static bool run_kernel(state *s, bool is_sssp, int scale) {
  line lines[MOST_VARIANTS] = {{.name = NULL}}, serial = {.name = "serial"};
  s->is_sssp = is_sssp;
  for (int i = 0; i < s->sources; i++) {
    uint64_t source;
    if (scree_graph_random_source(s->graph, (uint64_t)i + 1, &source) != SCREE_OK) return false;
    if (!run_serial(s, source, &serial)) return false;
    const scree_algorithm *a;
    for (size_t v = 0; v < MOST_VARIANTS && (a = variant(s, v)); v++) {
      if (is_slow(a->name) && i >= SLOW_SOURCES) continue;
      if (!(is_sssp ? run_sssp : run_bfs)(s, a, source, &lines[v])) return false;
    }
  }
  for (size_t v = 0; v < MOST_VARIANTS; v++) report(s, &lines[v], &serial, scale);
  report(s, &serial, &serial, scale);
  return true;
}

static bool load(state *s, int scale, bool integers) {
  char spec[32];
  scree_graph_options options = {0};
  if (integers) {
    options.weights = SCREE_WEIGHTS_RANDOM_INT;
    options.lo = 1;
    options.hi = 100;
  }
  s->weights = integers ? "1..100" : "float";
  snprintf(spec, sizeof spec, "kron:%d", scale);
  return scree_graph_load(s->graphs, spec, &options, &s->graph) == SCREE_OK &&
         scree__csr_gather(s->graph, &s->csr) == SCREE_OK;
}

static void unload(state *s) {
  scree__csr_free(&s->csr);
  scree_graph_free(s->graph);
}

static bool run_all(state *s, int scale) {
  bool good = load(s, scale, false);
  good = good && run_kernel(s, false, scale) && run_kernel(s, true, scale);
  if (good) unload(s);
  good = good && load(s, scale, true) && run_kernel(s, true, scale);
  if (good) unload(s);
  return good;
}

int main(int argc, char **argv) {
  bench b;
  if (!bench_start(&b, argc, argv, "graph_rate",
                   "BFS and SSSP on a Kronecker graph against serial yardsticks; --scale: "
                   "log2 of the vertices, default 18"))
    return bench_finish(&b, 2);
  state s = {.b = &b, .sources = b.full ? FULL_SOURCES : USUAL_SOURCES};
  scree_world *world;
  if (scree_open_mpi(MPI_COMM_WORLD, NULL, &world) != SCREE_OK) return bench_finish(&b, 1);
  bool good = scree_graphs_open(world, &s.graphs) == SCREE_OK && scree_bfs_open(s.graphs, &s.bfs) == SCREE_OK &&
              scree_sssp_open(s.graphs, &s.sssp) == SCREE_OK;
  if (b.rank == 0)
    printf("%-5s %-8s %-7s %5s %8s %8s %10s %8s\n", "", "", "weights", "scale", "MTEPS", "/serial", "sent/arc",
           "sources");
  good = good && run_all(&s, b.scale ? b.scale : 18);
  if (!good && b.rank == 0) fprintf(stderr, "graph_rate: %s\n", s.graphs ? scree_graphs_error(s.graphs) : "no world");
  scree_sssp_close(s.sssp);
  scree_bfs_close(s.bfs);
  scree_graphs_close(s.graphs);
  if (scree_close(world) != SCREE_OK) good = false;
  return bench_finish(&b, good ? 0 : 1);
}
