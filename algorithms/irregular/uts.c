/* uts.c - counts the vertices of an unbalanced tree (Olivier et al., UTS: An Unbalanced Tree Search Benchmark, LCPC
 * 2006). A vertex with children is a task, spawned by its parent where that runs: other ranks get work by stealing
 * alone. It is joined by the end of the epoch, or each vertex by its parent. The tree is nowhere in memory (tree.h),
 * or, in form 2, it is in global memory, and read by gets (tree_memory.c). */
#include <string.h>

#include "irregular/tree_memory.h"

enum { WHOLE, VERTEX, MEMORY }; /* forms */
enum { WORKERS = 64, READ = 64 /* children that a get reads, at most */ };

SCREE_TASK(vertex, scree__vertex);
typedef struct {
  scree__tree_node node;
  uint32_t depth;
} node_args;
SCREE_TASK(node, node_args);

typedef struct {
  scree__irregular *k;
  vertex_type vertex;
  node_type node;
  scree_global nodes;
  struct {
    _Alignas(128) scree_reduce part; /* vertices, leaves; max: the depth. Of all workers when the epoch has ended */
  } worker[WORKERS];
  scree_reduce found;
} uts;

static const scree__tree *tree_of(const scree__irregular *k) {
  return &scree__trees[k->options->tree];
}

static void count(scree_reduce *part, uint32_t depth, bool leaf) {
  part->sum[0]++;
  part->sum[1] += leaf;
  if (depth > part->max) part->max = depth;
}

static void run_vertex(scree_task *self, const scree__vertex *v) {
  uts *u = scree_task_arg(self);
  scree_worker *w = scree_task_worker(self);
  scree_scope *scope = u->k->form == VERTEX ? scree_finish(self) : NULL;
  if (u->k->form == VERTEX && !scope) return;
  scree_reduce *part = &u->worker[w->index].part;
  count(part, v->depth, false);
  for (uint32_t i = 0; i < v->children; i++) {
    const scree__vertex child = scree__tree_child(tree_of(u->k), v, i);
    if (child.children)
      vertex_spawn(w, u->vertex, scope, child);
    else
      count(part, child.depth, true);
  }
  if (scope) scree_finish_end(self, scope);
}
SCREE_TASK_BODY(vertex, scree__vertex, run_vertex);

/* A vertex in memory: it reads its children, which follow one another. */
static void run_node(scree_task *self, const node_args *v) {
  uts *u = scree_task_arg(self);
  scree_worker *w = scree_task_worker(self);
  scree__tree_node child[READ];
  const scree_address at = scree_global_at(u->k->map, &u->nodes, 0, 0) + v->node.first * sizeof *child;
  scree_reduce *part = &u->worker[w->index].part;
  count(part, v->depth, false);
  for (uint64_t i = 0; i < v->node.children; i += READ) {
    const uint64_t n = v->node.children - i < READ ? v->node.children - i : READ;
    if (scree_get(self, child, at + i * sizeof *child, n * sizeof *child)) return;
    for (uint64_t c = 0; c < n; c++)
      if (child[c].children)
        node_spawn(w, u->node, NULL, (node_args){child[c], v->depth + 1});
      else
        count(part, v->depth + 1, true);
  }
}
SCREE_TASK_BODY(node, node_args, run_node);

static bool plan(const scree__irregular_options *o, scree__irregular_plan *p, char *why, size_t size) {
  const bool memory = o->algorithm && strcmp(o->algorithm, "memory") == 0;
  (void)why, (void)size;
  p->heap = (memory ? scree__tree_bytes(&scree__trees[o->tree]) / p->ranks : 0) + (1 << 16);
  return true;
}

static scree_status open(scree__irregular *k) {
  uts *u = k->state;
  u->k = k;
  const scree_status status = vertex_register(k->world, u, &u->vertex);
  return status ? status : node_register(k->world, u, &u->node);
}

static scree_status prepare(scree__irregular *k) {
  return k->form == MEMORY ? scree__tree_make(k, tree_of(k), &((uts *)k->state)->nodes) : SCREE_OK;
}

static void work(scree_worker *w, void *arg) {
  uts *u = arg;
  scree_reduce *part = &u->worker[w->index].part;
  *part = (scree_reduce){.min = UINT64_MAX};
  if (scree_begin(w)) return;
  const scree__vertex root = scree__tree_root(tree_of(u->k));
  if (w->rank == 0 && w->index == 0 && u->k->form == MEMORY)
    node_spawn(w, u->node, NULL, (node_args){{1, root.children}, 0});
  else if (w->rank == 0 && w->index == 0)
    vertex_spawn(w, u->vertex, NULL, root);
  scree_end(w, part);
}

/* What the run has found, and how even it was. */
static scree_status run(scree__irregular *k) {
  uts *u = k->state;
  scree_worker *w = scree_worker_of(k->world, 0);
  scree_tasks_stats before = {.size = sizeof before}, after = before;
  scree_status status = scree_tasks_stats_read(k->world, &before);
  if (!status) status = scree_run_workers(k->world, w->threads, work, u);
  if (!status) status = scree_tasks_stats_read(k->world, &after);
  if (status) return status;
  u->found = u->worker[0].part;
  const uint64_t run_here = after.run - before.run;
  scree_reduce even = {.sum = {run_here, after.moved - before.moved}, .min = UINT64_MAX, .max = run_here};
  status = scree_begin(w);
  if (!status) status = scree_end(w, &even);
  k->items = u->found.sum[0];
  k->figure[0] = (double)u->found.sum[0];
  k->figure[1] = (double)u->found.sum[1];
  k->figure[2] = (double)u->found.max;
  k->figure[3] = even.sum[0] ? (double)even.max * w->ranks / (double)even.sum[0] : 1;
  k->figure[4] = (double)even.sum[1];
  return status;
}

/* Of a short tree. */
static void walk(const scree__tree *t, const scree__vertex *v, scree_reduce *part) {
  count(part, v->depth, v->children == 0);
  for (uint32_t i = 0; i < v->children; i++) {
    const scree__vertex child = scree__tree_child(t, v, i);
    walk(t, &child, part);
  }
}

static scree_status check(scree__irregular *k, uint64_t *wrong) {
  const uts *u = k->state;
  const scree__tree *t = tree_of(k);
  scree_reduce right = {.sum = {t->vertices, t->leaves}, .max = t->deepest};
  const scree__vertex root = scree__tree_root(t);
  if (!t->vertices) walk(t, &root, &right);
  *wrong = u->found.sum[0] != right.sum[0];
  *wrong += u->found.sum[1] != right.sum[1];
  *wrong += u->found.max != right.max;
  return SCREE_OK;
}

const scree__irregular_methods scree__uts = {
    .state = sizeof(uts),
    .plan = plan,
    .open = open,
    .prepare = prepare,
    .run = run,
    .check = check,
    .wrong = "of vertices, leaves and depth, on all ranks, are not those of the tree",
};
