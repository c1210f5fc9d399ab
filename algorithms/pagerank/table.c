/* table.c - the values of all vertices in an array of the node, and those that other nodes read. */
#include "pagerank/table.h"

SCREE_MESSAGE_ROUTED(block, scree__pr_block);

scree_status scree__pr_table_open(scree__run *run, const char *name, size_t value, scree__pr_table *table) {
  const scree_graph *g = run->graph;
  if (g->directed)
    return scree_graphs_agree(g->graphs, SCREE_EINVAL,
                              "algorithm '%s' needs both directions of each arc, and this graph is directed; use push",
                              name);
  *table = (scree__pr_table){.value = value};
  const uint64_t bytes = scree_graph_slots(g) * value;
  const scree_status status = scree__run_share(run, 2 * bytes, &table->array);
  if (status) return status;
  for (uint64_t i = 0; i < 2; i++) table->half[i] = (char *)table->array->at + i * bytes;
  scree_reduce apart = {.min = UINT64_MAX, .max = table->array->ranks < g->vertices.ranks};
  const scree_status agreed = scree_graphs_reduce(g->graphs, &apart); /* as others may be alone on their node */
  return agreed || !apart.max ? agreed : scree__readers_of(g, &table->readers);
}

/* Bytes of the values that a message has. */
static size_t bytes_of(const scree__run *run, const scree__pr_table *t) {
  const uint64_t part = t->value << run->graph->local_bits;
  return part < sizeof((scree__pr_block){0}.values) ? part : sizeof((scree__pr_block){0}.values);
}

static void send_block(scree__run *run, const scree__pr_table *t, uint32_t to, uint64_t vertex) {
  const char *table = scree__pr_table_at(t, false), *from = (char *)scree__pr_table_own(run, t, false);
  const size_t bytes = bytes_of(run, t), part = t->value << run->graph->local_bits;
  const size_t all = part < SCREE__READERS_BLOCK * t->value ? part : SCREE__READERS_BLOCK * t->value;
  for (size_t done = 0; done < all; done += bytes) {
    const char *values = from + vertex * t->value + done;
    scree__pr_block item = {.at = (uint64_t)(values - table)};
    memcpy(item.values, values, bytes);
    block_send(run->worker, (block_type){run->types[0]}, to, item);
    run->work.messages++;
  }
}

/* Blocks of which a rank of that node, whose first one is `to`, reads a value. */
static uint64_t wanted(const scree__run *run, const scree__pr_table *t, uint32_t to, uint64_t word) {
  uint64_t bits = 0;
  for (uint32_t r = to; r < run->worker->ranks; r++)
    if (t->array->leader_of[r] == to) bits |= t->readers->bits[r * t->readers->words + word];
  return bits;
}

void scree__pr_table_send(scree__run *run, const scree__pr_table *t) {
  const uint32_t ranks = run->worker->ranks;
  for (uint32_t i = 1; i < ranks && t->readers; i++) {
    const uint32_t to = (run->worker->rank + i) % ranks;
    if (t->array->leader_of[to] != to || t->array->index_of[to] != UINT32_MAX) continue;
    for (uint64_t w = 0; w < t->readers->words; w++)
      for (uint64_t bits = wanted(run, t, to, w); bits; bits &= bits - 1)
        send_block(run, t, to, (64 * w + (uint64_t)__builtin_ctzll(bits)) * SCREE__READERS_BLOCK);
  }
}

void scree__pr_table_take(const scree__run *run, const scree__pr_table *t, const void *items, uint32_t count) {
  const scree__pr_block *item = items;
  char *table = scree__pr_table_at(t, false);
  for (uint32_t i = 0; i < count; i++) memcpy(table + item[i].at, item[i].values, bytes_of(run, t));
  scree_node_array_step(t->array, run->worker);
}
