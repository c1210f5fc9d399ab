/* tc.c - the kernel of triangles: its record, and what its variants share. */
#include "tc/run.h"

#include <string.h>

enum { CLASS_MAX = 62 };

SCREE_MESSAGE_ROUTED(tc_count, scree__tc_count_item);
SCREE_MESSAGE_ROUTED(tc_classes, scree__tc_classes_item);

/* ---- counts ---- */

void scree__tc_take_counts(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  const scree__tc_count_item *item = items;
  uint64_t *triangles = run->result[0];
  (void)sender;
  for (uint32_t i = 0; i < count; i++) triangles[item[i].target] += item[i].triangles;
}

void scree__tc_add(scree__run *run, uint64_t location, uint64_t triangles) {
  const scree_graph *g = run->graph;
  const scree__tc *t = run->own;
  const scree__tc_part *p = scree__tc_part_of(run);
  const uint32_t owner = (uint32_t)(location >> g->local_bits);
  const uint64_t local = location & ((UINT64_C(1) << g->local_bits) - 1);
  if (owner == run->worker->rank && local - p->first < p->count) {
    ((uint64_t *)run->result[0])[local] += triangles;
    return;
  }
  tc_count_send(run->worker, (tc_count_type){run->types[SCREE__TC_COUNT]}, scree__tc_worker(t, owner, local),
                (scree__tc_count_item){(uint32_t)local, (uint32_t)triangles});
  run->work.messages++;
}

uint64_t scree__tc_common(scree__run *run, uint64_t u, uint64_t from, const uint64_t *keys, uint32_t count) {
  const scree__tc *t = run->own;
  const scree__tc_row row = scree__tc_row_of(t, scree__tc_own_location(run->graph, u));
  uint64_t at = row.begin + from, triangles = 0;
  for (uint32_t i = 0; i < count && at < row.end; i++) {
    const uint64_t key = scree__head_get(keys, t->wide, i);
    at = scree__tc_search(row, t->wide, at, key);
    if (at == row.end || scree__head_get(row.keys, t->wide, at) != key) continue;
    if (!scree__tc_is_vertex(t, key)) break;
    scree__tc_add(run, scree__tc_location(t, key), 1);
    triangles++;
  }
  ((uint64_t *)run->result[0])[u] += triangles;
  run->work.edges += count;
  return triangles;
}

/* ---- classes ---- */

/* As in GAP (Beamer, Asanovic & Patterson 2015): if there are 10 arcs per vertex and the mean degree is 1.3 times the
 * median. *pays is the same on all ranks. */
static scree_status classes_pay(const scree_graph *g, bool *pays) {
  scree_reduce all = SCREE_REDUCE_INIT;
  for (uint64_t u = 0; u < g->locals; u++) all.sum[0] += scree_graph_degree(g, u) > 0;
  scree_status status = scree_graphs_reduce(g->graphs, &all);
  const uint64_t vertices = all.sum[0];
  const double bound = (double)g->arcs / (double)(vertices ? vertices : 1) / 1.3;
  all = (scree_reduce)SCREE_REDUCE_INIT;
  for (uint64_t u = 0; u < g->locals; u++)
    all.sum[0] += scree_graph_degree(g, u) > 0 && (double)scree_graph_degree(g, u) < bound;
  if (status == SCREE_OK) status = scree_graphs_reduce(g->graphs, &all);
  *pays = g->arcs / g->vertices.n >= 10 && 2 * all.sum[0] > vertices;
  return status;
}

static unsigned char class_of(uint64_t degree) {
  if (degree < 2) return 0;
  const unsigned octave = 63 - (unsigned)__builtin_clzll(degree);
  return (unsigned char)(octave < 31 ? 2 * octave + (degree >> (octave - 1) & 1) : CLASS_MAX);
}

void scree__tc_take_classes(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  const scree__tc_classes_item *item = items;
  scree__tc *t = run->own;
  (void)sender;
  for (uint32_t i = 0; i < count; i++) memcpy(t->class_of + item[i].at, item[i].class_of, item[i].count);
}

