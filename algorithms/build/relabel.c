/* relabel.c - vertices renumbered by descending degree. The place of each row in the new graph is known before its arcs
 * move there, under the new locations of their heads: they are neither stored beside the rows nor sorted. */
#include "build/relabel.h"

#include <string.h>

#include "build/builder.h"
#include "build/degree_order.h"
#include "build/memory_check.h"
#include "graph/consensus.h"

/* The new graph owns all but the table. */
typedef struct {
  const scree_graph *g;
  scree_graph *to;
  scree__degree_order order;
  uint64_t *offsets, *labels, *index;
  char *heads, *weights;
} relabelling;

/* Until the new vertices are known, with labels of 16 bytes and an offset for each, two more tables are in use. */
uint64_t scree_graph_relabel_plan(const scree_graph_shape *shape, uint64_t edges, uint32_t ranks) {
  if (!shape || !ranks) return 0;
  scree_graph g = {.weight = shape->weight};
  scree_distribution_init(&g.vertices, shape->distribution, shape->n, ranks);
  scree__graph_set_width(&g, shape->wide);
  const uint64_t labels = 2 * sizeof(uint64_t) * scree_distribution_count(&g.vertices, 0);
  const uint64_t table = shape->n * scree__head_bytes(g.wide);
  const uint64_t order = table + shape->n * sizeof(uint32_t) + labels / 2 * 3;
  const uint64_t graph = scree_graph_plan(shape, edges, ranks).graph + labels;
  return table + (order > graph ? order : graph);
}

uint64_t scree__relabel_bytes(const scree_graph *g, scree_distribution_kind distribution) {
  const scree_graph_shape shape = {g->vertices.n, distribution, g->weight, true, g->wide};
  return scree_graph_relabel_plan(&shape, g->arcs, g->vertices.ranks);
}

/* The new location of a vertex of this rank. */
static scree_location new_location(const relabelling *r, uint64_t u) {
  const uint64_t slot = scree__vertex_slot(&r->g->vertices, scree_graph_rank(r->g), u);
  return scree_graph_unpack(r->to, scree__head_get(r->order.table, r->g->wide, slot));
}

/* ---- vertices ---- */

/* For the rank that has it in the new graph. */
typedef struct {
  uint64_t local, degree, label, index;
} vertex;

static void receive_vertex(scree_graphs *graphs, const void *data, size_t bytes, void *arg) {
  (void)graphs;
  (void)bytes;
  const relabelling *r = arg;
  const vertex *v = data;
  r->offsets[v->local + 1] = v->degree;
  r->labels[v->local] = v->label;
  r->index[v->local] = v->index;
}

/* The same of a graph without labels of its own, whose new owners know all of it. */
static void fill_vertices(const relabelling *r) {
  const scree_graph *g = r->g, *to = r->to;
  for (uint64_t u = 0; u < to->locals; u++) {
    const uint64_t k = scree_graph_vertex(to, scree_location_make(scree_graph_rank(to), u));
    const uint64_t slot = scree__head_get(r->order.order, g->wide, k);
    const uint64_t v = scree_graph_vertex(g, scree__slot_location(&g->vertices, slot));
    r->offsets[u + 1] = r->order.degree[slot];
    r->labels[u] = g->label_base + v;
    r->index[u] = v;
  }
}

static void send_vertices(const relabelling *r) {
  const scree_graph *g = r->g;
  for (uint64_t u = 0; u < g->locals; u++) {
    const uint64_t v = scree_graph_vertex(g, scree_location_make(scree_graph_rank(g), u));
    const scree_location to = new_location(r, u);
    const vertex item = {scree_location_local(to), scree_graph_degree(g, u),
                         g->labels ? g->labels[u] : g->label_base + v, g->label_index ? g->label_index[u] : v};
    graph_bytes_send(g->graphs->worker, g->graphs->bytes, scree_location_owner(to), &item, sizeof item);
  }
}

