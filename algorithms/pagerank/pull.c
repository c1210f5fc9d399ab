/* pull.c - PageRank on undirected graphs. A neighbour's arc leads back, so a vertex that can read its neighbours'
 * contributions needs no other message: each contribution is sent once to each rank that has a neighbour, into a table by
 * packed location, and read there. */
#include <math.h>
#include <scree/memory.h>
#include <stdlib.h>

#include "pagerank/run.h"

enum { RANK_SHIFT = 32 };

typedef struct {
  double *table;   /* contributions, by packed location */
  uint64_t *sends; /* rank << RANK_SHIFT | local vertex, whose contribution that rank needs */
  size_t count, capacity;
} state;

static bool add_send(state *s, uint64_t send) {
  if (s->count == s->capacity) {
    size_t capacity = s->capacity ? 2 * s->capacity : 1024;
    uint64_t *more = realloc(s->sends, capacity * sizeof *more);
    if (!more) return false;
    s->sends = more;
    s->capacity = capacity;
  }
  s->sends[s->count++] = send;
  return true;
}

/* Adds the other ranks with neighbours of u; last[r]: the vertex, plus 1, that rank r was last added for. */
static bool list_row(const scree_graph *g, state *s, uint64_t u, uint64_t *last) {
  uint32_t others = g->vertices.ranks - 1;
  for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1] && others; e++) {
    uint64_t owner = scree_graph_packed_target(g, e) >> g->local_bits;
    if (last[owner] == u + 1 || owner == scree_graph_rank(g)) continue;
    last[owner] = u + 1;
    others--;
    if (!add_send(s, owner << RANK_SHIFT | u)) return false;
  }
  return true;
}

static bool list_sends(const scree_graph *g, state *s) {
  uint64_t *last = calloc(g->vertices.ranks, sizeof *last);
  bool ready = last != NULL;
  for (uint64_t u = 0; u < g->locals && ready; u++) ready = list_row(g, s, u, last);
  free(last);
  return ready;
}

static scree_status begin(scree__run *run) {
  const scree_graph *g = run->graph;
  if (g->directed)
    return scree_graphs_agree(
        g->graphs, SCREE_EINVAL,
        "algorithm 'pull' needs both directions of each arc, and this graph is directed; use push");
  state *s = calloc(1, sizeof *s);
  run->own = s;
  if (s) s->table = scree_graphs_alloc(g->graphs, ((size_t)scree_graph_slots(g) + 1) * sizeof *s->table);
  bool ready = s && s->table && list_sends(g, s);
  scree_status status =
      scree_graphs_agree(g->graphs, ready ? SCREE_OK : SCREE_ENOMEM,
                         "rank %u: no memory for the contributions of %llu vertices; use more ranks, or push",
                         scree_graph_rank(g), (unsigned long long)g->vertices.n);
  run->work.epochs++;
  return status;
}

static void send(scree__run *run) {
  const state *s = run->own;
  const double *contribution = scree__pagerank_of(run)->contribution;
  for (size_t i = 0; i < s->count; i++) {
    uint32_t u = (uint32_t)s->sends[i];
    scree__pr_send(run, (uint32_t)(s->sends[i] >> RANK_SHIFT), u, contribution[u]);
  }
}

static void take(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  const scree__pr_item *item = items;
  double *table = ((state *)run->own)->table + ((uint64_t)sender << run->graph->local_bits);
  for (uint32_t i = 0; i < count; i++) table[item[i].vertex] = scree__pr_value(&item[i]);
}

/* Four sums, so that an addition need not wait for the one before it. */
#define SUM_ROW(heads)                                                                                                 \
  for (; e + 4 <= end; e += 4) {                                                                                       \
    a += table[(heads)[e]];                                                                                            \
    b += table[(heads)[e + 1]];                                                                                        \
    c += table[(heads)[e + 2]];                                                                                        \
    d += table[(heads)[e + 3]];                                                                                        \
  }                                                                                                                    \
  for (; e < end; e++) a += table[(heads)[e]]

static double sum_row(const scree_graph *g, const double *table, uint64_t e, uint64_t end) {
  double a = 0, b = 0, c = 0, d = 0;
  if (g->wide) {
    SUM_ROW((const uint64_t *)g->targets);
  } else {
    SUM_ROW((const uint32_t *)g->targets);
  }
  return a + b + (c + d);
}

static double collect(scree__run *run, double base) {
  const scree_graph *g = run->graph;
  double *table = ((state *)run->own)->table, *rank = scree__rank(run), change = 0;
  const double damping = scree__pagerank_of(run)->damping, *contribution = scree__pagerank_of(run)->contribution;
  memcpy(table + ((uint64_t)scree_graph_rank(g) << g->local_bits), contribution, (size_t)g->locals * sizeof *table);
  for (uint64_t u = 0; u < g->locals; u++) {
    double value = base + damping * sum_row(g, table, g->offsets[u], g->offsets[u + 1]);
    change += fabs(value - rank[u]);
    rank[u] = value;
  }
  run->work.edges += g->offsets[g->locals];
  return change;
}

static void teardown(scree__run *run) {
  state *s = run->own;
  if (!s) return;
  scree_huge_free(s->table);
  free(s->sends);
  free(s);
}

static scree_status solve(scree__run *run) {
  static const scree__pr_steps steps = {begin, send, collect};
  return scree__pagerank_iterate(run, &steps);
}

const scree__variant scree__pagerank_pull = {
    .about = {"pull",
              "undirected graphs: each contribution is sent once to each rank, and read by the neighbours there"},
    .options = scree__pagerank_options,
    .messages = {{"pagerank.pull", sizeof(scree__pr_item), take}},
    .solve = solve,
    .teardown = teardown,
};
