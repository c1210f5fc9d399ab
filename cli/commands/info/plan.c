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
  scree_graph_bytes bytes; /* per rank, labels included, and renumbering if it was asked for */
  uint32_t ranks, workers;
} estimate;

/* Of a kernel's default variant, beside the graph. */
static scree_run_bytes run_bytes(const estimate *e, const scree_kernel *kernel) {
  return scree_kernel_plan(kernel, NULL, &e->estimate.shape, e->estimate.edges, e->ranks, e->workers);
}

static const char *known(const estimate *e) {
  static const char *const words[] = {"exact", "upper bound from the file size",
                                      "rough, from the size of the compressed file"};
  return words[e->estimate.kind];
}

static void print_table(const estimate *e, FILE *to) {
  const scree_graph_shape *s = &e->estimate.shape;
  fprintf(to,
          "%s: %" PRIu64 " vertices, %" PRIu64 " edges, %s, %s weights (%s)\n"
          "memory per rank %s, %s during construction, on %u rank%s if the arcs are evenly distributed\n",
          cli_input_name(e->args->graph), s->n, e->estimate.edges, s->directed ? "directed" : "undirected",
          s->weight ? cli_weight_name(s->weight) : "no", known(e), scree__bytes_format((double)e->bytes.graph).text,
          scree__bytes_format((double)e->bytes.peak).text, e->ranks, e->ranks == 1 ? "" : "s");
  fprintf(to, "in a run, in addition");
  for (size_t i = 0; scree_kernel_at(i); i++) {
    const scree_run_bytes bytes = run_bytes(e, scree_kernel_at(i));
    fprintf(to, "%s %s %s", i ? "," : "", scree_kernel_at(i)->name,
            scree__bytes_format((double)(bytes.run + bytes.kept)).text);
  }
  fputc('\n', to);
}

static void add_runs(const estimate *e, cJSON *root) {
  cJSON *runs = cJSON_AddObjectToObject(root, "run_bytes_per_rank");
  for (size_t i = 0; scree_kernel_at(i); i++) {
    const scree_run_bytes bytes = run_bytes(e, scree_kernel_at(i));
    cJSON_AddNumberToObject(runs, scree_kernel_at(i)->name, (double)(bytes.run + bytes.kept));
  }
}

static bool print_json(const estimate *e, FILE *to) {
  static const char *const words[] = {"exact", "bound", "guess"};
  cJSON *root = cJSON_CreateObject();
  cJSON_AddNumberToObject(root, "scree_plan", 1); /* the version of this format: docs/records.md */
  cJSON_AddStringToObject(root, "graph", e->args->graph);
  cJSON_AddStringToObject(root, "known", words[e->estimate.kind]);
  cJSON_AddNumberToObject(root, "ranks", e->ranks);
  cJSON_AddNumberToObject(root, "vertices", (double)e->estimate.shape.n);
  cJSON_AddNumberToObject(root, "edges", (double)e->estimate.edges);
  cJSON_AddBoolToObject(root, "directed", e->estimate.shape.directed);
  cJSON_AddStringToObject(root, "weights", cli_weight_name(e->estimate.shape.weight));
  cJSON_AddNumberToObject(root, "bytes_per_rank", (double)e->bytes.graph);
  cJSON_AddNumberToObject(root, "peak_bytes_per_rank", (double)e->bytes.peak);
  add_runs(e, root);
  return cli_put_json(root, true, to);
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
  e.bytes = scree_graph_plan(&e.estimate.shape, e.estimate.edges, e.ranks);
  const uint64_t n = e.estimate.shape.n, mine = (n + e.ranks - 1) / e.ranks, ends = 2 * e.estimate.edges / e.ranks;
  if (e.estimate.labels) e.bytes.graph += 8 * mine, e.bytes.peak += 8 * mine + 16 * (ends < n ? ends : n);
  if (args->graph_options.relabel == SCREE_RELABEL_DEGREE) {
    const uint64_t peak = e.bytes.graph + scree_graph_relabel_plan(&e.estimate.shape, e.estimate.edges, e.ranks);
    if (peak > e.bytes.peak) e.bytes.peak = peak;
    e.bytes.graph += (e.estimate.labels ? 8 : 16) * mine;
  }
  status = cli_ready(graphs, !json.to || print_json(&e, json.to), "the JSON text");
  if (first && !aside && !status) print_table(&e, stdout);
  status = cli_close_output(graphs, &json, status);
  return status || aside ? status : cli_flush_stdout(graphs);
}