static scree_status move_vertices(relabelling *r) {
  scree_graph *to = r->to;
  const size_t bytes = ((size_t)to->locals + 1) * sizeof(uint64_t);
  to->offsets = r->offsets = scree_graphs_alloc(to->graphs, bytes);
  to->labels = r->labels = scree_graphs_alloc(to->graphs, bytes);
  to->label_index = r->index = scree_graphs_alloc(to->graphs, bytes);
  const bool ready = r->offsets && r->labels && r->index;
  scree_status status = scree__consensus(
      to->graphs, ready ? SCREE_OK : scree__no_memory(to->graphs, "the labels of vertices", 3 * bytes));
  if (!status && !r->g->labels && !r->g->label_index && r->order.max < UINT32_MAX) {
    fill_vertices(r);
    return SCREE_OK;
  }
  if (!status) status = scree__exchange_begin(to->graphs, (scree__receivers){.bytes = receive_vertex}, r);
  if (status) return status;
  send_vertices(r);
  return scree__exchange_end(to->graphs, NULL);
}

/* ---- rows ---- */

/* Some arcs of a row, of which `first` is the first; after it their heads, then their weights. */
typedef struct {
  uint64_t local, first;
} piece;

static void place(const relabelling *r, piece at, uint64_t count, const char *heads, const char *weights) {
  const size_t head = scree__head_bytes(r->to->wide), weight = scree__weight_bytes(r->to->weight);
  const uint64_t first = r->offsets[at.local] + at.first;
  memcpy(r->heads + first * head, heads, count * head);
  if (weight) memcpy(r->weights + first * weight, weights, count * weight);
}

static void receive_piece(scree_graphs *graphs, const void *data, size_t bytes, void *arg) {
  (void)graphs;
  const relabelling *r = arg;
  const piece *p = data;
  const size_t head = scree__head_bytes(r->to->wide), weight = scree__weight_bytes(r->to->weight);
  const size_t count = (bytes - sizeof *p) / (head + weight);
  const char *heads = (const char *)(p + 1);
  place(r, *p, count, heads, heads + count * head);
}

/* The new locations of the heads of some arcs of this rank. The loads from the table miss the caches: they are begun
 * some arcs ahead. */
static inline void translate(const relabelling *r, uint64_t from, uint64_t count, void *to, bool wide) {
  enum { AHEAD = 64 };
  const scree_distribution d = r->g->vertices; /* copies, which stores of heads cannot alias */
  const void *heads = r->g->targets;
  const char *table = r->order.table;
  const uint32_t bits = r->g->local_bits;
  const uint64_t mask = (UINT64_C(1) << bits) - 1, last = r->g->offsets[r->g->locals] - 1;
  for (uint64_t i = 0; i < count; i++) {
    const uint64_t ahead = scree__head_get(heads, wide, from + i + AHEAD < last ? from + i + AHEAD : last);
    __builtin_prefetch(table + scree__vertex_slot(&d, ahead >> bits, ahead & mask) * scree__head_bytes(wide));
    const uint64_t head = scree__head_get(heads, wide, from + i);
    scree__head_set(to, wide, i, scree__head_get(table, wide, scree__vertex_slot(&d, head >> bits, head & mask)));
  }
}

enum { MANY = 1 << 11, ARC_BYTES = 16 };

/* Arcs e .. e+count-1 of row u; their heads are translated. */
static void move_piece(const relabelling *r, uint64_t u, uint64_t e, uint64_t count, const char *heads) {
  const scree_graph *g = r->g;
  const size_t head = scree__head_bytes(g->wide), weight = scree__weight_bytes(g->weight);
  const scree_location to = new_location(r, u);
  struct {
    piece at;
    char arcs[MANY * ARC_BYTES];
  } message;
  message.at = (piece){scree_location_local(to), e - g->offsets[u]};
  if (scree_location_owner(to) == scree_graph_rank(g)) {
    place(r, message.at, count, heads, weight ? (const char *)g->weights + e * weight : NULL);
    return;
  }
  memcpy(message.arcs, heads, count * head);
  if (weight) memcpy(message.arcs + count * head, (const char *)g->weights + e * weight, count * weight);
  graph_bytes_send(g->graphs->worker, g->graphs->bytes, scree_location_owner(to), &message,
                   sizeof message.at + count * (head + weight));
}

