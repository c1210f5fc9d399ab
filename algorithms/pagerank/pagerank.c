/* pagerank.c - the kernel of PageRank: its record, and what its variants share. */
#include <scree/pagerank.h>

#include "kernel/whole.h"
#include "pagerank/run.h"

enum { LARGE = 1 << 17, DENSE = 8 }; /* vertices: doubles of as many fill a cache of 1 MiB; arcs of each */

static const scree__variant *const variants[] = {&scree__pagerank_auto,       &scree__pagerank_pull,
                                                 &scree__pagerank_pull_float, &scree__pagerank_push,
                                                 &scree__pagerank_tasks,      NULL};

const scree_kernel_option scree__pagerank_options[] = {SCREE__PAGERANK_OPTIONS, SCREE__OPTIONS_END};

/* On many ranks few arcs of a rank share a head: the tables of pull would take several times the graph, for a saving of
 * a few messages. Floats are read faster, and cost work for each vertex. */
static const scree__variant *choose(const scree_graph *graph, const void *options, uint64_t runs, const char **reason) {
  (void)options, (void)runs, (void)reason;
  if (graph->directed || graph->vertices.ranks >= SCREE__MANY_RANKS) return &scree__pagerank_push;
  const bool dense = graph->vertices.n >= LARGE && graph->arcs / DENSE >= graph->vertices.n;
  return dense ? &scree__pagerank_pull_float : &scree__pagerank_pull;
}

const scree__variant scree__pagerank_auto = {
    .about =
        {"auto",
         "pull on undirected graphs, pull-float on large dense ones; push on directed graphs and on 32 ranks or more"},
    .options = scree__pagerank_options,
    .tuned = true,
    .choose = choose,
};

static scree_status setup(scree__run *run) {
  scree__pagerank *p = scree__pagerank_of(run);
  p->damping = ((const scree_pagerank_options *)run->options)->damping;
  for (size_t i = 1; i < SCREE__PR_INVERSES; i++) p->inverse[i] = 1 / (double)i;
  return SCREE_OK;
}

static scree_status finish(scree__run *run) {
  run->passes = (uint64_t)run->figure[0];
  return SCREE_OK;
}

static scree_status validate(const scree_graph *graph, uint64_t source, const void *options, const scree_answer *answer,
                             scree_verdict *verdict) {
  const scree_pagerank_options *o = options;
  (void)source;
  return scree_pagerank_validate(graph, answer->array[0], o->damping, answer->figure[1], verdict);
}

/* A run to the default tolerance takes 19 to 33 iterations on Kronecker graphs of scales 12 to 18. */
static double passes(const void *options) {
  enum { TO_TOLERANCE = 30 };
  const scree_pagerank_options *o = options;
  const bool open = o->iterations == SCREE_UNSET || (o->tolerance != SCREE_UNSET_REAL && o->iterations > TO_TOLERANCE);
  return open ? TO_TOLERANCE : (double)o->iterations;
}

const scree__kernel scree__kernel_pagerank = {
    .about = {.name = "pagerank",
              .help = "PageRank, which ignores weights",
              .arrays = {{"rank", SCREE_VALUE_REAL, true}},
              .figures = {"iterations", "change", "converged"},
              .options_name = "scree_pagerank_options",
              .options_init = "SCREE_PAGERANK_OPTIONS_INIT",
              .options_size = sizeof(scree_pagerank_options)},
    .variants = variants,
    .setup = setup,
    .finish = finish,
    .validate = validate,
    .passes_by = passes,
    .shared = sizeof(scree__pagerank),
    .kept = sizeof(scree__pagerank_kept),
};
