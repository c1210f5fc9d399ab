/* uts_implicit.c - the tree of `scree uts` is nowhere in memory (tree.h): a task makes the children of its vertex, and
 * theirs, as far as its walk is to go, and spawns a task for each vertex that is then left. They are joined by the end
 * of the epoch, or each vertex is a task that waits for its children in a scope, on its stack. */
#include "irregular/uts.h"

enum { WALK = 64 /* vertices with children that a task walks, at most */ };

static void run_vertex(scree_task *self, const vertex_args *args) {
  scree__uts_state *u = scree_task_arg(self);
  scree_worker *w = scree_task_worker(self);
  const uint32_t walk = args->joins ? 1 : WALK;
  scree__vertex left[WALK];
  uint32_t n = 0;
  scree_scope *scope = args->joins ? scree_finish(self) : NULL;
  if (args->joins && !scope) return;
  scree_reduce part = {.min = UINT64_MAX};
  left[n++] = args->vertex;
  for (uint32_t walked = 0; n && walked < walk; walked++) {
    const scree__vertex v = left[--n];
    scree__uts_count(&part, v.depth, false);
    for (uint32_t i = 0; i < v.children; i++) {
      const scree__vertex child = scree__tree_child(scree__uts_tree(u->k), &v, i);
      if (child.children == 0)
        scree__uts_count(&part, child.depth, true);
      else if (n < walk)
        left[n++] = child;
      else
        vertex_spawn(w, u->vertex, scope, (vertex_args){child, args->joins});
    }
  }
  while (n) vertex_spawn(w, u->vertex, scope, (vertex_args){left[--n], args->joins});
  scree__uts_add(u, w, &part);
  if (scope) scree_finish_end(self, scope);
}
SCREE_TASK_BODY(vertex, vertex_args, run_vertex);

static scree_status open(scree__uts_state *u) {
  return vertex_register(u->k->world, u, &u->vertex);
}

static void begin_whole(scree__uts_state *u, scree_worker *w, const scree__vertex *root) {
  vertex_spawn(w, u->vertex, NULL, (vertex_args){*root, false});
}
static void begin_vertex(scree__uts_state *u, scree_worker *w, const scree__vertex *root) {
  vertex_spawn(w, u->vertex, NULL, (vertex_args){*root, true});
}

const scree__uts_form scree__uts_whole = {.open = open, .begin = begin_whole};
const scree__uts_form scree__uts_vertex = {.begin = begin_vertex};
