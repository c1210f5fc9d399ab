/* rows.c - the rows of each vertex's later neighbours, made from those of the graph, and the search in one. */
#include "graph/u64_vector.h"
#include "tc/run.h"

/* Arcs to later vertices, which are as many keys if there are no parallel edges. */
static uint64_t later(const scree_graph *g, const scree__tc *t, uint64_t u) {
  const uint64_t self = scree__tc_key_of(t, scree__tc_own_location(g, u)), end = g->offsets[u + 1];
  uint64_t count = 0;
  for (uint64_t e = g->offsets[u]; e < end; e++)
    count += scree__tc_key_of(t, scree__head_get(g->targets, g->wide, e)) > self;
  return count;
}

scree_status scree__tc_open_rows(scree__run *run, scree__tc *t) {
  const scree_graph *g = run->graph;
  const uint64_t most = scree_distribution_count(&g->vertices, 0);
  for (uint64_t u = 0; u < g->locals; u++) {
    const uint64_t arcs = scree_graph_degree(g, u), count = later(g, t, u);
    t->keys += count;
    if (count > t->longest) t->longest = count;
    if (arcs > t->longest_of_graph) t->longest_of_graph = arcs;
  }
  scree_world *world = scree_world_of(run->worker);
  const bool alone = scree_options_of(world)->node_arrays == SCREE_NODE_ARRAYS_OFF;
  scree_reduce all = {.min = UINT64_MAX - (alone ? 1 : scree_node_ranks(world)), .max = t->keys};
  scree_status status = scree_graphs_reduce(g->graphs, &all);
  if (status) return status;
  t->offset_bytes = (most + 1) * sizeof(uint64_t);
  t->bytes = (t->offset_bytes + all.max * scree__head_bytes(t->wide) + 63) / 64 * 64;
  status = scree__run_share(run, (UINT64_MAX - all.min) * t->bytes, &t->rows);
  if (status) return status;
  uint64_t *offsets = (void *)(t->rows->at + t->rows->index * t->bytes), sum = 0;
  for (uint64_t u = 0; u < g->locals; u++) {
    offsets[u] = sum;
    sum += later(g, t, u);
  }
  offsets[g->locals] = sum;
  return SCREE_OK;
}

uint64_t *scree__tc_neighbours(const scree__run *run, uint64_t u, bool sorted, uint64_t *count) {
  const scree_graph *g = run->graph;
  const scree__tc *t = run->own;
  const uint64_t self = scree__tc_own_location(g, u);
  uint64_t *keys = scree__tc_part_of(run)->keys, n = 0;
  for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) {
    const uint64_t head = scree__head_get(g->targets, g->wide, e);
    keys[n] = scree__tc_key_of(t, head);
    n += head != self;
  }
  *count = n;
  if (!sorted) return keys;
  *count = scree__u64_sort_unique(&keys, keys + t->longest_of_graph, n);
  scree__tc_part_of(run)->repeats |= *count < n;
  return keys;
}

void scree__tc_make_rows(scree__run *run) {
  const scree_graph *g = run->graph;
  const scree__tc *t = run->own;
  const scree__tc_part *p = scree__tc_part_of(run);
  uint64_t *degree = run->result[1];
  char *own = t->rows->at + t->rows->index * t->bytes;
  for (uint64_t u = p->first; u < p->first + p->count; u++) {
    const scree__tc_row row = scree__tc_row_of(t, scree__tc_own_location(g, u));
    const uint64_t self = scree__tc_key_of(t, scree__tc_own_location(g, u));
    uint64_t count, at = row.begin;
    const uint64_t *keys = scree__tc_neighbours(run, u, true, &count);
    for (uint64_t i = 0; i < count; i++)
      if (keys[i] > self) scree__head_set(own + t->offset_bytes, t->wide, at++, keys[i]);
    for (; at < row.end; at++) scree__head_set(own + t->offset_bytes, t->wide, at, UINT64_MAX);
    degree[u] = count;
  }
}

uint64_t scree__tc_search(scree__tc_row row, bool wide, uint64_t from, uint64_t key) {
  uint64_t step = 1, low = from;
  while (low + step < row.end && scree__head_get(row.keys, wide, low + step) < key) {
    low += step;
    step *= 2;
  }
  uint64_t high = low + step < row.end ? low + step : row.end;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (scree__head_get(row.keys, wide, middle) < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}
