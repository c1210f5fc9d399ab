/* kcore.c - the kernel of k-cores: its record, and what its variants share. */
#include "kcore/run.h"

static const scree__variant *const variants[] = {&scree__kcore_peel, &scree__kcore_hindex, NULL};

static scree_status finish(scree__run *run) {
  uint64_t *coreness = run->result[0];
  scree_reduce all = SCREE_REDUCE_INIT;
  for (uint64_t u = 0; u < run->graph->locals; u++)
    if (coreness[u] > all.max) all.max = coreness[u];
  const scree_status status = scree_graphs_reduce(run->graph->graphs, &all);
  run->figure[0] = (double)all.max;
  run->passes = 1;
  return status;
}

const scree__kernel scree__kernel_kcore = {
    .about =
        {.name = "kcore",
         .help =
             "coreness: the largest k for which a vertex is in the k-core; of undirected graphs only (--undirected)",
         .arrays = {{"coreness", SCREE_VALUE_COUNT, true}},
         .figures = {"degeneracy"},
         .options_name = "scree_kernel_options",
         .options_init = "scree_kernel_options_init",
         .options_size = sizeof(scree_kernel_options)},
    .variants = variants,
    .setup = scree__run_undirected,
    .finish = finish,
    .validate = scree__kcore_validate,
};
