/* degree_order.c - each rank learns all degrees and sorts all vertices itself. */
#include "build/degree_order.h"

#include <stdlib.h>
#include <string.h>

#include "graph/consensus.h"
#include "sort/counting_sort.h"

enum { MESSAGE_LENGTH = 1 << 12, DIGIT = 18 };

/* By slot, n entries each. Those of slots and locations have 4 bytes but in wide graphs: they are read at random, so a
 * cache should hold them. */
typedef struct {
  const scree_graph *g;
  uint32_t *degree; /* UINT32_MAX stands for more, too */
  uint32_t max;     /* the largest one */
  void *order;      /* number k: the slot of the vertex that becomes k */
  void *other;      /* the order before a pass of the sort; then the result */
} numbering;

static uint64_t slot_at(const scree_graph *g, scree_location p) {
  return scree__vertex_slot(&g->vertices, scree_location_owner(p), scree_location_local(p));
}

/* The first number is a location, the others are the degrees of the vertices from there on. */
static void receive_degrees(scree_graphs *graphs, const void *data, size_t bytes, void *arg) {
  (void)graphs;
  numbering *n = arg;
  const uint64_t *numbers = data;
  uint32_t *to = n->degree + slot_at(n->g, numbers[0]);
  for (size_t i = 1; i < bytes / sizeof *numbers; i++) {
    const uint32_t degree = numbers[i] < UINT32_MAX ? (uint32_t)numbers[i] : UINT32_MAX;
    to[i - 1] = degree;
    if (degree > n->max) n->max = degree;
  }
}

/* The same of the indices of labels: the order before the sort, if vertices are not in that order themselves. */
static void receive_indices(scree_graphs *graphs, const void *data, size_t bytes, void *arg) {
  (void)graphs;
  const numbering *n = arg;
  const uint64_t *numbers = data, slot = slot_at(n->g, numbers[0]);
  for (size_t i = 1; i < bytes / sizeof *numbers; i++) scree__head_set(n->order, n->g->wide, numbers[i], slot + i - 1);
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
  const bool wide = n->g->wide;
#define SLOT(i)        scree__head_get(n->order, wide, i)
#define DIGIT_OF(slot) (last - (n->degree[slot] >> shift & last))
  memset(start, 0, ((size_t)last + 1) * sizeof *start);
  SCREE__COUNTING_STARTS(start, (uint64_t)last + 1, count, slot, DIGIT_OF(slot));
  SCREE__COUNTING_PLACE(start, count, i, DIGIT_OF(SLOT(i)), at, scree__head_set(n->other, wide, at, SLOT(i)));
  void *to = n->other;
  n->other = n->order;
  n->order = to;
}

static bool sort(numbering *n) {
  const scree_graph *g = n->g;
  int bits = 1;
  while (bits < DIGIT && n->max >> bits) bits++;
  uint64_t *start = malloc(((size_t)1 << bits) * sizeof *start);
  if (!start) return false;
  for (uint64_t v = 0; v < g->vertices.n && !g->label_index; v++)
    scree__head_set(n->order, g->wide, v, slot_at(g, scree_graph_location(g, v)));
  for (int shift = 0; shift < 32 && n->max >> shift; shift += bits) pass(n, start, shift, bits);
  free(start);
  return true;
}

static scree_status allocate(numbering *n) {
  const scree_graph *g = n->g;
  const size_t bytes = g->vertices.n * scree__head_bytes(g->wide);
  n->degree = scree_graphs_alloc(g->graphs, g->vertices.n * sizeof *n->degree);
  n->order = scree_graphs_alloc(g->graphs, bytes);
  n->other = scree_graphs_alloc(g->graphs, bytes);
  const bool ready = n->degree && n->order && n->other;
  return ready ? SCREE_OK : scree__no_memory(g->graphs, "the order of the vertices", 3 * bytes);
}

static scree_status gather(numbering *n, void (*receive)(scree_graphs *, const void *, size_t, void *),
                           uint64_t (*number_of)(const scree_graph *g, uint64_t u)) {
  scree_status status = scree__exchange_begin(n->g->graphs, (scree__receivers){.bytes = receive}, n);
  if (status) return status;
  send_numbers(n->g, number_of);
  return scree__exchange_end(n->g->graphs, NULL);
}

static scree_status find_order(numbering *n) {
  scree_graphs *graphs = n->g->graphs;
  scree_status status = scree__consensus(graphs, allocate(n));
  if (!status) status = gather(n, receive_degrees, degree_of);
  if (!status && n->g->label_index) status = gather(n, receive_indices, index_of);
  if (status) return status;
  return scree__consensus(graphs, sort(n) ? SCREE_OK : scree__no_memory(graphs, "counts of degrees", 8 << DIGIT));
}

scree_status scree__degree_order_find(const scree_graph *g, const scree_graph *to, scree__degree_order *found) {
  numbering n = {.g = g};
  scree_status status = find_order(&n);
  for (uint64_t k = 0; k < g->vertices.n && !status; k++)
    scree__head_set(n.other, g->wide, scree__head_get(n.order, g->wide, k),
                    scree_graph_pack(to, scree_graph_location(to, k)));
  *found = (scree__degree_order){n.other, n.order, n.degree, n.max};
  return status;
}
