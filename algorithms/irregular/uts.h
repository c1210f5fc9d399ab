/* uts.h - the state of `scree uts`, and what its forms are: where vertices are. */
#ifndef SCREE__IRREGULAR_UTS_H
#define SCREE__IRREGULAR_UTS_H
#include "irregular/irregular.h"
#include "irregular/tree_memory.h"

enum { SCREE__UTS_WORKERS = 64 };

/* A task has a vertex, which waits for its children or not; or one of a tree in memory. */
typedef struct {
  scree__vertex vertex;
  bool joins;
} vertex_args;
SCREE_TASK(vertex, vertex_args);
typedef struct {
  scree__tree_node node;
  uint32_t depth;
} node_args;
SCREE_TASK(node, node_args);

typedef struct {
  scree__irregular *k;
  vertex_type vertex;
  node_type node;
  scree_global nodes; /* of a tree in memory */
  struct {
    _Alignas(128) scree_reduce part; /* vertices, leaves; max: the depth. Of all workers when the epoch has ended */
    uint64_t here;                   /* vertices of this worker */
  } worker[SCREE__UTS_WORKERS];
  scree_reduce found;
} scree__uts_state;

typedef struct {
  scree_status (*open)(scree__uts_state *u);                                      /* of all forms; collective */
  uint64_t (*bytes)(const scree__tree *t);                                        /* of all ranks; NULL: none */
  scree_status (*prepare)(scree__uts_state *u);                                   /* NULL: nothing to do */
  void (*begin)(scree__uts_state *u, scree_worker *w, const scree__vertex *root); /* spawns the root's task */
} scree__uts_form;
extern const scree__uts_form scree__uts_whole, scree__uts_vertex, scree__uts_memory;

static inline const scree__tree *scree__uts_tree(const scree__irregular *k) {
  return &scree__trees[k->options->tree];
}

static inline void scree__uts_count(scree_reduce *part, uint32_t depth, bool leaf) {
  part->sum[0]++;
  part->sum[1] += leaf;
  if (depth > part->max) part->max = depth;
}

/* What a task has counted. */
static inline void scree__uts_add(scree__uts_state *u, const scree_worker *w, const scree_reduce *found) {
  scree_reduce *part = &u->worker[w->index].part;
  u->worker[w->index].here += found->sum[0];
  part->sum[0] += found->sum[0];
  part->sum[1] += found->sum[1];
  if (found->max > part->max) part->max = found->max;
}

#endif
