/* single.c - each rank takes whole sources, one after the other, on a copy of all rows in an array of its node: where a
 * level has few vertices there is nothing to share within a source, and no rank waits. */
#include <math.h>

#include "bc/run.h"

typedef scree__bc_entry entry;
typedef scree__bc_single view;

/* Sigma; returns the vertices that the source reaches, in the order of their levels. */
static uint32_t forward(const view *s, uint32_t source, uint32_t first, double *largest) {
  entry *at = s->at;
  uint32_t count = 1;
  at[0].queue = source;
  at[source].depth = first;
  at[source].value = 1;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t v = at[i].queue, depth = at[v].depth + 1;
    const double value = at[v].value;
    if (value > *largest) *largest = value;
    for (uint64_t e = s->offsets[v]; e < s->offsets[v + 1]; e++) {
      entry *to = &at[s->heads[e]];
      const bool fresh = to->depth < first;
      at[count].queue = s->heads[e];
      count += fresh;
      to->value = (fresh ? 0 : to->value) + (fresh || to->depth == depth ? value : 0);
      to->depth = fresh ? depth : to->depth;
    }
  }
  return count;
}

static void backward(const view *s, uint32_t count, double *score) {
  entry *at = s->at;
  while (--count > 0) {
    const uint32_t v = at[count].queue, depth = at[v].depth + 1;
    const double value = at[v].value;
    double sum = 0;
    for (uint64_t e = s->offsets[v]; e < s->offsets[v + 1]; e++) {
      const entry *to = &at[s->heads[e]];
      sum += to->depth == depth ? to->value : 0;
    }
    score[v] += value * sum;
    at[v].value = 1 / value + sum;
  }
}

/* The depths of each source are larger than those before it, so that they tell which vertices it has reached. */
static void one_source(scree__run *run, scree__bc *b, uint64_t source) {
  view *s = &b->single;
  const scree_location at = scree_graph_location(run->graph, source);
  const uint32_t place = (uint32_t)(b->base[scree_location_owner(at)] + scree_location_local(at));
  if (s->depth > UINT32_MAX - b->places) {
    memset(s->at, 0, (b->places + 1) * sizeof *s->at);
    s->depth = 0;
  }
  const uint32_t count = forward(s, place, s->depth + 1, &b->largest);
  s->depth = s->at[s->at[count - 1].queue].depth;
  backward(s, count, s->score + b->array->index * b->places);
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t v = s->at[i].queue;
    run->work.edges += 2 * (s->offsets[v + 1] - s->offsets[v]);
  }
}

static scree_status all_sources(scree__run *run, scree__bc *b) {
  uint64_t next = run->worker->rank;
  const scree_status status = scree_begin(run->worker);
  if (status) return status;
  b->total = (scree_reduce)SCREE_REDUCE_INIT;
  while (!scree__run_test_reduce(run, next >= b->sources.count, &b->total)) {
    const uint64_t begun = scree__work_begin(run);
    if (next < b->sources.count && isfinite(b->largest)) one_source(run, b, scree__bc_source(&b->sources, next));
    next += run->worker->ranks;
    memcpy(&b->total.max, &b->largest, sizeof b->total.max);
    scree__work_end(run, begun);
    scree__run_watch_often(run);
  }
  return scree__run_ended(run);
}

/* What the ranks of this node found for a vertex of `rank`. */
static double found(const scree__bc *b, uint32_t rank, uint64_t u) {
  double sum = 0;
  for (uint32_t r = 0; r < b->array->ranks; r++) sum += b->single.score[r * b->places + b->base[rank] + u];
  return sum;
}

/* To the owners. The ranks of this node share those on other nodes. */
static scree_status add_up(scree__run *run, const scree__bc *b) {
  const scree_graph *g = run->graph;
  double *score = run->result[0];
  const scree_status status = scree_begin(run->worker);
  if (status) return status;
  for (uint64_t u = 0; u < g->locals; u++) score[u] += found(b, run->worker->rank, u);
  for (uint32_t r = 0; r < run->worker->ranks; r++) {
    if (b->array->index_of[r] != UINT32_MAX || r % b->array->ranks != b->array->index) continue;
    for (uint64_t u = 0; u < scree_distribution_count(&g->vertices, r); u++) {
      const double value = found(b, r, u);
      if (value > 0) scree__bc_send(run, (uint64_t)r << g->local_bits | u, 0, value);
    }
  }
  return scree__run_end(run, NULL);
}

void scree__bc_take_scores(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  const scree__bc_item *item = items;
  double value, *score = run->result[0];
  (void)sender;
  for (uint32_t i = 0; i < count; i++) {
    memcpy(&value, item[i].value, sizeof value);
    score[item[i].vertex] += value;
  }
}

