/* kernel_cc.c - scree cc.
 *
 * Room: the glue to scree/cc.h. */
#include <scree/cc.h>

#include "commands/kernel.h"

static scree_status open_cc(scree_graphs *graphs, void **context) {
  scree_cc *cc = NULL;
  scree_status status = scree_cc_open(graphs, &cc);
  *context = cc;
  return status;
}

static void close_cc(void *context) {
  scree_cc_close(context);
}

static scree_status solve(void *context, const scree_graph *graph, uint64_t source, const kernel_options *options,
                          kernel_answer *answer) {
  (void)source;
  const scree_cc_options how = {.algorithm = options->algorithm};
  scree_cc_result *result;
  scree_status status = scree_cc_run(context, graph, &how, &result);
  if (status == SCREE_OK)
    *answer = (kernel_answer){.component = result->component,
                              .seconds = result->seconds,
                              .work = result->work,
                              .figures = {(double)result->components, (double)result->largest},
                              .passes = 1,
                              .own = result};
  return status;
}

static scree_status validate(const scree_graph *graph, uint64_t source, const kernel_answer *answer,
                             scree_verdict *verdict) {
  (void)source;
  return scree_cc_validate(graph, answer->component, verdict);
}

static void release(kernel_answer *answer) {
  scree_cc_free(answer->own);
}

const kernel kernel_cc = {
    .name = "cc",
    .help = "connected components",
    .figures = {"components", "largest"},
    .algorithm_at = scree_cc_algorithm_at,
    .open = open_cc,
    .close = close_cc,
    .solve = solve,
    .validate = validate,
    .release = release,
};
