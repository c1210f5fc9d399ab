/* session.c - steps that several subcommands share: loading a graph and renumbering it, drawing sources, reporting a
 * failure. */
#include "commands/session.h"

#include <inttypes.h>
#include <scree/generate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "commands/input.h"
#include "commands/progress.h"
#include "util/printable.h"

double cli_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- loading ---- */

scree_status cli_load(const cli_args *args, const scree_graph_options *how, scree_graphs *graphs, scree_graph **graph) {
  cli_progress line;
  scree_graph_options named = *how;
  cli_progress_begin(&line, args, graphs, "loading", "building rows");
  scree_graphs_on_load(graphs, cli_progress_set, &line);
  cli_input input;
  const scree_phase phase = scree_graphs_enter(graphs, SCREE_PHASE_READ);
  scree_status status = cli_open_input(graphs, args->graph, &input);
  scree_graphs_enter(graphs, phase);
  if (*input.copy) named.name = cli_input_name(args->graph);
  if (!status) status = scree_graph_load(graphs, input.path, &named, graph);
  cli_close_input(&input);
  scree_graphs_on_load(graphs, NULL, NULL);
  cli_progress_end(&line);
  return status;
}

/* ---- renumbering ---- */

/* The passes of all runs over the arcs. */
static double passes(const cli_args *args) {
  const double runs = (double)args->source.count * (double)args->runs.repeat + (double)args->runs.warmup;
  return runs * scree_kernel_passes(args->kernel, args->how);
}

static scree_status by_choice(const cli_args *args, scree_graph **graph, scree_relabel_outcome *outcome) {
  const scree_distribution_kind kind =
      args->numbering.distribution_given ? args->graph_options.distribution : SCREE_DISTRIBUTION_CYCLIC;
  return scree_graph_relabel_auto(graph, kind, passes(args), outcome);
}

static scree_status by_degree(scree_graph **graph, scree_relabel_outcome *outcome) {
  scree_graph *given = *graph, *numbered = NULL;
  scree_status status = scree_graph_relabel_by_degree(given, given->vertices.kind, &numbered);
  if (status) return status;
  scree_graph_free(given);
  *graph = numbered;
  outcome->done = true;
  return SCREE_OK;
}

scree_status cli_relabel(const cli_args *args, scree_graph **graph, cli_relabelling *record) {
  static const char *const names[] = {"auto", "none", "degree"}; /* by CLI_RELABEL_... */
  const double start = cli_now();
  const scree_phase phase = scree_graphs_enter((*graph)->graphs, SCREE_PHASE_PREPARE);
  scree_status status = SCREE_OK;
  cli_progress line;
  cli_progress_begin(&line, args, (*graph)->graphs, "renumbering", NULL);
  *record = (cli_relabelling){.requested = names[args->numbering.relabel], .outcome = {.reason = "as requested"}};
  if (args->numbering.relabel == CLI_RELABEL_AUTO)
    status = by_choice(args, graph, &record->outcome);
  else if (args->graph_options.relabel == SCREE_RELABEL_DEGREE)
    status = by_degree(graph, &record->outcome);
  cli_progress_end(&line);
  record->seconds = record->outcome.done ? cli_now() - start : 0;
  scree_graphs_enter((*graph)->graphs, phase);
  return status;
}

/* ---- sources ---- */

scree_status cli_find_vertex(const cli_args *args, const scree_graph *graph, const char *option, uint64_t label,
                             uint64_t *vertex) {
  uint64_t min, max;
  *vertex = scree_graph_find(graph, label);
  if (*vertex != SCREE_NO_VERTEX) return SCREE_OK;
  scree_status status = scree_graph_label_range(graph, &min, &max);
  if (status) return status;
  return scree_graphs_agree(graph->graphs, SCREE_EINVAL,
                            "option '--%s': %s has no vertex %llu; its %llu vertices have ids from %llu to %llu",
                            option, cli_input_name(args->graph), (unsigned long long)label,
                            (unsigned long long)graph->vertices.n, (unsigned long long)min, (unsigned long long)max);
}

static bool is_new(const uint64_t *sources, uint64_t i) {
  for (uint64_t k = 0; k < i; k++)
    if (sources[k] == sources[i]) return false;
  return true;
}

