/* relabel.c - vertices renumbered by descending degree. Each rank learns all degrees and sorts all vertices itself; the
 * arcs are then added to a builder under their new numbers, and each rank requests the labels of its new vertices. */
#include "build/relabel.h"

#include <scree/memory.h>
#include <stdlib.h>
#include <string.h>

#include "build/builder.h"
#include "build/memory_check.h"
#include "graph/consensus.h"
#include "graph/structure.h"

enum { MESSAGE_LENGTH = 1 << 12, DIGIT = 18 };

/* Numbers of vertices, of 4 bytes but in wide graphs: they are read at random, so a cache should hold them. */
typedef struct {
  void *at;
  bool wide;
} vertices;

static inline uint64_t vertex_at(const vertices *t, uint64_t i) {
  return t->wide ? ((const uint64_t *)t->at)[i] : ((const uint32_t *)t->at)[i];
}
static inline void set_vertex(const vertices *t, uint64_t i, uint64_t v) {
  if (t->wide)
    ((uint64_t *)t->at)[i] = v;
  else
    ((uint32_t *)t->at)[i] = (uint32_t)v;
}

/* By vertex of the whole graph, n entries each. */
typedef struct {
  const scree_graph *g;
  uint32_t *degree; /* of vertices as they were; UINT32_MAX stands for more, too */
  vertices order;   /* order[k]: the old vertex that becomes k */
  vertices other;   /* the order before a pass of the sort; then the new numbers of old vertices */
  uint32_t max;     /* largest degree */
} numbering;

/* The first number is a location, the others are the degrees of the vertices from there on. */
static void receive_degrees(scree_graphs *graphs, const void *data, size_t bytes, void *arg) {
  (void)graphs;
  numbering *n = arg;
  const uint64_t *numbers = data;
  for (size_t i = 1; i < bytes / sizeof *numbers; i++) {
    const uint32_t degree = numbers[i] < UINT32_MAX ? (uint32_t)numbers[i] : UINT32_MAX;
    n->degree[scree_graph_vertex(n->g, numbers[0] + i - 1)] = degree;
    if (degree > n->max) n->max = degree;
  }
}

/* The same of the indices of labels: the order before the sort, if vertices are not in that order themselves. */
static void receive_indices(scree_graphs *graphs, const void *data, size_t bytes, void *arg) {
  (void)graphs;
  const numbering *n = arg;
  const uint64_t *numbers = data;
  for (size_t i = 1; i < bytes / sizeof *numbers; i++)
    set_vertex(&n->order, numbers[i], scree_graph_vertex(n->g, numbers[0] + i - 1));
}

/* Sends all ranks a number of each local vertex. */
static void send_numbers(const scree_graph *g, uint64_t (*number_of)(const scree_graph *g, uint64_t u)) {
  scree_graphs *graphs = g->graphs;
  uint32_t rank = scree_graph_rank(g), ranks = g->vertices.ranks;
  uint64_t numbers[MESSAGE_LENGTH];
  for (uint64_t from = 0; from < g->locals; from += MESSAGE_LENGTH - 1) {
    size_t count = 1;
    numbers[0] = scree_location_make(rank, from);
    for (uint64_t u = from; u < g->locals && count < MESSAGE_LENGTH; u++) numbers[count++] = number_of(g, u);
    for (uint32_t i = 1; i <= ranks; i++)
      graph_bytes_send(graphs->worker, graphs->bytes, (rank + i) % ranks, numbers, count * sizeof *numbers);
  }
}

static uint64_t degree_of(const scree_graph *g, uint64_t u) {
  return scree_graph_degree(g, u);
}
static uint64_t index_of(const scree_graph *g, uint64_t u) {
  return g->label_index[u];
}

/* One pass of a stable counting sort of the order by the digits `shift` .. `shift` + `bits` - 1 of the degrees: larger
 * ones come first. Most graphs need one pass, whose counts a cache holds as far as they are in use: most degrees are
 * small. */
