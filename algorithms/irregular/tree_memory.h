/* tree_memory.h - a tree of UTS in global memory, as Grappa's (Nelson et al. 2015, section 7.2): 16 bytes for each
 * vertex, level by level, in stripes on all ranks, so that the children of a vertex follow one another, and most are on
 * other ranks than it is. */
#ifndef SCREE__IRREGULAR_TREE_MEMORY_H
#define SCREE__IRREGULAR_TREE_MEMORY_H
#include "irregular/irregular.h"
#include "irregular/tree.h"

/* A vertex: the number of its first child, and how many it has. */
typedef struct {
  uint64_t first, children;
} scree__tree_node;

/* Bytes of all ranks: those of the short trees are bounds. */
static inline uint64_t scree__tree_bytes(const scree__tree *t) {
  return sizeof(scree__tree_node) * (t->vertices ? t->vertices : 1 << 14);
}

/* Makes the tree, once: each rank makes all of it, and stores what is its own. Collective, before a run. */
scree_status scree__tree_make(scree__irregular *k, const scree__tree *t, scree_global *nodes);
#endif
