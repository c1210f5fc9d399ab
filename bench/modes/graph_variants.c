/* graph_variants.c - configurations of SSSP on a graph that the caller names, interleaved with binary-heap Dijkstra.
 *
 * Sweeps a variant's options. Reports time against the serial yardstick, and work counts, which stay valid on a noisy
 * machine. Every answer is validated. */
#include <math.h>
#include <scree/kernel.h>
#include <scree/scree_mpi.h>
#include <scree/sssp.h>
#include <stdlib.h>
#include <string.h>

#include "modes.h"
#include "yardstick/serial.h"

enum { CONFIGURATIONS_MAX = 32, ROUNDS_MAX = 64, TEXT_MAX = 128 };

typedef struct {
  char text[TEXT_MAX]; /* the options point into it */
  const char *name;
  scree_sssp_options options;
  double ratios[ROUNDS_MAX], inverse; /* serial time over this configuration's; sum of seconds per arc */
  double delta;
  scree_work work; /* of all runs */
} configuration;

typedef struct {
  bench *b;
  scree_graphs *graphs;
  scree_solver *sssp;
  scree_graph *graph;
  serial_csr csr; /* on rank 0 */
  double serial;  /* seconds of Dijkstra from the current source, on rank 0 */
  double arcs, edges, inverse;
  configuration configurations[CONFIGURATIONS_MAX];
  int count;
} state;

/* "dc,queue=buckets,frequency=8": a variant's name and its options. False: no such option. */
static bool read_configuration(configuration *w, const char *name) {
  char why[256];
  const scree_kernel *kernel = scree_kernel_find("sssp");
  *w = (configuration){.name = name, .options = SCREE_SSSP_OPTIONS_INIT};
  snprintf(w->text, sizeof w->text, "%s", name);
  char *rest = w->text;
  w->options.algorithm = strsep(&rest, ",");
  for (char *key; (key = strsep(&rest, ","));) {
    char *value = strchr(key, '=');
    if (value) *value++ = 0;
    if (scree_kernel_options_set(kernel, &w->options, key, value, why, sizeof why)) return false;
  }
  return true;
}

