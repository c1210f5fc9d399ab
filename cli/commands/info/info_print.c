/* info_print.c - prints the figures of scree info as a table or as one JSON object. */
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <scree/kernel.h>

#include "base/bytes.h"
#include "commands/info/info.h"
#include "commands/input.h"
#include "commands/output.h"
#include "commands/report.h"
#include "util/printable.h"

static double mean_degree(const scree_graph *g) {
  return (double)g->arcs / (double)g->vertices.n;
}

void cli_print_facts(const cli_args *args, const scree_graph *g, const cli_facts *f, FILE *to) {
  cli_put_printable(cli_input_name(args->graph), to);
  fprintf(to, ": %s, loaded in %.3f s on %u rank%s\n", g->directed ? "directed" : "undirected", f->load_seconds,
          g->vertices.ranks, g->vertices.ranks == 1 ? "" : "s");
  fprintf(to, "vertices        %" PRIu64 ", ids %" PRIu64 " to %" PRIu64 "%s, %" PRIu64 " isolated\n", g->vertices.n,
          f->label_min, f->label_max, g->labels && !g->label_index ? " with gaps" : "", f->isolated);
  fprintf(to, "edges           %" PRIu64 ", %" PRIu64 " self loops, %" PRIu64 " parallel\n", g->edges, f->loops,
          f->parallel);
  fprintf(to, "arcs            %" PRIu64 "\n", g->arcs);
  fprintf(to, "arcs per vertex min %" PRIu64 ", median %" PRIu64 ", mean %.2f, max %" PRIu64 "\n", f->degree_min,
          f->degree_median, mean_degree(g), f->degree_max);
  for (int i = 0; i < 2 && args->info.structure; i++)
    fprintf(to, "%-15s %.0f\n", scree_kernel_find(cli_structure[i])->figures[0], f->structure[i]);
  fprintf(to, "weights         %s", cli_weight_name(g->weight));
  if (g->weight)
    fprintf(to, ", min %.6g, mean %.6g, max %.6g, %" PRIu64 " zeros", f->weight_min, f->weight_mean, f->weight_max,
            f->weight_zeros);
  fprintf(to, "\nmemory per rank %s to %s%s\n", scree__bytes_format((double)f->bytes_min).text,
          scree__bytes_format((double)f->bytes_max).text, f->mapped ? ", rows mapped from the file" : "");
  for (int kind = 0; kind < 3; kind++)
    fprintf(to, "%s%-8s vertices %.3f, arcs %.3f\n", kind ? "                " : "imbalance       ",
            cli_distribution_name((scree_distribution_kind)kind), f->vertices[kind], f->arcs[kind]);
}

static void add(cJSON *o, const char *name, uint64_t number) {
  cJSON_AddNumberToObject(o, name, (double)number);
}

static void add_balance(cJSON *root, const cli_facts *f) {
  cJSON *balance = cJSON_AddObjectToObject(root, "balance");
  for (int kind = 0; kind < 3; kind++) {
    cJSON *o = cJSON_AddObjectToObject(balance, cli_distribution_name((scree_distribution_kind)kind));
    cJSON_AddNumberToObject(o, "vertices", f->vertices[kind]);
    cJSON_AddNumberToObject(o, "arcs", f->arcs[kind]);
  }
}

static void add_counts(cJSON *root, const scree_graph *g, const cli_facts *f) {
  add(root, "vertices", g->vertices.n);
  add(root, "edges", g->edges);
  add(root, "arcs", g->arcs);
  cJSON_AddBoolToObject(root, "directed", g->directed);
  add(root, "isolated", f->isolated);
  add(root, "self_loops", f->loops);
  add(root, "parallel_edges", f->parallel);
  cJSON *degree = cJSON_AddObjectToObject(root, "degree");
  add(degree, "min", f->degree_min);
  add(degree, "median", f->degree_median);
  cJSON_AddNumberToObject(degree, "mean", mean_degree(g));
  add(degree, "max", f->degree_max);
}

static void add_weights(cJSON *root, const scree_graph *g, const cli_facts *f) {
  cJSON *o = cJSON_AddObjectToObject(root, "weights");
  cJSON_AddStringToObject(o, "kind", cli_weight_name(g->weight));
  if (!g->weight) return;
  cJSON_AddNumberToObject(o, "min", f->weight_min);
  cJSON_AddNumberToObject(o, "mean", f->weight_mean);
  cJSON_AddNumberToObject(o, "max", f->weight_max);
  add(o, "zeros", f->weight_zeros);
}

static void add_memory(cJSON *root, const cli_facts *f) {
  cJSON *memory = cJSON_AddObjectToObject(root, "bytes_per_rank");
  add(memory, "min", f->bytes_min);
  add(memory, "max", f->bytes_max);
  cJSON_AddBoolToObject(memory, "mapped", f->mapped);
}

bool cli_print_facts_json(const cli_args *args, const scree_graph *g, const cli_facts *f, FILE *to) {
  cJSON *root = cJSON_CreateObject();
  add(root, "scree_info", 1); /* the version of this format: docs/sweeps.md */
  cJSON_AddStringToObject(root, "graph", args->graph);
  add(root, "ranks", g->vertices.ranks);
  cJSON_AddNumberToObject(root, "load_seconds", f->load_seconds);
  add_counts(root, g, f);
  for (int i = 0; i < 2 && args->info.structure; i++)
    cJSON_AddNumberToObject(root, scree_kernel_find(cli_structure[i])->figures[0], f->structure[i]);
  add_weights(root, g, f);
  add_memory(root, f);
  add_balance(root, f);
  return cli_put_json(root, true, to);
}
