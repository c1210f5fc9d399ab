/* uts.c - counts the vertices of an unbalanced tree (Olivier et al., UTS: An Unbalanced Tree Search Benchmark, LCPC 2006) that is nowhere in
 * memory: a vertex is a SHA-1, and that of a child the SHA-1 of its parent's and its number. A vertex with children is a task, spawned
 * by its parent where that runs: other ranks get work by stealing alone. It is joined by the end of the epoch, or each vertex by its parent. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "irregular/irregular.h"
#include "irregular/sha1.h"

enum { MOST = 100 /* children */, WORKERS = 64 };

/* Geometric: `branch` children on average, down to a depth; binomial: `branch` at the root, elsewhere `many` with a probability, else
 * none. The numbers of T1 to T3L are those that UTS publishes; the short trees are for tests, and are walked serially instead. */
static const struct {
  bool binomial;
  double branch, probability;
  uint32_t many, depth, seed;
  uint64_t vertices, leaves, deepest;
} trees[] = {
    {false, 4, 0, 0, 10, 19, 4130071, 3305118, 10},
    {true, 2000, 0.124875, 8, 0, 42, 4112897, 3599034, 1572},
    {false, 4, 0, 0, 13, 29, 102181082, 81746377, 13},
    {true, 2000, 0.200014, 5, 0, 7, 111345631, 89076904, 17844},
    {false, 4, 0, 0, 4, 19, 0, 0, 0},
    {true, 30, 0.19, 5, 0, 42, 0, 0, 0},
};

typedef struct {
  uint32_t state[SCREE__SHA1_WORDS], depth, children;
} vertex_args;
SCREE_TASK(vertex, vertex_args);

typedef struct {
  scree__irregular *k;
  vertex_type vertex;
  struct {
    _Alignas(128) scree_reduce part; /* vertices, leaves; max: the depth. Of all workers when the epoch has ended */
    uint64_t vertices;
  } worker[WORKERS];
  scree_reduce found;
  uint64_t steals; /* of this rank, in all runs */
} uts;

static uint32_t children_of(uint64_t tree, const vertex_args *v) {
  const double u = (v->state[SCREE__SHA1_WORDS - 1] & 0x7fffffff) / 2147483648.0;
  if (trees[tree].binomial)
    return v->depth == 0 ? (uint32_t)trees[tree].branch : u < trees[tree].probability ? trees[tree].many : 0;
  if (v->depth >= trees[tree].depth) return 0;
  const double n = floor(log(1 - u) / log(1 - 1 / (1 + trees[tree].branch)));
  return n < MOST ? (uint32_t)n : MOST;
}

static vertex_args root_of(uint64_t tree) {
  const uint32_t seed[SCREE__SHA1_WORDS] = {0, 0, 0, 0, trees[tree].seed};
  vertex_args root = {.depth = 0};
  scree__sha1(root.state, seed, SCREE__SHA1_WORDS);
  root.children = children_of(tree, &root);
  return root;
}

static void count(scree_reduce *part, uint32_t depth, bool leaf) {
  part->sum[0]++;
  part->sum[1] += leaf;
  if (depth > part->max) part->max = depth;
}

static vertex_args child_of(uint64_t tree, const vertex_args *v, uint32_t i) {
  uint32_t words[SCREE__SHA1_WORDS + 1];
  vertex_args child = {.depth = v->depth + 1};
  memcpy(words, v->state, sizeof v->state);
  words[SCREE__SHA1_WORDS] = i;
  scree__sha1(child.state, words, SCREE__SHA1_WORDS + 1);
  child.children = children_of(tree, &child);
  return child;
}

static void run_vertex(scree_task *self, const vertex_args *v) {
  uts *u = scree_task_arg(self);
  scree_worker *w = scree_task_worker(self);
  const uint64_t tree = u->k->options->tree;
  scree_scope *scope = u->k->form ? scree_finish(self) : NULL;
  if (u->k->form && !scope) return;
  scree_reduce *part = &u->worker[w->index].part;
  count(part, v->depth, false);
  for (uint32_t i = 0; i < v->children; i++) {
    const vertex_args child = child_of(tree, v, i);
    if (child.children)
      vertex_spawn(w, u->vertex, scope, child);
    else
      count(part, child.depth, true);
  }
  if (scope) scree_finish_end(self, scope);
}
SCREE_TASK_BODY(vertex, vertex_args, run_vertex);

static bool plan(const scree__irregular_options *o, scree__irregular_plan *p, char *why, size_t size) {
  (void)o, (void)why, (void)size;
  return p->heap = 4096, true;
}

static scree_status open(scree__irregular *k) {
  uts *u = k->state;
  u->k = k;
  return vertex_register(k->world, u, &u->vertex);
}

static void work(scree_worker *w, void *arg) {
  uts *u = arg;
  scree_reduce *part = &u->worker[w->index].part;
  *part = (scree_reduce){.min = UINT64_MAX};
  if (scree_begin(w)) return;
  const vertex_args root = root_of(u->k->options->tree);
  if (w->rank == 0 && w->index == 0) vertex_spawn(w, u->vertex, NULL, root);
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
static void walk(uint64_t tree, const vertex_args *v, scree_reduce *part) {
  count(part, v->depth, v->children == 0);
  for (uint32_t i = 0; i < v->children; i++) {
    const vertex_args child = child_of(tree, v, i);
    walk(tree, &child, part);
  }
}

static scree_status check(scree__irregular *k, uint64_t *wrong) {
  const uts *u = k->state;
  const uint64_t tree = k->options->tree;
  scree_reduce right = {.sum = {trees[tree].vertices, trees[tree].leaves}, .max = trees[tree].deepest};
  const vertex_args root = root_of(tree);
  if (!trees[tree].vertices) walk(tree, &root, &right);
  *wrong = u->found.sum[0] != right.sum[0];
  *wrong += u->found.sum[1] != right.sum[1];
  *wrong += u->found.max != right.max;
  return SCREE_OK;
}

const scree__irregular_methods scree__uts = {
    .state = sizeof(uts),
    .plan = plan,
    .open = open,
    .run = run,
    .check = check,
    .wrong = "of vertices, leaves and depth, on all ranks, are not those of the tree",
};
