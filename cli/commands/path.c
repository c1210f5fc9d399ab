/* path.c - scree path: solves shortest paths from one end, and follows the parents from the other. */
#include "commands/commands.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/real.h"
#include "commands/output.h"
#include "commands/session.h"

typedef struct {
  uint64_t vertex, label; /* the label: of those that are printed */
  double distance;
} stop;

/* The path from the target back to the source. */
typedef struct {
  stop *stops;
  uint64_t count;
} path;

/* Makes space for one more, the same on all ranks. Collective. */
static scree_status reserve(scree_graphs *graphs, path *p) {
  if (p->count & (p->count - 1)) return SCREE_OK; /* the capacity is the next power of two */
  stop *more = realloc(p->stops, (p->count ? 2 * p->count : 1) * sizeof *more);
  if (more) p->stops = more;
  return cli_ready(graphs, more != NULL, "a path");
}

static scree_status read_stop(const scree_graph *g, bool levels, const scree_answer *answer, stop *at,
                              uint64_t *parent) {
  const bool first = scree_graph_rank(g) == 0; /* only this rank requests, and prints */
  int64_t level = 0;
  scree_status status = levels ? scree_graph_lookup_int64(g, answer->array[0], first, &at->vertex, &level)
                               : scree_graph_lookup_double(g, answer->array[0], first, &at->vertex, &at->distance);
  if (levels) at->distance = (double)level;
  if (status) return status;
  status = scree_graph_lookup_uint64(g, answer->array[1], first, &at->vertex, parent);
  if (status) return status;
  scree_reduce r = {.sum = {first ? *parent : 0}, .min = UINT64_MAX};
  status = scree_graphs_reduce(g->graphs, &r);
  *parent = r.sum[0];
  return status;
}

static scree_status follow(const scree_graph *g, bool levels, const scree_answer *answer, uint64_t source,
                           uint64_t target, path *p) {
  for (uint64_t at = target, parent;; at = parent) {
    scree_status status = reserve(g->graphs, p);
    if (status) return status;
    p->stops[p->count] = (stop){.vertex = at};
    status = read_stop(g, levels, answer, &p->stops[p->count], &parent);
    if (status) return status;
    if (parent == SCREE_NO_VERTEX) return p->count = 0, SCREE_OK;
    p->count++;
    if (at == source) return SCREE_OK;
  }
}

/* Finds the labels of all stops, some at a time; all ranks know the vertices. Collective. */
static scree_status label_stops(const scree_graph *g, path *p) {
  enum { MANY = 1024 };
  uint64_t vertices[MANY], labels[MANY], count;
  scree_status status = SCREE_OK;
  for (uint64_t from = 0; from < p->count && !status; from += count) {
    count = p->count - from < MANY ? p->count - from : MANY;
    for (uint64_t i = 0; i < count; i++) vertices[i] = p->stops[from + i].vertex;
    status = scree_graph_labels(g, count, vertices, labels);
    for (uint64_t i = 0; i < count && !status; i++) p->stops[from + i].label = labels[i];
  }
  return status;
}

static void print(const path *p, char by, FILE *to) {
  char distance[32];
  for (uint64_t i = p->count; i-- > 0;) {
    scree__real_print_shortest(distance, sizeof distance, p->stops[i].distance);
    fprintf(to, "%" PRIu64 "%c%s\n", p->stops[i].label, by, distance);
  }
}

static scree_status write_path(const cli_args *args, const scree_graph *g, path *p) {
  cli_output out;
  scree_status status = label_stops(g, p);
  if (status) return status;
  status = cli_open_output(g->graphs, "output", args->answer.file ? args->answer.file : "-", &out);
  if (!status && out.to) print(p, cli_answer_separator(args->answer.file), out.to);
  if (!status && p->count == 0 && scree_graph_rank(g) == 0)
    fprintf(stderr, "scree: there is no path from %" PRIu64 " to %" PRIu64 "\n", args->source.label,
            args->source.target);
  return cli_close_output(g->graphs, &out, status);
}

static scree_status find(const cli_args *args, scree_graphs *graphs, bool *found) {
  scree_graph *g = NULL;
  scree_solver *solver = NULL;
  scree_answer answer = {0};
  path p = {0};
  uint64_t source = 0, target = 0;
  scree_status status = cli_load(args, &args->graph_options, graphs, &g);
  const bool levels = !status && g->weight == SCREE_WEIGHT_NONE;
  if (!status) status = cli_find_vertex(args, g, "source", args->source.label, &source);
  if (!status) status = cli_find_vertex(args, g, "target", args->source.target, &target);
  if (!status) status = scree_solver_open(graphs, scree_kernel_find(levels ? "bfs" : "sssp"), &solver);
  if (!status) status = scree_solver_run(solver, g, source, NULL, &answer);
  if (!status) status = follow(g, levels, &answer, source, target, &p);
  if (!status) status = write_path(args, g, &p);
  *found = p.count > 0;
  free(p.stops);
  scree_answer_free(&answer);
  scree_solver_close(solver);
  scree_graph_free(g);
  return status;
}

int cli_path(const cli_args *args, scree_world *world) {
  scree_graphs *graphs = NULL;
  bool found = false;
  scree_status status = scree_graphs_open(world, &graphs);
  if (status) return cli_failed(world, NULL, status);
  status = find(args, graphs, &found);
  int code = status ? cli_failed(world, graphs, status) : found ? 0 : 1;
  scree_graphs_close(graphs);
  return code;
}
