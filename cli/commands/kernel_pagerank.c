/* kernel_pagerank.c - scree pagerank.
 *
 * Room: the glue to scree/pagerank.h. */
#include <scree/pagerank.h>

#include "commands/kernel.h"

static scree_status open_pagerank(scree_graphs *graphs, void **context) {
  scree_pagerank *pagerank = NULL;
  scree_status status = scree_pagerank_open(graphs, &pagerank);
  *context = pagerank;
  return status;
}

static void close_pagerank(void *context) {
  scree_pagerank_close(context);
}

static scree_status solve(void *context, const scree_graph *graph, uint64_t source, const kernel_options *options,
                          kernel_answer *answer) {
  (void)source;
  const scree_pagerank_options how = {.algorithm = options->algorithm,
                                      .damping = options->damping,
                                      .iterations = options->iterations,
                                      .tolerance = options->tolerance};
  scree_pagerank_result *result;
  scree_status status = scree_pagerank_run(context, graph, &how, &result);
  if (status == SCREE_OK)
    *answer = (kernel_answer){.rank = result->rank,
                              .algorithm = result->algorithm,
                              .seconds = result->seconds,
                              .work = result->work,
                              .figures = {(double)result->iterations, result->change},
                              .passes = result->iterations,
                              .own = result};
  return status;
}

static scree_status validate(const scree_graph *graph, uint64_t source, const kernel_answer *answer,
                             scree_verdict *verdict) {
  (void)source;
  const scree_pagerank_result *result = answer->own;
  return scree_pagerank_validate(graph, answer->rank, result->damping, result->change, verdict);
}

static void release(kernel_answer *answer) {
  scree_pagerank_free(answer->own);
}

const kernel kernel_pagerank = {
    .name = "pagerank",
    .help = "PageRank",
    .figures = {"iterations", "change"},
    .algorithm_at = scree_pagerank_algorithm_at,
    .open = open_pagerank,
    .close = close_pagerank,
    .solve = solve,
    .validate = validate,
    .release = release,
};
