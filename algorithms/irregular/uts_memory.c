/* uts_memory.c - the tree of `scree uts` is in global memory, as Grappa's (Nelson et al. 2015, section 7.2): a task
 * reads the children of its vertex, which follow one another, by gets. */
#include "irregular/uts.h"

enum { READ = 64 /* children that a get reads, at most */ };

static void run_node(scree_task *self, const node_args *v) {
  scree__uts_state *u = scree_task_arg(self);
  scree_worker *w = scree_task_worker(self);
  scree__tree_node child[READ];
  const scree_address at = scree_global_at(u->k->map, &u->nodes, 0, 0) + v->node.first * sizeof *child;
  scree_reduce part = {.min = UINT64_MAX};
  scree__uts_count(&part, v->depth, false);
  for (uint64_t i = 0; i < v->node.children; i += READ) {
    const uint64_t n = v->node.children - i < READ ? v->node.children - i : READ;
    if (scree_get(self, child, at + i * sizeof *child, n * sizeof *child)) return;
    for (uint64_t c = 0; c < n; c++)
      if (child[c].children)
        node_spawn(w, u->node, NULL, (node_args){child[c], v->depth + 1});
      else
        scree__uts_count(&part, v->depth + 1, true);
  }
  scree__uts_add(u, w, &part);
}
SCREE_TASK_BODY(node, node_args, run_node);

static scree_status open(scree__uts_state *u) {
  return node_register(u->k->world, u, &u->node);
}

static scree_status prepare(scree__uts_state *u) {
  return scree__tree_make(u->k, scree__uts_tree(u->k), &u->nodes);
}

static void begin(scree__uts_state *u, scree_worker *w, const scree__vertex *root) {
  node_spawn(w, u->node, NULL, (node_args){{1, root->children}, 0});
}

const scree__uts_form scree__uts_memory = {
    .open = open, .bytes = scree__tree_bytes, .prepare = prepare, .begin = begin};