scree_status scree__bc_solve_single(scree__run *run) {
  scree__bc *b = run->own;
  scree_status status = all_sources(run, b);
  if (status == SCREE_OK) status = scree__bc_refuse(run, b);
  return status ? status : add_up(run, b);
}

/* ---- rows ---- */

/* Bytes of an array for so many places and ranks of this node, and so many arcs. */
static uint64_t array_bytes(uint64_t places, uint64_t sharing, uint64_t arcs) {
  return places * (sizeof(uint64_t) + sharing * sizeof(double)) + arcs * sizeof(uint32_t);
}

/* A hub's row may be as long as the root of the arcs, and a rank may have some of them. A plan is for one node. */
uint64_t scree__bc_single_bytes(const scree_graph *g, uint64_t locals, const void *options) {
  const uint64_t ranks = g->vertices.ranks, places = ranks * (scree_distribution_count(&g->vertices, 0) + 1);
  const uint64_t arcs = g->arcs / ranks, sharing = g->graphs ? scree__bc_sharing(g) : ranks;
  uint64_t root = 1;
  (void)locals;
  (void)options;
  while (root * root < g->arcs) root *= 2;
  return array_bytes(places, sharing, ranks * (arcs + arcs / 4 + 16 * root)) / sharing + places * sizeof(entry) +
         ranks * sizeof(uint64_t);
}

/* A record: the place of a vertex, where its row begins, and the row. */
static void take_row(const void *data, size_t bytes, void *arg) {
  const scree__bc *b = arg;
  const uint64_t *record = data, count = bytes / sizeof *record - 2;
  b->single.offsets[record[0]] = record[1];
  b->single.offsets[record[0] + 1] = record[1] + count;
  for (uint64_t i = 0; i < count; i++) b->single.heads[record[1] + i] = (uint32_t)record[i + 2];
}

/* To this node's array, and to the first ranks of the others. */
static scree_status copy_rows(const scree__run *run, scree__bc *b, uint64_t most, uint64_t *record) {
  const scree_graph *g = run->graph;
  const scree_status status = scree_graphs_exchange_begin(g->graphs, take_row, b);
  if (status) return status;
  for (uint64_t u = 0; u < g->locals; u++) {
    uint64_t words = 2;
    record[0] = b->me + u;
    record[1] = run->worker->rank * most + g->offsets[u];
    for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++)
      record[words++] = scree__bc_place(g, b, scree__head_get(g->targets, g->wide, e));
    take_row(record, words * sizeof *record, b);
    for (uint32_t r = 0; r < run->worker->ranks && !b->whole; r++)
      if (b->array->index_of[r] == UINT32_MAX && b->array->leader_of[r] == r)
        scree_graphs_exchange_send(g->graphs, r, record, words * sizeof *record);
  }
  return scree_graphs_exchange_end(g->graphs);
}

scree_status scree__bc_setup_single(scree__run *run) {
  const scree_graph *g = run->graph;
  scree__bc *b = run->own;
  const uint64_t ranks = run->worker->ranks, places = ranks * (scree_distribution_count(&g->vertices, 0) + 1);
  scree_reduce most = {.sum = {0}, .min = UINT64_MAX, .max = g->offsets[g->locals]}, sharing = most;
  uint64_t longest = 0;
  for (uint64_t u = 0; u < g->locals; u++)
    if (scree_graph_degree(g, u) > longest) longest = scree_graph_degree(g, u);
  sharing.max = scree__bc_sharing(g);
  scree_status status = scree__bc_sources_of(g, run->options, &b->sources);
  if (status == SCREE_OK && places > UINT32_MAX / 2)
    status = scree_graphs_agree(g->graphs, SCREE_EINVAL,
                                "bc: each rank of 'single' has a value of each vertex, of at most 2^31: use rows");
  if (status == SCREE_OK) status = scree_graphs_reduce(g->graphs, &most);
  if (status == SCREE_OK) status = scree_graphs_reduce(g->graphs, &sharing);
  if (status == SCREE_OK) status = scree__run_share(run, array_bytes(places, sharing.max, ranks * most.max), &b->array);
  if (status == SCREE_OK) status = scree__bc_place_ranks(run, b, ranks, true);
  if (status) return status;
  b->single = (view){.offsets = (void *)b->array->at};
  b->single.score = (double *)(b->single.offsets + places);
  b->single.heads = (uint32_t *)(b->single.score + sharing.max * places);
  b->single.at = scree__run_alloc(run, (places + 1) * sizeof *b->single.at);
  uint64_t *record = scree__run_alloc(run, (longest + 2) * sizeof *record);
  b->combined = false;
  status = scree__run_ready(run, true, "the values of a source");
  return status ? status : copy_rows(run, b, most.max, record);
}
