/* graph500.c - scree graph500: generation, construction, searches.
 *
 * Times generation and construction, then runs both kernels from the same sources. As the specification requires, the
 * edges are in memory when construction begins. Data that the algorithms derive from the graph and keep counts as part
 * of the construction. */
#include "commands/graph500/graph500.h"

#include <inttypes.h>
#include <scree/generate.h>
#include <scree/kernel.h>
#include <stdlib.h>
#include <string.h>

#include "commands/output.h"
#include "commands/session.h"
#include "util/date.h"

static const char *const names[] = {"bfs", "sssp"};

typedef struct {
  const cli_args *args;
  scree_graphs *graphs;
  scree_solver *solvers[2]; /* of BFS, SSSP */
  scree_generated *kronecker;
  scree_edge *edges; /* this rank's share */
  uint64_t edge_count;
  scree_graph *graph;
  uint64_t *sources;
  cli_graph500_result result;
  scree_kernel_options options[2];
  cli_output json;
} benchmark;

/* The variant of a kernel that --algorithm names, if the kernel has it. */
static const char *variant_of(const benchmark *b, const char *kernel) {
  const scree_kernel *k = scree_kernel_find(kernel);
  for (size_t i = 0; b->args->graph500.algorithm && scree_kernel_variant_at(k, i); i++)
    if (strcmp(scree_kernel_variant_at(k, i)->name, b->args->graph500.algorithm) == 0)
      return b->args->graph500.algorithm;
  return scree_kernel_variant_at(k, 0)->name;
}

/* Seconds since `start`, the maximum over the ranks. Collective. */
static scree_status since(benchmark *b, double start, double *seconds) {
  scree_reduce r = {.min = UINT64_MAX, .max = (uint64_t)(1e9 * (cli_now() - start))};
  scree_status status = scree_graphs_reduce(b->graphs, &r);
  *seconds = 1e-9 * (double)r.max;
  return status;
}

static scree_status generate(benchmark *b) {
  scree_worker *w = scree_graphs_worker(b->graphs);
  uint64_t from, to, all = scree_generated_edges(b->kronecker);
  double start = cli_now();
  scree_distribution_block_range(all, w->rank, w->ranks, &from, &to);
  b->edge_count = to - from;
  b->edges = malloc((size_t)(b->edge_count + 1) * sizeof *b->edges);
  scree_status status = cli_ready(b->graphs, b->edges, "the edges of a rank (a smaller --scale has fewer)");
  if (status == SCREE_OK) scree_generated_make(b->kronecker, from, b->edge_count, b->edges);
  return status ? status : since(b, start, &b->result.generation);
}

static scree_status construct(benchmark *b) {
  const scree_graph_shape shape = {.n = scree_generated_vertices(b->kronecker),
                                   .distribution = b->args->graph_options.distribution,
                                   .weight = SCREE_WEIGHT_FLOAT};
  scree_graph_builder *builder;
  double start = cli_now();
  scree_status status = scree_graph_builder_begin(b->graphs, &shape, &builder);
  if (status) return status;
  scree_graph_builder_add_many(builder, b->edge_count, b->edges);
  status = scree_graph_builder_finish(builder, &b->graph);
  free(b->edges);
  b->edges = NULL;
  for (int k = 0; k < 2 && status == SCREE_OK; k++)
    status = scree_solver_prepare(b->solvers[k], b->graph, &b->options[k]);
  return status ? status : since(b, start, &b->result.construction);
}

/* ---- searches ---- */

/* Validates the answer of search i of kernel k, and counts traversed edges. */
static scree_status judge(benchmark *b, int k, uint64_t i, const scree_answer *a) {
  cli_searches *to = &b->result.kernels[k];
  scree_verdict verdict = {.valid = true};
  uint64_t vertices, edges = 0;
  double start = cli_now();
  scree_status status = SCREE_OK;
  if (b->result.validated)
    status = scree_solver_validate(b->solvers[k], b->graph, b->sources[i], &b->options[k], a, &verdict);
  if (status) return status;
  if (!verdict.valid)
    return scree_graphs_agree(b->graphs, SCREE_ESTATE, "%s: the answer is wrong: %s", to->name, verdict.text);
  status = since(b, start, &to->validation[i]);
  if (status == SCREE_OK)
    status = scree_graph_traversed(b->graph, k ? a->array[0] : NULL, k ? NULL : a->array[0], &vertices, &edges);
  to->edges[i] = (double)edges;
  return status;
}

