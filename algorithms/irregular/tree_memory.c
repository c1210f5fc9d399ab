/* tree_memory.c - makes a tree of UTS in global memory. */
#include "irregular/tree_memory.h"

#include <stdlib.h>

/* Vertices with children, of one level. */
typedef struct {
  scree__vertex *at;
  uint64_t count, space;
} level;

static bool push(level *l, const scree__vertex *v) {
  if (l->count == l->space) {
    scree__vertex *bigger = realloc(l->at, (l->space = 2 * l->space + 64) * sizeof *bigger);
    if (!bigger) return false;
    l->at = bigger;
  }
  l->at[l->count++] = *v;
  return true;
}

/* This rank's own. */
static void store(const scree__irregular *k, const scree_global *nodes, uint64_t i, scree__tree_node node) {
  const scree_address a = scree_global_at(k->map, nodes, 0, i * sizeof node);
  if (scree_global_owner(k->map, a) == scree_worker_of(k->world, 0)->rank)
    *(scree__tree_node *)scree_global_local(k->map, a) = node;
}

/* The children of a level's vertices are numbered in their order; `made` vertices were numbered before. False: no
 * memory. */
static bool next_level(scree__irregular *k, const scree__tree *t, const scree_global *nodes, const level *now,
                       level *next, uint64_t *made) {
  const uint64_t space = nodes->bytes / sizeof(scree__tree_node);
  uint64_t grandchildren = *made;
  for (uint64_t v = 0; v < now->count; v++) grandchildren += now->at[v].children;
  for (uint64_t v = 0; v < now->count; v++)
    for (uint32_t i = 0; i < now->at[v].children; i++) {
      const scree__vertex child = scree__tree_child(t, &now->at[v], i);
      if (*made == space || (child.children && !push(next, &child))) return false;
      store(k, nodes, (*made)++, (scree__tree_node){grandchildren, child.children});
      grandchildren += child.children;
    }
  return true;
}

scree_status scree__tree_make(scree__irregular *k, const scree__tree *t, scree_global *nodes) {
  if (nodes->bytes) return SCREE_OK;
  const scree__vertex root = scree__tree_root(t);
  level now = {0}, next = {0};
  uint64_t made = 1;
  const scree_status status = scree__irregular_alloc(k, scree__tree_bytes(t), SCREE_GLOBAL_CYCLIC, nodes);
  if (status) return status;
  store(k, nodes, 0, (scree__tree_node){1, root.children});
  bool good = push(&now, &root);
  while (good && now.count) {
    next.count = 0;
    good = next_level(k, t, nodes, &now, &next, &made);
    const level done = now;
    now = next;
    next = done;
  }
  free(now.at);
  free(next.at);
  return good ? SCREE_OK : SCREE_ENOMEM;
}
