/* uts.c - counts the vertices of an unbalanced tree (Olivier et al., UTS: An Unbalanced Tree Search Benchmark, LCPC
 * 2006). A vertex with children is a task, spawned by its parent where that runs: other ranks get work by stealing
 * alone. Where vertices are, and what joins them, is the form's. */
#include "irregular/uts.h"

static const scree__uts_form *const forms[] = {&scree__uts_whole, &scree__uts_vertex, &scree__uts_memory};
enum { FORMS = sizeof forms / sizeof *forms };

static bool plan(const scree__irregular_options *o, scree__irregular_plan *p, char *why, size_t size) {
  const scree__uts_form *form = forms[p->form];
  (void)why, (void)size;
  p->heap = (form->bytes ? form->bytes(&scree__trees[o->tree]) / p->ranks : 0) + (1 << 16);
  return true;
}

static scree_status open(scree__irregular *k) {
  scree__uts_state *u = k->state;
  scree_status status = SCREE_OK;
  u->k = k;
  for (int f = 0; f < FORMS && !status; f++)
    if (forms[f]->open) status = forms[f]->open(u);
  return status;
}

static scree_status prepare(scree__irregular *k) {
  return forms[k->form]->prepare ? forms[k->form]->prepare(k->state) : SCREE_OK;
}

static void work(scree_worker *w, void *arg) {
  scree__uts_state *u = arg;
  scree_reduce *part = &u->worker[w->index].part;
  *part = (scree_reduce){.min = UINT64_MAX};
  u->worker[w->index].here = 0;
  if (scree_begin(w)) return;
  const scree__vertex root = scree__tree_root(scree__uts_tree(u->k));
  if (w->rank == 0 && w->index == 0) forms[u->k->form]->begin(u, w, &root);
  scree_end(w, part);
}

/* What the run has found, and how even it was. */
static scree_status run(scree__irregular *k) {
  scree__uts_state *u = k->state;
  scree_worker *w = scree_worker_of(k->world, 0);
  scree_tasks_stats before = {.size = sizeof before}, after = before;
  scree_status status = scree_tasks_stats_read(k->world, &before);
  if (!status) status = scree_run_workers(k->world, w->threads, work, u);
  if (!status) status = scree_tasks_stats_read(k->world, &after);
  if (status) return status;
  u->found = u->worker[0].part;
  uint64_t here = 0;
  for (uint32_t i = 0; i < w->threads; i++) here += u->worker[i].here;
  scree_reduce even = {.sum = {here, after.moved - before.moved}, .min = UINT64_MAX, .max = here};
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
  scree__uts_count(part, v->depth, v->children == 0);
  for (uint32_t i = 0; i < v->children; i++) {
    const scree__vertex child = scree__tree_child(t, v, i);
    walk(t, &child, part);
  }
}

static scree_status check(scree__irregular *k, uint64_t *wrong) {
  const scree__uts_state *u = k->state;
  const scree__tree *t = scree__uts_tree(k);
  scree_reduce right = {.sum = {t->vertices, t->leaves}, .max = t->deepest};
  const scree__vertex root = scree__tree_root(t);
  if (!t->vertices) walk(t, &root, &right);
  *wrong = u->found.sum[0] != right.sum[0];
  *wrong += u->found.sum[1] != right.sum[1];
  *wrong += u->found.max != right.max;
  return SCREE_OK;
}

const scree__irregular_methods scree__uts = {
    .state = sizeof(scree__uts_state),
    .plan = plan,
    .open = open,
    .prepare = prepare,
    .run = run,
    .check = check,
    .wrong = "of vertices, leaves and depth, on all ranks, are not those of the tree",
};
