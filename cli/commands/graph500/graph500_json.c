/* graph500_json.c - scree graph500 --json: the configuration and every search. */
#include <cjson/cJSON.h>

#include "args/version.h"
#include "commands/graph500/graph500.h"
#include "commands/output.h"

static void add_runs(cJSON *root, const cli_graph500_result *r) {
  cJSON *list = cJSON_AddArrayToObject(root, "runs");
  for (int k = 0; k < 2; k++)
    for (uint64_t i = 0; i < r->count; i++) {
      const cli_searches *s = &r->kernels[k];
      cJSON *o = cJSON_CreateObject();
      cJSON_AddItemToArray(list, o);
      cJSON_AddStringToObject(o, "kernel", s->name);
      cJSON_AddStringToObject(o, "algorithm", s->algorithm);
      cJSON_AddNumberToObject(o, "seconds", s->seconds[i]);
      cJSON_AddNumberToObject(o, "teps", s->edges[i] / s->seconds[i]);
      cJSON_AddNumberToObject(o, "traversed_edges", s->edges[i]);
      if (!r->validated) continue;
      cJSON_AddBoolToObject(o, "valid", true); /* a wrong answer ends the benchmark */
      cJSON_AddNumberToObject(o, "validation_seconds", s->validation[i]);
    }
}

bool cli_print_graph500_json(const cli_graph500_result *r, const cli_args *args, FILE *to) {
  cJSON *root = cJSON_CreateObject();
  cJSON_AddNumberToObject(root, "scree_graph500", 1); /* the version of this format: docs/sweeps.md */
  cJSON *words = cJSON_AddArrayToObject(root, "command");
  for (int i = 0; i < args->word_count; i++) cJSON_AddItemToArray(words, cJSON_CreateString(args->words[i]));
  cJSON_AddStringToObject(root, "started", r->started);
  cJSON *versions = cJSON_AddObjectToObject(root, "versions");
  cJSON_AddStringToObject(versions, "scree", SCREE_VERSION);
  cJSON_AddStringToObject(versions, "commit", cli_commit());
  cJSON_AddStringToObject(versions, "compiler", cli_compiler());
  cJSON_AddStringToObject(versions, "build", cli_build());
  cJSON_AddStringToObject(versions, "mpi", cli_mpi_name());
  cJSON *o = cJSON_AddObjectToObject(root, "configuration");
  cJSON_AddStringToObject(o, "subcommand", "graph500");
  cJSON_AddNumberToObject(o, "scale", (double)r->scale);
  cJSON_AddNumberToObject(o, "edgefactor", (double)r->edge_factor);
  cJSON_AddNumberToObject(o, "sources", (double)r->count);
  cJSON_AddNumberToObject(o, "seed", (double)args->source.seed);
  cJSON_AddNumberToObject(o, "ranks", r->ranks);
  cJSON_AddBoolToObject(root, "validated", r->validated);
  cJSON_AddNumberToObject(root, "generation_seconds", r->generation);
  cJSON_AddNumberToObject(root, "construction_seconds", r->construction);
  add_runs(root, r);
  return cli_put_json(root, true, to);
}
