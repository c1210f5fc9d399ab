/* plan.c - scree info --plan: estimates the memory of a graph without loading it. */
#include "base/bytes.h"
#include "commands/info/info.h"
#include "commands/input.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "commands/output.h"
#include "commands/report.h"
#include "commands/session.h"

typedef struct {
  const cli_args *args;
  scree_size_estimate estimate;
  scree_graph_bytes bytes; /* per rank, labels included, and renumbering if it was requested */
  scree_graph_bytes max;   /* the same at the upper end of the range */
  uint32_t ranks, workers;
} estimate;

/* The memory that a kernel's default variant takes besides the graph. */
static scree_run_bytes run_bytes(const estimate *e, const scree_kernel *kernel) {
  return scree_kernel_plan(kernel, NULL, &e->estimate.shape, e->estimate.edges, e->ranks, e->workers);
}

static const char *known(const estimate *e) {
  static const char *const words[] = {"exact", "upper bound from the file size",
                                      "rough, from the size of the compressed file", "from a sample"};
  return words[e->estimate.kind];
}

static void print_runs(const estimate *e, FILE *to) {
  fprintf(to, "in a run, in addition");
  for (size_t i = 0; scree_kernel_at(i); i++) {
    const scree_run_bytes bytes = run_bytes(e, scree_kernel_at(i));
    fprintf(to, "%s %s %s", i ? "," : "", scree_kernel_at(i)->name,
            scree__bytes_format((double)(bytes.run + bytes.kept)).text);
    if (bytes.node)
      fprintf(to, " and %s for the ranks of a node together", scree__bytes_format((double)bytes.node).text);
  }
  fputc('\n', to);
}

static void print_table(const estimate *e, FILE *to) {
  const scree_size_estimate *o = &e->estimate;
  const bool sampled = o->kind == SCREE_ESTIMATE_SAMPLE;
  fprintf(to, "%s: %" PRIu64 " vertices, %" PRIu64 " edges, %s, %s weights (%s", cli_input_name(e->args->graph),
          o->shape.n, o->edges, o->shape.directed ? "directed" : "undirected",
          o->shape.weight ? cli_weight_name(o->shape.weight) : "no", known(e));
  if (sampled)
    fprintf(to, ": %" PRIu64 " to %" PRIu64 " vertices, %" PRIu64 " to %" PRIu64 " edges", o->vertices_min,
            o->vertices_max, o->edges_min, o->edges_max);
  fprintf(to, ")\nmemory per rank %s, %s during construction", scree__bytes_format((double)e->bytes.graph).text,
          scree__bytes_format((double)e->bytes.peak).text);
  if (sampled) fprintf(to, ", at most %s", scree__bytes_format((double)e->max.peak).text);
  fprintf(to, ", on %u rank%s if the arcs are evenly distributed\n", e->ranks, e->ranks == 1 ? "" : "s");
  print_runs(e, to);
}

static void add_runs(const estimate *e, cJSON *root) {
  cJSON *runs = cJSON_AddObjectToObject(root, "run_bytes_per_rank");
  for (size_t i = 0; scree_kernel_at(i); i++) {
    const scree_run_bytes bytes = run_bytes(e, scree_kernel_at(i));
    cJSON_AddNumberToObject(runs, scree_kernel_at(i)->name, (double)(bytes.run + bytes.kept));
  }
}

static bool print_json(const estimate *e, FILE *to) {
  static const char *const words[] = {"exact", "bound", "guess", "sample"};
  cJSON *root = cJSON_CreateObject();
  cJSON_AddNumberToObject(root, "scree_plan", 1); /* the version of this format: docs/sweeps.md */
  cJSON_AddStringToObject(root, "graph", e->args->graph);
  cJSON_AddStringToObject(root, "known", words[e->estimate.kind]);
  cJSON_AddNumberToObject(root, "ranks", e->ranks);
  cJSON_AddNumberToObject(root, "vertices", (double)e->estimate.shape.n);
  cJSON_AddNumberToObject(root, "edges", (double)e->estimate.edges);
  if (e->estimate.kind == SCREE_ESTIMATE_SAMPLE) {
    cJSON_AddNumberToObject(root, "vertices_min", (double)e->estimate.vertices_min);
    cJSON_AddNumberToObject(root, "vertices_max", (double)e->estimate.vertices_max);
    cJSON_AddNumberToObject(root, "edges_min", (double)e->estimate.edges_min);
    cJSON_AddNumberToObject(root, "edges_max", (double)e->estimate.edges_max);
  }
  cJSON_AddBoolToObject(root, "directed", e->estimate.shape.directed);
  cJSON_AddStringToObject(root, "weights", cli_weight_name(e->estimate.shape.weight));
  cJSON_AddNumberToObject(root, "bytes_per_rank", (double)e->bytes.graph);
  cJSON_AddNumberToObject(root, "peak_bytes_per_rank", (double)e->bytes.peak);
  add_runs(e, root);
  return cli_put_json(root, true, to);
}

static scree_graph_bytes bytes_of(const estimate *e, uint64_t n, uint64_t edges) {
  scree_graph_shape shape = e->estimate.shape;
  shape.n = n < SCREE_VERTICES_MAX ? n : SCREE_VERTICES_MAX;
  scree_graph_bytes bytes = scree_graph_plan(&shape, edges, e->ranks);
  if (e->estimate.in_place) bytes.peak = bytes.graph;
  const uint64_t mine = (n + e->ranks - 1) / e->ranks, ends = 2 * edges / e->ranks;
  if (e->estimate.labels) bytes.graph += 8 * mine, bytes.peak += 8 * mine + 16 * (ends < n ? ends : n);
  if (e->args->graph_options.relabel != SCREE_RELABEL_DEGREE) return bytes;
  const uint64_t peak = bytes.graph + scree_graph_relabel_plan(&shape, edges, e->ranks);
  if (peak > bytes.peak) bytes.peak = peak;
  bytes.graph += (e->estimate.labels ? 8 : 16) * mine;
  return bytes;
}

scree_status cli_plan(const cli_args *args, scree_graphs *graphs) {
  const scree_worker *worker = scree_graphs_worker(graphs);
  estimate e = {.args = args, .ranks = worker->ranks, .workers = worker->threads};
  const bool first = scree_graphs_worker(graphs)->rank == 0, aside = args->json && !strcmp(args->json, "-");
  cli_output json;
  cli_input input;
  scree_graph_options how = args->graph_options;
  scree_status status = cli_open_input(graphs, args->graph, &input);
  if (*input.copy) how.name = cli_input_name(args->graph);
  if (!status) status = scree_graph_estimate(graphs, input.path, &how, &e.estimate);
  cli_close_input(&input);
  if (!status) status = cli_open_output(graphs, "json", args->json, &json);
  if (status) return status;
  e.bytes = bytes_of(&e, e.estimate.shape.n, e.estimate.edges);
  e.max = bytes_of(&e, e.estimate.vertices_max, e.estimate.edges_max);
  status = cli_ready(graphs, !json.to || print_json(&e, json.to), "the JSON text");
  if (first && !aside && !status) print_table(&e, stdout);
  status = cli_close_output(graphs, &json, status);
  return status || aside ? status : cli_flush_stdout(graphs);
}