/* Heads of many rows are translated at once: their loads, which miss the caches, then overlap. */
static void send_rows(const relabelling *r) {
  const scree_graph *g = r->g;
  const size_t head = scree__head_bytes(g->wide);
  uint64_t heads[MANY];
  for (uint64_t u = 0, from = 0, many, end = g->offsets[g->locals]; from < end; from += many) {
    many = end - from < MANY ? end - from : MANY;
    if (g->wide)
      translate(r, from, many, heads, true);
    else
      translate(r, from, many, heads, false);
    for (uint64_t e = from, next; e < from + many; e = next) {
      while (g->offsets[u + 1] <= e) u++;
      next = g->offsets[u + 1] < from + many ? g->offsets[u + 1] : from + many;
      move_piece(r, u, e, next - e, (const char *)heads + (e - from) * head);
    }
    if (!scree__exchange_poll(g->graphs)) return;
  }
}

static scree_status move_rows(relabelling *r) {
  scree_graph *to = r->to;
  const size_t head = scree__head_bytes(to->wide), weight = scree__weight_bytes(to->weight);
  for (uint64_t u = 0; u < to->locals; u++) r->offsets[u + 1] += r->offsets[u];
  const uint64_t count = r->offsets[to->locals];
  to->targets = r->heads = scree_graphs_alloc(to->graphs, (count + 1) * head);
  to->weights = r->weights = weight ? scree_graphs_alloc(to->graphs, (count + 1) * weight) : NULL;
  const bool ready = r->heads && (!weight || r->weights);
  scree_status status = scree__consensus(
      to->graphs, ready ? SCREE_OK : scree__no_memory(to->graphs, "the rows of a graph", count * (head + weight)));
  if (!status) status = scree__exchange_begin(to->graphs, (scree__receivers){.bytes = receive_piece}, r);
  if (status) return status;
  send_rows(r);
  return scree__exchange_end(to->graphs, NULL);
}

/* The new graph without its arrays. */
static scree_status make(relabelling *r, scree_distribution_kind distribution) {
  const scree_graph *g = r->g;
  scree_status status = scree__distribution_check(g->graphs, distribution);
  if (!status)
    status = scree__memory_check(g->graphs, scree__relabel_bytes(g, distribution), "a graph renumbered by degree");
  if (status) return status;
  scree_graph *to = r->to = scree__graph_new(g->graphs);
  if (!to) return scree__no_memory(g->graphs, "a graph", sizeof *to);
  scree_distribution_init(&to->vertices, distribution, g->vertices.n, g->vertices.ranks);
  scree__graph_set_width(to, g->wide);
  to->locals = scree_distribution_count(&to->vertices, scree_graph_rank(g));
  to->edges = g->edges;
  to->arcs = g->arcs;
  to->directed = g->directed;
  to->weight = g->weight;
  to->weight_max = g->weight_max;
  to->label_base = g->label_base;
  return SCREE_OK;
}

scree_status scree_graph_relabel_by_degree(const scree_graph *g, scree_distribution_kind distribution,
                                           scree_graph **graph) {
  if (!g || !graph) return scree__missing(g, __func__, "place for the graph");
  relabelling r = {.g = g};
  scree_status status = scree__consensus(g->graphs, make(&r, distribution));
  if (!status) status = scree__degree_order_find(g, r.to, &r.order);
  if (!status) status = move_vertices(&r);
  scree_huge_free(r.order.order);
  scree_huge_free(r.order.degree);
  if (!status) status = move_rows(&r);
  scree_huge_free(r.order.table);
  if (status)
    scree_graph_free(r.to);
  else
    *graph = r.to;
  return status;
}
