/* uts_implicit.c - the tree of `scree uts` is nowhere in memory (tree.h): a task makes the children of its vertex. They
 * are joined by the end of the epoch, or each vertex waits for its own in a scope, on its stack. */
#include "irregular/uts.h"

static void run_vertex(scree_task *self, const vertex_args *args) {
  scree__uts_state *u = scree_task_arg(self);
  scree_worker *w = scree_task_worker(self);
  const scree__vertex *v = &args->vertex;
  scree_scope *scope = args->joins ? scree_finish(self) : NULL;
  if (args->joins && !scope) return;
  scree_reduce *part = &u->worker[w->index].part;
  scree__uts_count(part, v->depth, false);
  for (uint32_t i = 0; i < v->children; i++) {
    const scree__vertex child = scree__tree_child(scree__uts_tree(u->k), v, i);
    if (child.children)
      vertex_spawn(w, u->vertex, scope, (vertex_args){child, args->joins});
    else
      scree__uts_count(part, child.depth, true);
  }
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