static void send_classes(scree__run *run, const scree__tc *t) {
  const scree_graph *g = run->graph;
  const uint64_t first = (uint64_t)scree_graph_rank(g) << g->local_bits;
  for (uint64_t u = 0; u < g->locals; u += SCREE__TC_CLASSES)
    for (uint32_t to = 0; to < g->vertices.ranks; to++) {
      const uint64_t left = g->locals - u, count = left < SCREE__TC_CLASSES ? left : SCREE__TC_CLASSES;
      scree__tc_classes_item item = {.at = first + u, .count = (unsigned char)count};
      if (t->classes->index_of[to] != UINT32_MAX || t->classes->leader_of[to] != to) continue;
      memcpy(item.class_of, t->class_of + item.at, count);
      tc_classes_send(run->worker, (tc_classes_type){run->types[SCREE__TC_CLASS]}, to, item);
      run->work.messages++;
    }
}

static scree_status open_classes(scree__run *run, scree__tc *t) {
  const scree_graph *g = run->graph;
  scree_status status = scree__run_share(run, scree_graph_slots(g), &t->classes);
  if (status) return status;
  t->class_of = (unsigned char *)t->classes->at;
  unsigned char *own = t->class_of + ((uint64_t)scree_graph_rank(g) << g->local_bits);
  for (uint64_t u = 0; u < g->locals; u++) own[u] = class_of(scree_graph_degree(g, u));
  status = scree_begin(run->worker);
  if (status) return status;
  send_classes(run, t);
  return scree__run_end(run, NULL);
}

/* ---- a run ---- */

/* A worker's round lasts until it has examined its rows, or has as many far ones as it may ask for. */
static scree_status one_round(scree__run *run, const scree__tc *t, scree__tc_part *p) {
  scree_status status = scree_begin(run->worker);
  if (status) return status;
  bool asked = false;
  p->fars = 0;
  p->more = (scree_reduce){.sum = {p->next < p->count}, .min = UINT64_MAX};
  while (!scree__run_test_reduce(run, asked, &p->more)) {
    const bool over = p->next == p->count || p->fars >= t->fars;
    if (over && !asked && t->how->ask) t->how->ask(run);
    asked = over;
    if (!over) scree__tc_examine(run);
  }
  run->work.epochs++;
  if (run->worker->index == 0) scree__run_watch(run);
  return scree__run_status(run);
}

/* Each worker runs these two. */
static void make_rows(scree_worker *worker, void *arg) {
  const scree__tc *t = ((scree__run *)arg)->own;
  scree__run *run = &t->runs[worker->index];
  scree__tc_part *p = scree__tc_part_of(run);
  scree__tc_make_rows(run);
  p->status = scree_begin(worker);
  if (p->status == SCREE_OK) p->status = scree_end(worker, NULL); /* the rows of all are made */
  run->work.epochs++;
}

static void run_worker(scree_worker *worker, void *arg) {
  const scree__tc *t = ((scree__run *)arg)->own;
  scree__run *run = &t->runs[worker->index];
  scree__tc_part *p = scree__tc_part_of(run);
  do
    if (p->status == SCREE_OK) p->status = one_round(run, t, p);
  while (p->status == SCREE_OK && p->more.sum[0]);
}

static void alloc_tables(const scree__run *run, scree__tc *t) {
  uint64_t slots = 1;
  while (slots < 4 * t->longest) slots *= 2;
  const bool far = t->how->ask && t->rows->ranks < run->worker->ranks;
  for (uint32_t w = 0; w < t->workers; w++) {
    scree__tc_part *p = &t->parts[w];
    p->keys = scree__run_alloc(run, (2 * t->longest_of_graph + 1) * sizeof *p->keys);
    p->slots = scree__run_alloc(run, slots * sizeof *p->slots);
    p->filter = scree__run_alloc(run, (1 << SCREE__TC_FILTER) / 8);
    p->found = scree__run_alloc(run, (t->longest + 1) * sizeof *p->found);
    p->far = far ? scree__run_alloc(run, (t->fars + t->longest) * sizeof *p->far) : NULL;
    const uint64_t first = w * t->share < run->graph->locals ? w * t->share : run->graph->locals;
    const uint64_t left = run->graph->locals - first;
    p->first = first;
    p->count = left < t->share ? left : t->share;
  }
}

