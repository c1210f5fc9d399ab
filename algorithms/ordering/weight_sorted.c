/* weight_sorted.c - the arcs of each vertex, lightest first: a radix sort, which many short rows share. The indices of
 * a block of rows, small enough for a cache, are sorted by weight, a digit at a time, and then scattered to their
 * rows. */
#include <scree/memory.h>
#include <stdlib.h>
#include <string.h>

#include "ordering/ordering.h"
#include "sort/counting_sort.h"

/* A block has so many arcs at most, and no more than one in SHARE of the rank's; a row with more is one by itself.
 * DIGIT: bits. */
enum { BLOCK = 1 << 14, SHARE = 32, DIGIT = 11 };

/* The arrays of a block, by arc but `next`; indices count from its first arc and vertex. */
typedef struct {
  uint32_t *index, *spare, *row;
  uint64_t *next;           /* by row: where its next arc goes */
  uint64_t first;           /* arc */
  unsigned bits;            /* of the largest key */
  scree__short_arc *sorted; /* by arc too, before they are moved to the graph's own rows; or NULL */
} block;

/* Keys have the order of the weights, which are not negative; -0 becomes 0. */
static inline uint64_t key_of(const scree_graph *g, uint64_t e) {
  uint32_t key = 0;
  uint64_t long_key;
  if (g->weight == SCREE_WEIGHT_UINT32) return ((const uint32_t *)g->weights)[e];
  if (g->weight == SCREE_WEIGHT_DOUBLE) {
    const double weight = ((const double *)g->weights)[e] + 0.0;
    memcpy(&long_key, &weight, sizeof weight);
    return long_key;
  }
  const float weight = ((const float *)g->weights)[e] + 0.0F;
  memcpy(&key, &weight, sizeof weight);
  return key;
}

static unsigned bits_of(const scree_graph *g) {
  const float short_max = (float)g->weight_max;
  uint64_t key = (uint64_t)g->weight_max;
  uint32_t bits;
  if (g->weight == SCREE_WEIGHT_NONE) return 0;
  if (g->weight == SCREE_WEIGHT_DOUBLE) memcpy(&key, &g->weight_max, sizeof key);
  memcpy(&bits, &short_max, sizeof bits);
  if (g->weight == SCREE_WEIGHT_FLOAT) key = bits;
  return key ? 64 - (unsigned)__builtin_clzll(key) : 0;
}

/* Stable, by one digit. */
static void sort_digit(const scree_graph *g, block *b, uint32_t count, unsigned shift, unsigned width) {
  const uint64_t mask = (UINT64_C(1) << width) - 1;
  uint32_t next[1 << DIGIT] = {0}, *sorted = b->spare;
#define KEY(i) (key_of(g, b->first + (i)) >> shift & mask)
  SCREE__COUNTING_STARTS(next, mask + 1, count, i, KEY(i));
  SCREE__COUNTING_PLACE(next, count, i, KEY(b->index[i]), at, sorted[at] = b->index[i]);
#undef KEY
  b->spare = b->index;
  b->index = sorted;
}

static scree__short_arc short_arc(const scree_graph *g, uint64_t e) {
  return (scree__short_arc){g->weight ? (uint32_t)key_of(g, e) : 1, (uint32_t)scree__head_get(g->targets, false, e)};
}

static void put(const scree_graph *g, const block *b, const scree__weight_sorted *rows, uint64_t at, uint64_t e) {
  if (b->sorted)
    b->sorted[at - b->first] = short_arc(g, e);
  else if (rows->long_arcs)
    rows->long_arcs[at] = (scree__long_arc){scree_graph_weight(g, e), scree_graph_packed_target(g, e)};
  else
    rows->arcs[at] = short_arc(g, e);
}

static void put_back(const scree_graph *g, const block *b, uint32_t count) {
  uint32_t *heads = (uint32_t *)(uintptr_t)g->targets + b->first;
  uint32_t *weights = (uint32_t *)(uintptr_t)g->weights + b->first;
  for (uint32_t i = 0; i < count; i++) {
    heads[i] = b->sorted[i].head;
    weights[i] = b->sorted[i].weight;
  }
}

