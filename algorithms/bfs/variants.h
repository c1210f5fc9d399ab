/* variants.h - the variants of BFS.
 *
 * Room: one line for each file that holds a variant. */
#ifndef SCREE__BFS_VARIANTS_H
#define SCREE__BFS_VARIANTS_H
#include <scree/bfs.h>

#include "common/solver.h"

extern const scree__variant scree__bfs_level, scree__bfs_dc, scree__bfs_direction;

#endif
