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
  scree_graph_bytes bytes; /* per rank, labels included */
  uint32_t ranks;
} estimate;

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
          e->args->graph, s->n, e->estimate.edges, s->directed ? "directed" : "undirected",
          s->weight ? cli_weight_name(s->weight) : "no", known(e), scree__bytes_format((double)e->bytes.graph).text,
          scree__bytes_format((double)e->bytes.peak).text, e->ranks, e->ranks == 1 ? "" : "s");
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
  cJSON_AddNumberToObject(root, "bytes_a_rank", (double)e->bytes.graph); /* as earlier releases name them */
  cJSON_AddNumberToObject(root, "peak_bytes_a_rank", (double)e->bytes.peak);
  return cli_put_json(root, true, to);
}

scree_status cli_plan(const cli_args *args, scree_graphs *graphs) {
  estimate e = {.args = args, .ranks = scree_ranks(scree_graphs_worker(graphs))};
  const bool first = scree_rank(scree_graphs_worker(graphs)) == 0, aside = args->json && !strcmp(args->json, "-");
  cli_output json;
  cli_input input;
  scree_status status = cli_open_input(graphs, args->graph, &input);
  if (!status) status = scree_graph_estimate(graphs, input.path, &args->graph_options, &e.estimate);
  cli_close_input(&input);
  if (!status) status = cli_open_output(graphs, "json", args->json, &json);
  if (status) return status;
  e.bytes = scree_graph_plan(&e.estimate.shape, e.estimate.edges, e.ranks);
  if (e.estimate.labels) e.bytes.graph += 8 * e.estimate.shape.n, e.bytes.peak += 16 * e.estimate.shape.n;
  status = cli_ready(graphs, !json.to || print_json(&e, json.to), "the JSON text");
  if (first && !aside && !status) print_table(&e, stdout);
  status = cli_close_output(graphs, &json, status);
  return status || aside ? status : cli_flush_stdout(graphs);
}