static void pass(numbering *n, uint64_t *start, int shift, int bits) {
  const uint32_t last = (UINT32_C(1) << bits) - 1;
  const uint64_t count = n->g->vertices.n;
  memset(start, 0, ((size_t)last + 2) * sizeof *start);
  for (uint64_t v = 0; v < count; v++) start[last - (n->degree[v] >> shift & last) + 1]++;
  for (uint32_t d = 0; d < last; d++) start[d + 1] += start[d];
  for (uint64_t i = 0; i < count; i++) {
    const uint64_t v = vertex_at(&n->order, i);
    set_vertex(&n->other, start[last - (n->degree[v] >> shift & last)]++, v);
  }
  const vertices to = n->other;
  n->other = n->order;
  n->order = to;
}

static bool number(numbering *n) {
  const scree_graph *g = n->g;
  int bits = 1;
  while (bits < DIGIT && n->max >> bits) bits++;
  uint64_t *start = malloc(((size_t)(1 << bits) + 1) * sizeof *start);
  if (!start) return false;
  for (uint64_t i = 0; i < g->vertices.n && !g->label_index; i++) set_vertex(&n->order, i, i);
  for (int shift = 0; shift < 32 && n->max >> shift; shift += bits) pass(n, start, shift, bits);
  free(start);
  for (uint64_t k = 0; k < g->vertices.n; k++) set_vertex(&n->other, vertex_at(&n->order, k), k);
  return true;
}

uint64_t scree_graph_relabel_plan(const scree_graph_shape *shape, uint64_t edges, uint32_t ranks) {
  const uint64_t mine = (shape->n + ranks - 1) / ranks; /* which get labels, from vertices as they were */
  scree_graph g = {.weight = shape->weight};
  scree_distribution_init(&g.vertices, shape->distribution, shape->n, ranks);
  scree__graph_set_width(&g, shape->wide);
  return scree_graph_plan(shape, edges, ranks).peak + shape->n * (g.wide ? 20 : 12) + 3 * mine * sizeof(uint64_t);
}

uint64_t scree__relabel_bytes(const scree_graph *g, scree_distribution_kind distribution) {
  const scree_graph_shape shape = {g->vertices.n, distribution, g->weight, true, g->wide};
  return scree_graph_relabel_plan(&shape, g->arcs, g->vertices.ranks);
}

static scree_status allocate(numbering *n) {
  const scree_graph *g = n->g;
  const size_t bytes = g->vertices.n * scree__head_bytes(g->wide);
  n->degree = scree_graphs_alloc(g->graphs, g->vertices.n * sizeof *n->degree);
  n->order = (vertices){scree_graphs_alloc(g->graphs, bytes), g->wide};
  n->other = (vertices){scree_graphs_alloc(g->graphs, bytes), g->wide};
  bool ready = n->degree && n->order.at && n->other.at;
  return ready ? SCREE_OK : scree__no_memory(g->graphs, "the order of the vertices", 3 * bytes);
}

static scree_status gather_indices(numbering *n) {
  scree_graphs *graphs = n->g->graphs;
  scree_status status = scree__exchange_begin(graphs, (scree__receivers){.bytes = receive_indices}, n);
  if (status) return status;
  send_numbers(n->g, index_of);
  return scree__exchange_end(graphs, NULL);
}

static scree_status gather_degrees(numbering *n, scree_distribution_kind distribution) {
  const scree_graph *g = n->g;
  scree_status status =
      scree__memory_check(g->graphs, scree__relabel_bytes(g, distribution), "a graph renumbered by degree");
  status = scree__consensus(g->graphs, status ? status : allocate(n));
  if (!status) status = scree__exchange_begin(g->graphs, (scree__receivers){.bytes = receive_degrees}, n);
  if (status) return status;
  send_numbers(g, degree_of);
  status = scree__exchange_end(g->graphs, NULL);
  if (!status && g->label_index) status = gather_indices(n);
  if (status) return status;
  const bool numbered = number(n);
  return scree__consensus(g->graphs,
                          numbered ? SCREE_OK : scree__no_memory(g->graphs, "counts of degrees", 8 << DIGIT));
}

