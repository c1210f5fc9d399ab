/* plan.c - scree info --plan: estimates the memory of a graph without loading it. */
#include "base/bytes.h"
#include "commands/info/info.h"
#include "commands/input.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#include "commands/output.h"
#include "commands/session.h"
#include "record/report.h"

typedef struct {
  const cli_args *args;
  scree_size_estimate estimate;
  const char *name, *shown, *known, *known_by; /* known: of JSON and in words how exact the estimate is */
  const char *weights, *shown_weights;
  uint64_t vertices_max, edges_min, edges_max; /* SCREE_UNSET, as vertices_min: not from a sample */
  uint64_t vertices_min, max_peak;             /* max_peak: at the upper end of the range */
  scree_graph_bytes bytes;                     /* per rank, labels included, and renumbering if it was requested */
  uint32_t ranks, workers;
  bool several; /* ranks */
} estimate;

#define ROW(FIELD, KIND, NAME, TEXT) CLI_ROW(estimate, FIELD, KIND, NAME, TEXT)
static const cli_field rows[] = {
    {ROW(name, TEXT, "graph", NULL)},
    {ROW(known, TEXT, "known", NULL)},
    {ROW(shown, TEXT, NULL, "@")},
    {ROW(estimate.shape.n, COUNT, "vertices", ": @ vertices")},
    {ROW(estimate.edges, COUNT, "edges", ", @ edges")},
    {ROW(estimate.shape.directed, FLAG, "directed", ", directed|, undirected")},
    {ROW(weights, TEXT, "weights", NULL)},
    {ROW(shown_weights, TEXT, NULL, ", @ weights")},
    {ROW(known_by, TEXT, NULL, " (@")},
    {ROW(vertices_min, COUNT, "vertices_min", ": @ to ")},
    {ROW(vertices_max, COUNT, "vertices_max", "@ vertices, ")},
    {ROW(edges_min, COUNT, "edges_min", "@ to ")},
    {ROW(edges_max, COUNT, "edges_max", "@ edges")},
    {ROW(bytes.graph, BYTES, "bytes_per_rank", ")\nmemory per rank @")},
    {ROW(bytes.peak, BYTES, "peak_bytes_per_rank", ", @ during construction")},
    {ROW(max_peak, BYTES, NULL, ", at most @")},
    {ROW(ranks, NUMBER, "ranks", ", on @ rank")},
    {ROW(several, FLAG, NULL, "s if the arcs are evenly distributed\n| if the arcs are evenly distributed\n")},
    {0},
};
#undef ROW

/* The memory that a kernel's default variant takes besides the graph. */
static scree_run_bytes run_bytes(const estimate *e, const scree_kernel *kernel) {
  return scree_kernel_plan(kernel, NULL, &e->estimate.shape, e->estimate.edges, e->ranks, e->workers);
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

static void add_runs(const estimate *e, cJSON *root) {
  cJSON *runs = cJSON_AddObjectToObject(root, "run_bytes_per_rank");
  for (size_t i = 0; scree_kernel_at(i); i++) {
    const scree_run_bytes bytes = run_bytes(e, scree_kernel_at(i));
    cJSON_AddNumberToObject(runs, scree_kernel_at(i)->name, (double)(bytes.run + bytes.kept));
  }
}

static bool print_json(const estimate *e, FILE *to) {
  cJSON *root = cJSON_CreateObject();
  cJSON_AddNumberToObject(root, "scree_plan", 1); /* the version of this format: docs/sweeps.md */
  cli_add_fields(root, rows, e);
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

/* Computes the figures that follow from the estimate. */
static void complete(estimate *e) {
  static const char *const words[][2] = {{"exact", "exact"},
                                         {"bound", "upper bound from the file size"},
                                         {"guess", "rough, from the size of the compressed file"},
                                         {"sample", "from a sample"}};
  const scree_size_estimate *o = &e->estimate;
  const bool sampled = o->kind == SCREE_ESTIMATE_SAMPLE;
  e->name = e->args->graph;
  e->shown = cli_input_name(e->name);
  e->known = words[o->kind][0];
  e->known_by = words[o->kind][1];
  e->weights = cli_weight_name(o->shape.weight);
  e->shown_weights = o->shape.weight ? e->weights : "no";
  e->bytes = bytes_of(e, o->shape.n, o->edges);
  e->vertices_min = sampled ? o->vertices_min : SCREE_UNSET;
  e->vertices_max = sampled ? o->vertices_max : SCREE_UNSET;
  e->edges_min = sampled ? o->edges_min : SCREE_UNSET;
  e->edges_max = sampled ? o->edges_max : SCREE_UNSET;
  e->max_peak = sampled ? bytes_of(e, o->vertices_max, o->edges_max).peak : SCREE_UNSET;
  e->several = e->ranks > 1;
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
  complete(&e);
  status = cli_ready(graphs, !json.to || print_json(&e, json.to), "the JSON text");
  if (first && !aside && !status) cli_print_text(rows, &e, stdout), print_runs(&e, stdout);
  status = cli_close_output(graphs, &json, status);
  return status || aside ? status : cli_flush_stdout(graphs);
}