scree_status cli_draw_sources(const cli_args *args, const scree_graph *graph, uint64_t *sources) {
  uint64_t tries = 100 + 10 * args->source.count, seed = args->source.seed;
  for (uint64_t i = 0; i < args->source.count; i++) do {
      scree_status status = scree_graph_random_source(graph, seed++, &sources[i]);
      if (status) return status;
      if (tries-- == 0)
        return scree_graphs_agree(graph->graphs, SCREE_EINVAL,
                                  "option '--sources': %llu distinct vertices with an arc were requested, but only "
                                  "%llu were found; request fewer",
                                  (unsigned long long)args->source.count, (unsigned long long)i);
    } while (!is_new(sources, i));
  return SCREE_OK;
}

/* ---- agreement and failure ---- */

scree_status cli_ready(scree_graphs *graphs, bool ready, const char *what) {
  return scree_graphs_agree(graphs, ready ? SCREE_OK : SCREE_ENOMEM,
                            "rank %u: no memory for %s; use more ranks, or free memory on this host",
                            (unsigned)scree_graphs_worker(graphs)->rank, what);
}

scree_status cli_registered(scree_graphs *graphs, scree_status status) {
  const scree_world *world = scree_world_of(scree_graphs_worker(graphs));
  return status ? scree_graphs_agree(graphs, status, "%s", scree_error_text(world)) : SCREE_OK;
}

int cli_failed(scree_world *world, scree_graphs *graphs, scree_status status) {
  const char *text = graphs ? scree_graphs_error(graphs) : scree_error_text(world);
  if (!text || !*text) text = scree_status_text(status);
  /* The failed rank has the most specific text. */
  uint32_t printer = scree_error(world) == SCREE_OK ? 0 : scree_error_rank(world);
  if (scree_worker_of(world, 0)->rank == printer) cli_complain(strncmp(text, "scree: ", 7) ? text : text + 7);
  return status == SCREE_EINVAL && scree_error(world) == SCREE_OK ? 2 : 1;
}

int cli_with_graphs(const cli_args *args, scree_world *world,
                    scree_status (*body)(const cli_args *args, scree_graphs *graphs)) {
  scree_graphs *graphs = NULL;
  scree_status status = scree_graphs_open(world, &graphs);
  if (!status) status = body(args, graphs);
  int code = status ? cli_failed(world, graphs, status) : 0;
  scree_graphs_close(graphs);
  return code;
}

/* ---- self loops, parallel edges ---- */

static int by_number(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* Adds the loops and parallel edges of vertex u; `heads` holds one id per arc. */
static void count_row(const scree_graph *g, uint64_t u, uint64_t *heads, scree_reduce *r) {
  uint64_t tail = scree_graph_vertex(g, scree_location_make(scree_graph_rank(g), u)), count = 0;
  for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) {
    uint64_t head = scree_graph_vertex(g, scree_graph_target(g, e));
    r->sum[0] += head == tail;
    if (g->directed || tail <= head) heads[count++] = head;
  }
  qsort(heads, count, sizeof *heads, by_number);
  for (uint64_t i = 1; i < count; i++) r->sum[1] += heads[i] == heads[i - 1];
}

scree_status cli_count_copies(const scree_graph *g, uint64_t *loops, uint64_t *parallel) {
  uint64_t max = 1;
  for (uint64_t u = 0; u < g->locals; u++)
    if (scree_graph_degree(g, u) > max) max = scree_graph_degree(g, u);
  uint64_t *heads = malloc(max * sizeof *heads);
  scree_reduce r = {.min = UINT64_MAX};
  scree_status status = cli_ready(g->graphs, heads, "a row");
  for (uint64_t u = 0; !status && u < g->locals; u++) count_row(g, u, heads, &r);
  if (!status) status = scree_graphs_reduce(g->graphs, &r);
  *loops = r.sum[0];
  *parallel = r.sum[1];
  free(heads);
  return status;
}

void cli_note_parallel(const cli_args *args, const scree_graph *g, uint64_t parallel, const char *what) {
  if (!parallel || scree_graph_rank(g) || scree_generator_is_named(args->graph)) return;
  fprintf(stderr,
          "scree: %s: %" PRIu64 " of %" PRIu64
          " edges are parallel to others, and %s counts each; --dedup keeps one of them, "
          "as a file needs that lists each edge in both directions\n",
          cli_input_name(args->graph), parallel, g->edges, what);
}
