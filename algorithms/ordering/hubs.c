/* hubs.c - the arcs of the vertices of largest degree, kept where they lead: which vertices these are, sent to all ranks,
 * and each rank's part of their arcs. */
#include <scree/memory.h>
#include <stdlib.h>
#include <string.h>

#include "ordering/ordering.h"

enum { DEGREE_MIN = 64, OVER_MEAN = 16 };

uint8_t scree__degree_class(uint64_t degree) {
  uint64_t d = degree + 1;
  unsigned log = 63 - (unsigned)__builtin_clzll(d);
  uint64_t class = 8 * log + (log >= 3 ? d >> (log - 3) & 7 : d << (3 - log) & 7);
  return (uint8_t)(class < UINT8_MAX ? class : UINT8_MAX);
}

/* The least degree of a hub, a power of two less one, where a class of degrees begins. */
static uint64_t hub_degree(const scree_graph *g) {
  const uint64_t mean = g->arcs / g->vertices.n;
  uint64_t degree = DEGREE_MIN;
  while (degree < OVER_MEAN * mean) degree *= 2;
  return degree - 1;
}

/* What an exchange brings: packed locations, in the order of their arrival. */
typedef struct {
  uint64_t *at;
  size_t count, capacity;
  bool failed; /* no memory */
} list;

static void take_location(const void *data, size_t bytes, void *arg) {
  list *l = arg;
  if (l->count == l->capacity && !l->failed) {
    size_t capacity = l->capacity ? 2 * l->capacity : 64;
    uint64_t *more = realloc(l->at, capacity * sizeof *more);
    l->failed = !more;
    if (more) l->at = more, l->capacity = capacity;
  }
  if (!l->failed) memcpy(&l->at[l->count++], data, bytes);
}

static int by_value(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* The packed locations of all hubs, ascending. */
static scree_status share_locations(const scree_graph *g, scree__hubs *hubs) {
  list all = {0};
  scree_status status = scree_graphs_exchange_begin(g->graphs, take_location, &all);
  if (status) return status;
  for (uint64_t u = 0; u < g->locals; u++) {
    if (scree_graph_degree(g, u) < hubs->degree) continue;
    uint64_t location = scree_graph_pack(g, scree_location_make(scree_graph_rank(g), u));
    for (uint32_t rank = 0; rank < g->vertices.ranks; rank++)
      scree_graphs_exchange_send(g->graphs, rank, &location, sizeof location);
  }
  status = scree_graphs_exchange_end(g->graphs);
  if (all.count) qsort(all.at, all.count, sizeof *all.at, by_value);
  hubs->location = all.at;
  hubs->count = all.count;
  return status ? status : scree__ordering_ready(g, !all.failed, all.count * 8);
}

uint64_t scree__hub_at(const scree__hubs *hubs, uint64_t location) {
  uint64_t low = 0, high = hubs->count;
  while (low + 1 < high) {
    uint64_t middle = low + (high - low) / 2;
    if (hubs->location[middle] <= location)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* The arcs from hubs to a vertex of this rank are at the front of that vertex's row, which is sorted. With members NULL
 * counts them into offsets[hub + 2], else scatters the vertices, offsets[hub + 1] being the next index. */
static void scatter(const scree_graph *g, const scree__transpose *t, const uint8_t *class, uint8_t min,
                    scree__hubs *h) {
  for (uint64_t i = 0; i < t->nonempty_count; i++) {
    const uint32_t u = t->nonempty[i];
    for (uint64_t e = t->offsets[u]; e < t->offsets[u + 1]; e++) {
      const uint64_t tail = scree__head_get(t->tails, g->wide, e);
      if (class[tail] < min) break;
      const uint64_t hub = scree__hub_at(h, tail);
      if (h->members)
        h->members[h->offsets[hub + 1]++] = u;
      else
        h->offsets[hub + 2]++;
    }
  }
}

scree_status scree__hubs_make(const scree_graph *g, const scree__transpose *t, const uint8_t *class, scree__hubs *h) {
  h->degree = hub_degree(g);
  scree_status status = share_locations(g, h);
  if (status || !h->count) return status;
  h->offsets = calloc((size_t)h->count + 2, sizeof *h->offsets);
  status = scree__ordering_ready(g, h->offsets != NULL, (size_t)(h->count + 2) * 8);
  if (status) return status;
  const uint8_t min = scree__degree_class(h->degree);
  scatter(g, t, class, min, h);
  for (uint64_t i = 1; i <= h->count; i++) h->offsets[i + 1] += h->offsets[i];
  const size_t bytes = (size_t)(h->offsets[h->count + 1] + 1) * sizeof *h->members;
  h->members = scree_graphs_alloc(g->graphs, bytes);
  status = scree__ordering_ready(g, h->members != NULL, bytes);
  if (status == SCREE_OK) scatter(g, t, class, min, h);
  return status;
}

void scree__hubs_free(scree__hubs *h) {
  free(h->location);
  free(h->offsets);
  scree_huge_free(h->members);
  *h = (scree__hubs){0};
}