static void add_arcs(const numbering *n, scree_graph_builder *builder) {
  enum { MANY = 256 };
  const scree_graph *g = n->g;
  const vertices other = n->other; /* a copy, which stores of edges cannot alias */
  scree_edge edges[MANY];
  uint64_t count = 0;
  scree__builder_one_way(builder);
  for (uint64_t u = 0; u < g->locals; u++) {
    const uint64_t tail = vertex_at(&other, scree_graph_vertex(g, scree_location_make(scree_graph_rank(g), u)));
    for (uint64_t e = g->offsets[u], many; e < g->offsets[u + 1]; e += many) {
      many = g->offsets[u + 1] - e < MANY - count ? g->offsets[u + 1] - e : MANY - count;
      for (uint64_t i = e; i < e + many; i++) {
        const uint64_t head = vertex_at(&other, scree_graph_vertex(g, scree_graph_target(g, i)));
        edges[count++] = (scree_edge){tail, head, scree_graph_weight(g, i)};
      }
      if (count == MANY) scree_graph_builder_add_many(builder, count, edges);
      count %= MANY;
    }
  }
  scree_graph_builder_add_many(builder, count, edges);
}

/* Gives the new graph the labels of its vertices on this rank, and their indices. `old` has as many entries. */
static scree_status take_labels(const numbering *n, scree_graph *to, uint64_t *old, uint64_t *labels, uint64_t *index) {
  const scree_graph *g = n->g;
  for (uint64_t u = 0; u < to->locals; u++)
    old[u] = vertex_at(&n->order, scree_graph_vertex(to, scree_location_make(scree_graph_rank(to), u)));
  to->label_base = g->label_base;
  to->labels = labels;
  to->label_index = index;
  scree_status status = scree_graph_labels(g, to->locals, old, labels);
  if (!status && g->label_index) return scree_graph_lookup_uint64(g, g->label_index, to->locals, old, index);
  for (uint64_t u = 0; u < to->locals; u++) index[u] = old[u];
  return status;
}

static scree_status move_labels(const numbering *n, scree_graph *to) {
  scree_graphs *graphs = to->graphs;
  const size_t bytes = ((size_t)to->locals + 1) * sizeof(uint64_t);
  uint64_t *old = scree_graphs_alloc(graphs, bytes), *labels = scree_graphs_alloc(graphs, bytes),
           *index = scree_graphs_alloc(graphs, bytes);
  bool ready = old && labels && index;
  scree_status status =
      scree__consensus(graphs, ready ? SCREE_OK : scree__no_memory(graphs, "the labels of vertices", 3 * bytes));
  if (status) {
    scree_huge_free(labels);
    scree_huge_free(index);
  } else {
    status = take_labels(n, to, old, labels, index); /* which the graph owns from then on */
  }
  scree_huge_free(old);
  return status;
}

static scree_status rebuild(const numbering *n, scree_distribution_kind distribution, scree_graph **graph) {
  const scree_graph *g = n->g;
  scree_graph_shape shape = {g->vertices.n, distribution, g->weight, g->directed, g->wide};
  scree_graph_builder *builder;
  scree_status status = scree_graph_builder_begin(g->graphs, &shape, &builder);
  if (status) return status;
  add_arcs(n, builder);
  status = scree_graph_builder_finish(builder, graph);
  if (!status) (*graph)->edges = g->edges;
  return status;
}

scree_status scree_graph_relabel_by_degree(const scree_graph *g, scree_distribution_kind distribution,
                                           scree_graph **graph) {
  numbering n = {.g = g};
  scree_graph *made = NULL;
  scree_status status = gather_degrees(&n, distribution);
  if (!status) status = rebuild(&n, distribution, &made);
  if (!status) status = move_labels(&n, made);
  scree_huge_free(n.degree);
  scree_huge_free(n.order.at);
  scree_huge_free(n.other.at);
  if (status)
    scree_graph_free(made);
  else
    *graph = made;
  return status;
}
