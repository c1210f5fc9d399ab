/* kernel_sssp.c - scree sssp.
 *
 * Room: the glue to scree/sssp.h. */
#include <scree/sssp.h>

#include "commands/kernel.h"

static scree_status open_sssp(scree_graphs *graphs, void **context) {
  scree_sssp *sssp = NULL;
  scree_status status = scree_sssp_open(graphs, &sssp);
  *context = sssp;
  return status;
}

static void close_sssp(void *context) {
  scree_sssp_close(context);
}

static scree_status solve(void *context, const scree_graph *graph, uint64_t source, const kernel_options *options,
                          kernel_answer *answer) {
  const scree_sssp_options how = {.algorithm = options->algorithm,
                                  .delta = options->delta,
                                  .frequency = (uint32_t)options->frequency,
                                  .queue = options->queue,
                                  .k = (uint32_t)options->k,
                                  .no_pruning = options->no_pruning};
  scree_sssp_result *result;
  scree_status status = scree_sssp_run(context, graph, source, &how, &result);
  if (status == SCREE_OK)
    *answer = (kernel_answer){.distance = result->distance,
                              .parent = result->parent,
                              .delta = result->delta,
                              .seconds = result->seconds,
                              .work = result->work,
                              .own = result};
  return status;
}

static scree_status validate(const scree_graph *graph, uint64_t source, const kernel_answer *answer,
                             scree_verdict *verdict) {
  return scree_sssp_validate(graph, source, answer->distance, verdict);
}

static void release(kernel_answer *answer) {
  scree_sssp_free(answer->own);
}

const kernel kernel_sssp = {
    .name = "sssp",
    .help = "single-source shortest paths",
    .weights = true,
    .algorithm_at = scree_sssp_algorithm_at,
    .open = open_sssp,
    .close = close_sssp,
    .solve = solve,
    .validate = validate,
    .release = release,
};
