/* info.c - scree info: loads a graph, or estimates it with --plan, and prints its figures. */
#include "commands/info.h"

#include <string.h>

#include "commands/output.h"
#include "commands/session.h"

static scree_status print(const cli_args *args, const scree_graph *g, const cli_facts *facts, FILE *json) {
  const bool first = scree_graph_rank(g) == 0, aside = args->json && strcmp(args->json, "-") == 0;
  bool memory = !json || cli_print_facts_json(args, g, facts, json);
  scree_status status = scree_graphs_agree(g->graphs, memory ? SCREE_OK : SCREE_ENOMEM, "no memory for the JSON text");
  if (!aside && first && !status) cli_print_facts(args, g, facts, stdout);
  scree_status closed = cli_close_file(g->graphs, args->json, json);
  if (!status) status = closed;
  return status || aside ? status : cli_close_file(g->graphs, "standard output", first ? stdout : NULL);
}

static scree_status load_and_print(const cli_args *args, scree_graphs *graphs) {
  scree_graph *g = NULL;
  cli_facts facts = {0};
  FILE *json;
  double start = cli_now();
  scree_status status = cli_load(args, &args->graph_options, graphs, &g);
  facts.load_seconds = cli_now() - start;
  if (!status) status = cli_find_facts(g, &facts);
  if (!status) status = cli_open_file(graphs, "json", args->json, &json);
  if (!status) status = print(args, g, &facts, json);
  scree_graph_free(g);
  return status;
}

int cli_info(const cli_args *args, scree_world *world) {
  scree_graphs *graphs = NULL;
  scree_status status = scree_graphs_open(world, &graphs);
  if (!status) status = args->plan ? cli_plan(args, graphs) : load_and_print(args, graphs);
  int code = status ? cli_failed(world, graphs, status) : 0;
  scree_graphs_close(graphs);
  return code;
}
