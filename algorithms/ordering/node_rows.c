/* node_rows.c - the rows of all vertices in an array of the node, which each rank may read. */
#include <scree/memory.h>

#include "base/huge.h"
#include "graph/exchange.h"
#include "ordering/ordering.h"

/* Whether the graph's arcs can be numbered by 4 bytes, and all ranks share memory. Collective. */
static scree_status can_share(const scree_graph *g, uint64_t *arcs, bool *can) {
  const scree_world *world = g->graphs->world;
  const bool off = scree_options_of(world)->node_arrays == SCREE_NODE_ARRAYS_OFF;
  scree_reduce all = {.sum = {g->offsets[g->locals]}, .max = off || scree_node_ranks(world) < g->vertices.ranks};
  const scree_status status = scree_graphs_reduce(g->graphs, &all);
  *arcs = all.sum[0];
  *can = !all.max && !g->wide && all.sum[0] < UINT32_MAX;
  return status;
}

static void fill(const scree_graph *g, uint32_t *offsets, scree__short_arc *arcs, uint64_t base) {
  const uint64_t count = g->offsets[g->locals], places = UINT64_C(1) << g->local_bits;
  uint32_t *const own = offsets + ((uint64_t)scree_graph_rank(g) << g->local_bits);
  for (uint64_t u = 0; u < places; u++) own[u] = (uint32_t)(base + (u < g->locals ? g->offsets[u] : count));
  if (scree_graph_rank(g) == g->vertices.ranks - 1) own[places] = (uint32_t)(base + count);
  for (uint64_t e = 0; e < count; e++)
    arcs[base + e] = (scree__short_arc){(uint32_t)scree_graph_weight(g, e), (uint32_t)scree_graph_packed_target(g, e)};
}

static void clear(void *ordering) {
  scree__node_rows *rows = ordering;
  if (!rows->array) return;
  scree__account_subtract(rows->graphs->account, rows->array->bytes / rows->array->ranks);
  scree_node_array_close(rows->graphs->world, rows->array);
}

static scree_status make(const scree_graph *g, void *ordering) {
  scree__node_rows *rows = ordering;
  scree_world *world = g->graphs->world;
  const uint32_t ranks = g->vertices.ranks;
  const uint64_t offsets = (scree_graph_slots(g) + 2) / 2 * 8;
  uint64_t arcs, base = 0;
  bool can;
  scree_status status = can_share(g, &arcs, &can);
  if (status || !can) return status;
  status = scree_node_array_open(world, ranks * 8 + offsets + arcs * 8 + 8, &rows->array);
  if (status) return scree_graphs_agree(g->graphs, status, "%s", scree_error_text(world));
  rows->graphs = g->graphs;
  scree__account_add(g->graphs->account, rows->array->bytes / rows->array->ranks);
  uint64_t *const counts = (uint64_t *)rows->array->at;
  rows->offsets = (uint32_t *)(rows->array->at + ranks * 8);
  rows->arcs = (scree__short_arc *)(rows->array->at + ranks * 8 + offsets);
  if (rows->array->ranks < ranks) { /* memory is short: the ranks share no more */
    clear(rows);
    rows->array = NULL;
    return SCREE_OK;
  }
  counts[scree_graph_rank(g)] = g->offsets[g->locals];
  status = scree_graphs_agree(g->graphs, SCREE_OK, " "); /* all have written theirs */
  if (status) return status;
  for (uint32_t r = 0; r < scree_graph_rank(g); r++) base += counts[r];
  fill(g, (uint32_t *)rows->offsets, (scree__short_arc *)rows->arcs, base);
  return scree_graphs_agree(g->graphs, SCREE_OK, " ");
}

const scree__ordering scree__rows_of_node = {SCREE__ORDERING_KEY("rows of the node"), SCREE__NODE_ROWS,
                                             sizeof(scree__node_rows), make, clear};

scree_status scree__node_rows_of(const scree_graph *g, const scree__node_rows **rows) {
  scree_status status;
  *rows = scree__ordering_of(g, &scree__rows_of_node, &status);
  return status;
}
