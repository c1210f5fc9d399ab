/* variants.h - the variants of BFS, and the arrays of their answers. */
#ifndef SCREE__BFS_VARIANTS_H
#define SCREE__BFS_VARIANTS_H
#include <scree/bfs.h>

#include "kernel/pruning.h"
#include "kernel/tasks.h"

/* The arrays have an entry for each local vertex. -1: not reached; SCREE_NO_VERTEX: none. */
static inline int64_t *scree__level(const scree__run *run) {
  return run->result[0];
}
static inline uint64_t *scree__parent(const scree__run *run) {
  return run->result[1];
}

/* The pruning of the options, one of SCREE_PRUNING_TABLE and following. */
static inline uint64_t scree__bfs_pruning(const scree__run *run) {
  const scree_bfs_options *o = run->options;
  return o->no_pruning ? SCREE_PRUNING_OFF : o->pruning;
}

/* What a solver keeps. */
SCREE_LOOP(scree__expand, uint64_t);
typedef struct {
  scree__run_tasks tasks; /* first */
  scree__expand_type expand;
} scree__bfs_kept;

extern const scree__variant scree__bfs_level, scree__bfs_dc, scree__bfs_direction, scree__bfs_hybrid, scree__bfs_tasks;

#endif
