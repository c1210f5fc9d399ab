/* solver.c - registering, choosing, preparing and summing up the variants of a family.
 *
 * Room: see solver.h. Nothing here is called for each message. */
#include "solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static scree_world *world_of(const scree_graphs *graphs) {
  return scree_world_of(scree_graphs_worker(graphs));
}

static scree_status register_all(scree__solver *solver) {
  for (size_t i = 0; solver->variants[i]; i++) {
    const scree__variant *v = solver->variants[i];
    scree_type_desc desc = {sizeof desc, v->type, v->item, 0, v->handler, solver};
    scree_status status = scree_register(world_of(solver->graphs), &desc, &solver->types[i]);
    if (status) return scree_graphs_agree(solver->graphs, status, "%s", scree_error_text(world_of(solver->graphs)));
  }
  return SCREE_OK;
}

scree_status scree__solver_open(scree_graphs *graphs, const scree__variant *const *variants, scree__solver **solver) {
  scree__solver *s = calloc(1, sizeof *s);
  scree_status status = scree_graphs_agree(graphs, s ? SCREE_OK : SCREE_ENOMEM, "no memory for an algorithm's types");
  if (status == SCREE_OK) {
    s->graphs = graphs;
    s->variants = variants;
    status = register_all(s);
  }
  if (status)
    free(s);
  else
    *solver = s;
  return status;
}

scree_status scree__solver_find(const scree__solver *solver, const char *name, size_t *index) {
  char known[256] = "";
  for (size_t i = 0; solver->variants[i]; i++) {
    const char *candidate = solver->variants[i]->about.name;
    if (!name || strcmp(name, candidate) == 0) return *index = i, SCREE_OK;
    if (i) strncat(known, ", ", sizeof known - strlen(known) - 1);
    strncat(known, candidate, sizeof known - strlen(known) - 1);
  }
  return scree_graphs_agree(solver->graphs, SCREE_EINVAL, "algorithm '%s' is unknown; known are: %s", name, known);
}

/* ---- one run ---- */

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static scree_status check_start(const scree__solver *solver, const scree__run *run, uint64_t source) {
  uint64_t n = run->graph->vertices.n;
  if (source >= n)
    return scree_graphs_agree(solver->graphs, SCREE_EINVAL,
                              "the source is vertex %llu; legal: 0 to %llu, the vertices of the graph",
                              (unsigned long long)source, (unsigned long long)n - 1);
  bool ready = run->parent && (run->distance || run->level);
  return scree_graphs_agree(solver->graphs, ready ? SCREE_OK : SCREE_ENOMEM,
                            "rank %u: no memory for the answer on %llu vertices; use more ranks or a smaller graph",
                            scree_graph_rank(run->graph), (unsigned long long)run->graph->locals);
}

static void place_source(scree__run *run, uint64_t source) {
  scree_place place = scree_graph_place(run->graph, source);
  for (uint64_t u = 0; u < run->graph->locals; u++) {
    run->parent[u] = SCREE_NO_VERTEX;
    if (run->distance) run->distance[u] = INFINITY;
    if (run->level) run->level[u] = -1;
  }
  run->has_source = scree_place_owner(place) == scree_graph_rank(run->graph);
  run->source = (uint32_t)scree_place_local(place);
  if (!run->has_source) return;
  run->parent[run->source] = place;
  if (run->distance) run->distance[run->source] = 0;
  if (run->level) run->level[run->source] = 0;
}

static void name_parents(scree__run *run) {
  for (uint64_t u = 0; u < run->graph->locals; u++)
    if (run->parent[u] != SCREE_NO_VERTEX) run->parent[u] = scree_graph_vertex(run->graph, run->parent[u]);
}

/* Sums a pair of counters over the ranks. Of nonnegative doubles the bits are in the order of the values. */
static scree_status sum(scree__solver *solver, uint64_t *a, uint64_t *b, double *most) {
  scree_reduce all = {{*a, *b}, UINT64_MAX, 0};
  memcpy(&all.max, most, sizeof all.max);
  scree_status status = scree_graphs_reduce(solver->graphs, &all);
  *a = all.sum[0];
  *b = all.sum[1];
  memcpy(most, &all.max, sizeof all.max);
  return status;
}

static scree_status sum_up(scree__solver *solver, scree_work *work, double *seconds) {
  uint64_t unused = 0;
  scree_status status = sum(solver, &work->sent, &work->useful, seconds);
  if (status == SCREE_OK) status = sum(solver, &work->invalidated, &work->rejected, seconds);
  if (status == SCREE_OK) status = sum(solver, &work->edges, &unused, seconds);
  return status;
}

scree_status scree__solver_solve(scree__solver *solver, size_t index, scree__run *run, uint64_t source,
                                 double *seconds) {
  scree_status status = check_start(solver, run, source);
  if (status) return status;
  run->worker = scree_graphs_worker(solver->graphs);
  run->type = solver->types[index];
  place_source(run, source);
  solver->run = run;
  double start = now();
  status = solver->variants[index]->solve(run);
  *seconds = now() - start;
  solver->run = NULL;
  if (status == SCREE_OK) {
    name_parents(run);
    status = sum_up(solver, &run->work, seconds);
  }
  return status;
}
