/* bfs.c - the kernel of breadth-first search: its record. */
#include <scree/bfs.h>

#include "bfs/variants.h"

static const scree__variant *const variants[] = {&scree__bfs_direction, &scree__bfs_level, &scree__bfs_dc,
                                                 &scree__bfs_hybrid,    &scree__bfs_tasks, NULL};

static scree_status validate(const scree_graph *graph, uint64_t source, const void *options, const scree_answer *answer,
                             scree_verdict *verdict) {
  (void)options;
  return scree_bfs_validate(graph, source, answer->array[0], answer->array[1], verdict);
}

const scree__kernel scree__kernel_bfs = {
    .about = {.name = "bfs",
              .help = "breadth-first search",
              .source = true,
              .arrays = {{"level", SCREE_VALUE_LEVEL, true}, {"parent", SCREE_VALUE_VERTEX, true}},
              .options_name = "scree_bfs_options",
              .options_init = "SCREE_BFS_OPTIONS_INIT",
              .options_size = sizeof(scree_bfs_options)},
    .variants = variants,
    .validate = validate,
    .passes = 0.325,
    .kept = sizeof(scree__bfs_kept),
};
