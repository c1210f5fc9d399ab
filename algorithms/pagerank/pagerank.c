/* pagerank.c - the kernel of PageRank: its record, what its variants share, and the typed front. */
#include <scree/pagerank.h>

#include <scree/memory.h>
#include <stdlib.h>

#include "kernel/driver.h"
#include "kernel/whole.h"
#include "pagerank/run.h"

enum { LARGE = 1 << 17 }; /* vertices: doubles of as many fill a cache of 1 MiB */

static const scree__variant *const variants[] = {&scree__pagerank_auto, &scree__pagerank_pull,
                                                 &scree__pagerank_pull_float, &scree__pagerank_push, NULL};

const scree_kernel_option scree__pagerank_options[] = {SCREE__PAGERANK_OPTIONS, SCREE__OPTIONS_END};

/* On many ranks few arcs of a rank share a head: the tables of pull would take several times the graph, for a saving of
 * a few messages. */
static const scree__variant *choose(const scree_graph *graph) {
  if (graph->directed || graph->vertices.ranks >= SCREE__MANY_RANKS) return &scree__pagerank_push;
  return graph->vertices.n < LARGE ? &scree__pagerank_pull : &scree__pagerank_pull_float;
}

const scree__variant scree__pagerank_auto = {
    .about = {"auto",
              "pull on undirected graphs, pull-float on large ones; push on directed graphs and on 32 ranks or more"},
    .options = scree__pagerank_options,
    .tuned = true,
    .choose = choose,
};

static scree_status setup(scree__run *run) {
  scree__pagerank *p = run->shared = calloc(1, sizeof *p);
  if (p) {
    p->damping = ((const scree_pagerank_options *)run->options)->damping;
    p->contribution = scree_graphs_alloc(run->graph->graphs, ((size_t)run->graph->locals + 1) * sizeof(double));
  }
  return scree__run_ready(run, p && p->contribution, "contributions");
}

static scree_status finish(scree__run *run) {
  run->passes = (uint64_t)run->figure[0];
  return SCREE_OK;
}

static void teardown(scree__run *run) {
  scree__pagerank *p = run->shared;
  if (p) scree_huge_free(p->contribution);
  free(p);
}

static scree_status validate(const scree_graph *graph, uint64_t source, const void *options, const scree_answer *answer,
                             scree_verdict *verdict) {
  const scree_pagerank_options *o = options;
  (void)source;
  return scree_pagerank_validate(graph, answer->array[0], o->damping, answer->figure[1], verdict);
}

/* With a tolerance most runs end after no more iterations than are the default without one. */
static double passes(const void *options) {
  const scree_pagerank_options *o = options;
  const bool open =
      o->iterations == SCREE_UNSET || (o->tolerance != SCREE_UNSET_REAL && o->iterations > SCREE_PAGERANK_ITERATIONS);
  return open ? SCREE_PAGERANK_ITERATIONS : (double)o->iterations;
}

const scree__kernel scree__kernel_pagerank = {
    .about = {.name = "pagerank",
              .help = "PageRank",
              .arrays = {{"rank", SCREE_VALUE_REAL, true}},
              .figures = {"iterations", "change"},
              .options_name = "scree_pagerank_options",
              .options_init = "SCREE_PAGERANK_OPTIONS_INIT",
              .options_size = sizeof(scree_pagerank_options)},
    .variants = variants,
    .setup = setup,
    .finish = finish,
    .teardown = teardown,
    .validate = validate,
    .passes = passes,
    .memory = {.local = 8},
};

/* ---- the typed front: a scree_pagerank is a scree_solver ---- */

static scree_solver *solver_of(scree_pagerank *pagerank) {
  return (scree_solver *)pagerank;
}

scree_status scree_pagerank_open(scree_graphs *graphs, scree_pagerank **pagerank) {
  scree_solver *solver;
  scree_status status = scree_solver_open(graphs, &scree__kernel_pagerank.about, &solver);
  if (status == SCREE_OK) *pagerank = (scree_pagerank *)solver;
  return status;
}

void scree_pagerank_close(scree_pagerank *pagerank) {
  scree_solver_close(solver_of(pagerank));
}

const scree_algorithm *scree_pagerank_algorithm_at(size_t i) {
  return scree_kernel_variant_at(&scree__kernel_pagerank.about, i);
}

scree_status scree_pagerank_run(scree_pagerank *pagerank, const scree_graph *graph,
                                const scree_pagerank_options *options, scree_pagerank_result **result) {
  scree_pagerank_result *r = calloc(1, sizeof *r);
  scree_answer a;
  scree_status status = scree__solver_run(solver_of(pagerank), graph, 0, options, r != NULL, &a);
  if (status) {
    free(r);
    return status;
  }
  *r = (scree_pagerank_result){.locals = a.locals,
                               .rank = a.array[0],
                               .iterations = (uint64_t)a.figure[0],
                               .change = a.figure[1],
                               .algorithm = a.algorithm,
                               .damping = options && options->damping != SCREE_UNSET_REAL ? options->damping
                                                                                          : SCREE_PAGERANK_DAMPING,
                               .seconds = a.seconds,
                               .work = a.work};
  *result = r;
  return SCREE_OK;
}

void scree_pagerank_free(scree_pagerank_result *result) {
  if (!result) return;
  scree_huge_free(result->rank);
  free(result);
}