/* Those of the vertices from .. end-1. */
static void sort_block(const scree_graph *g, block *b, uint64_t from, uint64_t end, const scree__weight_sorted *rows) {
  const uint32_t count = (uint32_t)(g->offsets[end] - g->offsets[from]);
  const unsigned digits = (b->bits + DIGIT - 1) / DIGIT, width = digits ? (b->bits + digits - 1) / digits : 0;
  b->first = g->offsets[from];
  for (uint64_t u = from; u < end; u++) {
    b->next[u - from] = g->offsets[u];
    for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) b->row[e - b->first] = (uint32_t)(u - from);
  }
  for (uint32_t i = 0; i < count; i++) b->index[i] = i;
  for (unsigned d = 0; d < digits; d++) sort_digit(g, b, count, d * width, width);
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t e = b->index[i];
    put(g, b, rows, b->next[b->row[e]]++, b->first + e);
  }
  if (b->sorted) put_back(g, b, count);
}

static void sort_rows(const scree_graph *g, block *b, uint64_t size, const scree__weight_sorted *rows) {
  b->bits = bits_of(g);
  for (uint64_t from = 0, end; from < g->locals; from = end) {
    for (end = from + 1; end < g->locals && end - from < size; end++)
      if (g->offsets[end + 1] - g->offsets[from] > size) break;
    sort_block(g, b, from, end, rows);
  }
}

bool scree__sorts_in_place(const scree_graph *g) {
  const bool is_short = g->weight == SCREE_WEIGHT_UINT32 || g->weight == SCREE_WEIGHT_FLOAT;
  return g->may_reorder && is_short && !g->wide && !g->mapping;
}

/* Where they are put; false: no memory. */
static bool place_rows(const scree_graph *g, scree__weight_sorted *rows, size_t arcs) {
  if (scree__sorts_in_place(g))
    *rows = (scree__weight_sorted){.heads = g->targets, .weights = g->weights};
  else if (g->wide || g->weight == SCREE_WEIGHT_DOUBLE)
    rows->long_arcs = scree_graphs_alloc(g->graphs, arcs * sizeof *rows->long_arcs);
  else
    rows->arcs = scree_graphs_alloc(g->graphs, arcs * sizeof *rows->arcs);
  return rows->arcs || rows->long_arcs || rows->heads;
}

static scree_status make(const scree_graph *g, void *ordering) {
  scree__weight_sorted *rows = ordering;
  const size_t arcs = (size_t)g->offsets[g->locals] + 1;
  const uint64_t share = arcs / SHARE + 1, size = share < BLOCK ? share : BLOCK;
  uint64_t longest = size;
  for (uint64_t u = 0; u < g->locals; u++)
    if (scree_graph_degree(g, u) > longest) longest = scree_graph_degree(g, u);
  const bool placed = place_rows(g, rows, arcs);
  const uint64_t words = rows->heads ? 5 : 3; /* for each arc of a block */
  uint32_t *memory = scree_graphs_alloc(g->graphs, (size_t)(words * longest) * sizeof *memory);
  block b = {.index = memory, .next = malloc((size_t)size * sizeof *b.next)};
  if (memory) b.spare = memory + longest, b.row = memory + 2 * longest;
  if (memory && rows->heads) b.sorted = (scree__short_arc *)(memory + 3 * longest);
  const bool ready = memory && b.next && longest <= UINT32_MAX && placed;
  const size_t bytes = rows->heads ? 0 : arcs * (rows->long_arcs ? sizeof *rows->long_arcs : sizeof *rows->arcs);
  scree_status status = scree__ordering_ready(g, ready, bytes + (size_t)(words * longest) * sizeof *memory);
  if (status == SCREE_OK) sort_rows(g, &b, size, rows);
  scree_huge_free(memory);
  free(b.next);
  return status;
}

static void clear(void *ordering) {
  scree__weight_sorted *rows = ordering;
  scree_huge_free(rows->arcs);
  scree_huge_free(rows->long_arcs);
}

const scree__ordering scree__by_weight = {SCREE__ORDERING_KEY("weight-sorted rows"), SCREE__ROWS,
                                          sizeof(scree__weight_sorted), make, clear};

scree_status scree__weight_sorted_of(const scree_graph *g, const scree__weight_sorted **sorted) {
  scree_status status;
  *sorted = scree__ordering_of(g, &scree__by_weight, &status);
  return status;
}
