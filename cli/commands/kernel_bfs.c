/* kernel_bfs.c - scree bfs.
 *
 * Room: the glue to scree/bfs.h. */
#include <scree/bfs.h>

#include "commands/kernel.h"

static scree_status open_bfs(scree_graphs *graphs, void **context) {
  scree_bfs *bfs = NULL;
  scree_status status = scree_bfs_open(graphs, &bfs);
  *context = bfs;
  return status;
}

static void close_bfs(void *context) {
  scree_bfs_close(context);
}

static scree_status solve(void *context, const scree_graph *graph, uint64_t source, const kernel_options *options,
                          kernel_answer *answer) {
  const scree_bfs_options how = {.algorithm = options->algorithm,
                                 .no_pruning = options->no_pruning,
                                 .alpha = options->alpha,
                                 .beta = options->beta};
  scree_bfs_result *result;
  scree_status status = scree_bfs_run(context, graph, source, &how, &result);
  if (status == SCREE_OK)
    *answer = (kernel_answer){.level = result->level,
                              .parent = result->parent,
                              .seconds = result->seconds,
                              .work = result->work,
                              .own = result};
  return status;
}

static scree_status validate(const scree_graph *graph, uint64_t source, const kernel_answer *answer,
                             scree_verdict *verdict) {
  return scree_bfs_validate(graph, source, answer->level, answer->parent, verdict);
}

static void release(kernel_answer *answer) {
  scree_bfs_free(answer->own);
}

const kernel kernel_bfs = {
    .name = "bfs",
    .help = "breadth-first search",
    .algorithm_at = scree_bfs_algorithm_at,
    .open = open_bfs,
    .close = close_bfs,
    .solve = solve,
    .validate = validate,
    .release = release,
};