/* Makes the rows of all ranks. */
static scree_status prepare(scree__run *run, scree__tc *t) {
  scree_status status = scree__tc_open_rows(run, t);
  if (status) return status;
  t->fars = t->how->ask ? scree__tc_fars(t->keys) : UINT64_MAX;
  alloc_tables(run, t);
  status = scree__run_ready(run, true, "rows of later neighbours");
  if (status == SCREE_OK) status = scree_run_workers(scree_world_of(run->worker), t->workers, make_rows, run);
  return status ? status : t->parts[0].status;
}

/* Rows without classes are those of a graph that is sorted, so they are made before the clock runs, if there is a run
 * at all. */
scree_status scree__tc_setup(scree__run *run, const scree__tc_how *how) {
  const scree_graph *g = run->graph;
  const uint64_t most = scree_distribution_count(&g->vertices, 0);
  const uint32_t workers = run->worker->threads;
  scree__tc *t = scree__run_alloc(run, sizeof *t + workers * sizeof *t->parts);
  for (uint32_t w = 0; w < workers; w++) run[w].own = t;
  if (t)
    *t =
        (scree__tc){.runs = run, .how = how, .workers = workers, .share = (most + workers - 1) / workers + (most == 0)};
  scree_status status = scree__run_ready(run, true, "triangles");
  if (status == SCREE_OK) status = classes_pay(g, &t->classed);
  if (status) return status;
  t->shift = g->local_bits + 64 - (unsigned)__builtin_clzll(g->vertices.ranks);
  t->wide = t->shift + (t->classed ? SCREE__TC_CLASS_BITS : 1) > 32;
  return t->classed || !run->result[0] ? SCREE_OK : prepare(run, t);
}

scree_status scree__tc_solve(scree__run *run) {
  scree__tc *t = run->own;
  scree_status status = t->classed ? open_classes(run, t) : SCREE_OK;
  if (status == SCREE_OK && t->classed) status = prepare(run, t);
  if (status == SCREE_OK) status = scree_run_workers(scree_world_of(run->worker), t->workers, run_worker, run);
  scree__run_add_workers(run);
  return status ? status : t->parts[0].status;
}

/* ---- the kernel ---- */

/* Of the longest part of an array of rows: an edge is a key, and the parts differ by a quarter. A row has fewer keys
 * than the root of the arcs. */
static uint64_t bytes_of_keys(const scree_graph *g, uint64_t locals, const void *options) {
  (void)options;
  (void)locals;
  const uint64_t keys = g->arcs / 2 / g->vertices.ranks;
  uint64_t root = 1;
  while (root * root < g->arcs) root *= 2;
  return (keys + keys / 4) * scree__head_bytes(g->wide) + (1 << SCREE__TC_FILTER) / 8 + 32 * root;
}

static scree_status finish(scree__run *run) {
  const uint64_t *triangles = run->result[0], *degree = run->result[1];
  double *clustering = run->result[1];
  scree_reduce all = SCREE_REDUCE_INIT;
  for (uint64_t u = 0; u < run->graph->locals; u++) {
    all.sum[0] += triangles[u];
    clustering[u] = scree__tc_clustering(triangles[u], degree[u]);
  }
  const scree_status status = scree_graphs_reduce(run->graph->graphs, &all);
  run->figure[0] = (double)(all.sum[0] / 3);
  run->passes = 1;
  run->reason = ((const scree__tc *)run->own)->classed ? "vertices are ordered by degree: degrees differ much"
                                                       : "vertices keep their order: degrees differ little";
  return status;
}

static const scree__variant *const variants[] = {&scree__tc_pull, &scree__tc_push, NULL};

const scree__kernel scree__kernel_tc = {
    .about = {.name = "tc",
              .help =
                  "triangles: of each vertex, and its clustering coefficient; of undirected graphs only (--undirected)",
              .arrays = {{"triangles", SCREE_VALUE_COUNT, true}, {"clustering", SCREE_VALUE_REAL, true}},
              .figures = {"triangles"},
              .options_name = "scree_kernel_options",
              .options_init = "scree_kernel_options_init",
              .options_size = sizeof(scree_kernel_options)},
    .variants = variants,
    .setup = scree__run_undirected,
    .finish = finish,
    .validate = scree__tc_validate,
    .memory = {.node_bits = 64 + 8, .more = bytes_of_keys},
};