static bool run_serial(state *s, uint64_t source) {
  const serial_csr *csr = &s->csr;
  double facts[4] = {1, 0, 0, 0};
  if (s->b->rank == 0) {
    double *dist = malloc(csr->n * sizeof *dist), start = bench_now();
    facts[0] = dist && serial_dijkstra(csr, (uint32_t)source, dist);
    facts[1] = bench_now() - start;
    for (uint64_t v = 0; facts[0] > 0 && v < csr->n; v++)
      if (isfinite(dist[v])) facts[2] += (double)(csr->offsets[v + 1] - csr->offsets[v]);
    free(dist);
  }
  MPI_Bcast(facts, 4, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  s->serial = facts[1];
  s->arcs = facts[2];
  return facts[0] > 0;
}

static void add(configuration *w, const scree_work *work) {
  w->work.sent += work->sent;
  w->work.direct += work->direct;
  w->work.useful += work->useful;
  w->work.invalidated += work->invalidated;
  w->work.pruned += work->pruned;
  w->work.edges += work->edges;
  w->work.epochs += work->epochs;
  w->work.blocks += work->blocks;
  w->work.handler_seconds += work->handler_seconds;
  w->work.queue_seconds += work->queue_seconds;
  w->work.wait_seconds += work->wait_seconds;
}

static bool run_configuration(state *s, configuration *w, uint64_t source, int round) {
  scree_answer r;
  scree_verdict verdict = {.valid = true};
  scree_status status = scree_solver_run(s->sssp, s->graph, source, &w->options, &r);
  if (status != SCREE_OK) return false;
  status = scree_sssp_validate(s->graph, source, r.array[0], &verdict);
  w->ratios[round] = s->serial / r.seconds;
  w->inverse += r.seconds / s->arcs;
  w->delta = r.figure[0];
  add(w, &r.work);
  scree_answer_free(&r);
  if (!verdict.valid && s->b->rank == 0) fprintf(stderr, "variants: %s: %s\n", w->name, verdict.text);
  return status == SCREE_OK && verdict.valid;
}

static void report(state *s, configuration *w) {
  if (s->b->rank != 0) return;
  const scree_work *k = &w->work;
  double runs = s->b->rounds, relaxations = (double)(k->sent + k->direct), ms = 1e3 / runs;
  double invalidated = (double)k->invalidated / fmax(1, (double)(k->useful + k->invalidated)),
         hmean = s->inverse / w->inverse;
  double median = bench_median(w->ratios, s->b->rounds);
  printf("%-40s %7.2f %7.2f %8.3f %8.3f %7.3f %7.0f %8.2f %8.2f %8.2f %9.4g\n", w->name, hmean, median,
         (double)k->edges / s->edges, relaxations / s->edges, invalidated, (double)k->epochs / runs,
         k->queue_seconds * ms, k->handler_seconds * ms, k->wait_seconds * ms, w->delta);
  fflush(stdout);
  cJSON *record = bench_record(s->b);
  cJSON_AddStringToObject(record, "way", w->name);
  cJSON_AddNumberToObject(record, "ranks", s->b->ranks);
  cJSON_AddNumberToObject(record, "serial_ratio", hmean);
  cJSON_AddNumberToObject(record, "serial_ratio_median", median);
  cJSON_AddNumberToObject(record, "relaxations_per_arc", relaxations / s->edges);
  cJSON_AddNumberToObject(record, "invalidated_share", invalidated);
}

/* Runs every configuration from one source, then from the next, so that drift affects all equally. */
static bool run_all(state *s) {
  for (int i = 0; i < s->b->rounds; i++) {
    uint64_t source;
    if (scree_graph_random_source(s->graph, (uint64_t)i + 1, &source) != SCREE_OK || !run_serial(s, source))
      return false;
    s->inverse += s->serial / s->arcs;
    s->edges += s->arcs;
    for (int w = 0; w < s->count; w++)
      if (!run_configuration(s, &s->configurations[w], source, i)) return false;
  }
  if (s->b->rank == 0) {
    printf("serial Dijkstra: %.2f million edges per second\n", 0.5e-6 * s->b->rounds / s->inverse);
    printf("%-40s %7s %7s %8s %8s %7s %7s %8s %8s %8s %9s\n", "", "/serial", "median", "edges/a", "relax/a", "invalid",
           "epochs", "queue ms", "handl ms", "wait ms", "delta");
  }
  for (int w = 0; w < s->count; w++) report(s, &s->configurations[w]);
  return true;
}

/* The arguments after "--": graph options as --name=text, the graph, the configurations. */
static const char *read_job(state *s, scree_graph_options *options, char **rest) {
  static char why[256];
  const char *graph = NULL;
  for (; *rest; rest++) {
    char *text = *rest;
    if (!strncmp(text, "--", 2)) {
      const char *name = strsep(&text, "=") + 2;
      if (scree_graph_options_set(options, name, text, why, sizeof why) == 0) continue;
      fprintf(stderr, "variants: cannot use --%s: %s\n", name, why);
      return NULL;
    }
    if (!graph) {
      graph = text;
    } else if (s->count == CONFIGURATIONS_MAX || !read_configuration(&s->configurations[s->count++], text)) {
      fprintf(stderr, "variants: cannot use '%s'; a configuration is e.g. dc,queue=buckets,frequency=8,no-pruning\n",
              text);
      return NULL;
    }
  }
  if (!graph) fprintf(stderr, "variants: no graph after --\n");
  return graph;
}

bool bench_graph_variants(bench *b) {
  static state s;
  scree_graph_options options = {0};
  scree_world *world;
  if (b->rounds > ROUNDS_MAX) b->rounds = ROUNDS_MAX;
  s.b = b;
  const char *spec = read_job(&s, &options, b->rest);
  if (!spec || scree_open_mpi(MPI_COMM_WORLD, NULL, &world) != SCREE_OK) return false;
  bool good = scree_graphs_open(world, &s.graphs) == SCREE_OK &&
              scree_solver_open(s.graphs, scree_kernel_find("sssp"), &s.sssp) == SCREE_OK &&
              scree_graph_load(s.graphs, spec, &options, &s.graph) == SCREE_OK &&
              serial_csr_gather(s.graph, &s.csr) == SCREE_OK && run_all(&s);
  if (!good && b->rank == 0)
    fprintf(stderr, "variants: %s\n", s.graphs ? scree_graphs_error(s.graphs) : "cannot open a world");
  serial_csr_free(&s.csr);
  scree_graph_free(s.graph);
  scree_solver_close(s.sssp);
  scree_graphs_close(s.graphs);
  return scree_close(world) == SCREE_OK && good;
}