static scree_status search_one(benchmark *b, int k, uint64_t i) {
  scree_answer a;
  scree_status status = scree_solver_run(b->solvers[k], b->graph, b->sources[i], &b->options[k], &a);
  if (status) return status;
  b->result.kernels[k].seconds[i] = a.seconds;
  status = judge(b, k, i, &a);
  scree_answer_free(&a);
  return status;
}

static scree_status search(benchmark *b) {
  scree_status status = cli_draw_sources(b->args, b->graph, b->sources);
  for (int k = 0; k < 2; k++)
    for (uint64_t i = 0; i < b->result.count && status == SCREE_OK; i++) status = search_one(b, k, i);
  return status;
}

/* ---- all ---- */

static scree_status allocate(benchmark *b) {
  const size_t n = (size_t)b->result.count;
  b->sources = calloc(n, sizeof *b->sources);
  bool ready = b->sources != NULL;
  for (int k = 0; k < 2; k++) {
    cli_searches *s = &b->result.kernels[k];
    *s = (cli_searches){names[k], variant_of(b, names[k]), calloc(n, sizeof(double)), calloc(n, sizeof(double)),
                        calloc(n, sizeof(double))};
    ready = ready && s->seconds && s->edges && s->validation;
  }
  return cli_ready(b->graphs, ready, "the figures of the searches");
}

static scree_status print(benchmark *b) {
  bool first = scree_graph_rank(b->graph) == 0;
  const bool aside = b->args->json && strcmp(b->args->json, "-") == 0;
  bool good = !first || aside || cli_print_graph500(&b->result, stdout);
  if (first && b->json.to) good = good && cli_print_graph500_json(&b->result, b->args, b->json.to);
  scree_status status = cli_close_output(b->graphs, &b->json, cli_ready(b->graphs, good, "the figures to print"));
  return status || aside ? status : cli_flush_stdout(b->graphs);
}

static scree_status run(benchmark *b) {
  const scree_worker *w = scree_graphs_worker(b->graphs);
  char text[80], why[240];
  snprintf(text, sizeof text, "kron:%" PRIu64 ",%" PRIu64 ",%" PRIu64, b->args->graph500.scale,
           b->args->graph500.edge_factor, b->args->source.seed);
  scree_status status =
      scree_graphs_agree(b->graphs, scree_generated_parse(text, why, sizeof why, &b->kronecker), "%s", why);
  if (status) return status;
  b->result.subcommand = b->args->command->name;
  b->result.seed = b->args->source.seed;
  b->result.scale = b->args->graph500.scale;
  b->result.edge_factor = b->args->graph500.edge_factor;
  b->result.count = b->args->source.count;
  b->result.ranks = w->ranks;
  b->result.validated = !b->args->graph500.skip_validation;
  status = cli_open_output(b->graphs, "json", b->args->json, &b->json);
  for (int k = 0; k < 2 && status == SCREE_OK; k++) {
    b->options[k] = (scree_kernel_options){sizeof b->options[k], variant_of(b, names[k]), {NULL, NULL}};
    status = scree_solver_open(b->graphs, scree_kernel_find(names[k]), &b->solvers[k]);
  }
  if (status == SCREE_OK) status = allocate(b);
  if (status == SCREE_OK) status = generate(b);
  if (status == SCREE_OK) status = construct(b);
  if (status == SCREE_OK) status = search(b);
  return status ? status : print(b);
}

int cli_graph500(const cli_args *args, scree_world *world) {
  benchmark b = {.args = args};
  cli_date(b.result.started);
  scree_status status = scree_graphs_open(world, &b.graphs);
  if (status == SCREE_OK) status = run(&b);
  int code = status ? cli_failed(world, b.graphs, status) : 0;
  for (int k = 0; k < 2; k++) {
    free(b.result.kernels[k].seconds);
    free(b.result.kernels[k].edges);
    free(b.result.kernels[k].validation);
  }
  cli_drop_output(&b.json);
  free(b.sources);
  free(b.edges);
  scree_generated_free(b.kronecker);
  scree_graph_free(b.graph);
  for (int k = 0; k < 2; k++) scree_solver_close(b.solvers[k]);
  scree_graphs_close(b.graphs);
  return code;
}
