/* info.c - scree info: loads a graph, or estimates it with --plan, and prints its figures. */
#include "commands/info/info.h"

#include <string.h>

#include "commands/input.h"
#include "commands/output.h"
#include "commands/session.h"

static bool print_json(const cli_facts *facts, FILE *to) {
  cJSON *root = cJSON_CreateObject();
  cJSON_AddNumberToObject(root, "scree_info", 1); /* the version of this format: docs/sweeps.md */
  cli_add_fields(root, cli_fact_rows, facts);
  return cli_put_json(root, true, to);
}

static scree_status print(const cli_args *args, const scree_graph *g, const cli_facts *facts, cli_output *json) {
  const bool first = scree_graph_rank(g) == 0, aside = args->json && strcmp(args->json, "-") == 0;
  scree_status status = cli_ready(g->graphs, !json->to || print_json(facts, json->to), "the JSON text");
  if (!aside && first && !status) cli_print_text(cli_fact_rows, facts, stdout);
  status = cli_close_output(g->graphs, json, status);
  return status || aside ? status : cli_flush_stdout(g->graphs);
}

static scree_status load_and_print(const cli_args *args, scree_graphs *graphs) {
  scree_graph *g = NULL;
  cli_facts facts = {.name = args->graph, .shown = cli_input_name(args->graph)};
  cli_output json;
  double start = cli_now();
  scree_status status = cli_load(args, &args->graph_options, graphs, &g);
  facts.load_seconds = cli_now() - start;
  if (!status) status = cli_find_facts(g, args->info.structure, &facts);
  if (!status && args->info.structure) cli_note_parallel(args, g, facts.parallel, "the degeneracy");
  if (!status) status = cli_open_output(graphs, "json", args->json, &json);
  if (!status) status = print(args, g, &facts, &json);
  scree_graph_free(g);
  return status;
}

static scree_status info(const cli_args *args, scree_graphs *graphs) {
  return args->info.plan ? cli_plan(args, graphs) : load_and_print(args, graphs);
}

int cli_info(const cli_args *args, scree_world *world) {
  return cli_with_graphs(args, world, info);
}
