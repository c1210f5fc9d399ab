/* hubs.c - the arcs of the heaviest vertices, kept where they lead; see sorted.h.
 *
 * Room: which vertices are heavy, made known to all ranks, and each rank's share of their arcs. */
#include <stdlib.h>

#include "common/sorted.h"
#include "graph/internal.h"

enum { LEAST = 64, OVER_MEAN = 16 };

/* Vertices with so many arcs, less one, are heavy: a power of two, where a class of degrees begins. */
static uint64_t heavy_from(const scree_graph *g) {
  const uint64_t mean = g->arcs / g->vertices.n;
  uint64_t heavy = LEAST;
  while (heavy < OVER_MEAN * mean) heavy *= 2;
  return heavy - 1;
}

static void take_places(scree_graphs *graphs, const void *data, size_t bytes, void *arg) {
  if (!scree__words_add(arg, data, bytes / sizeof(uint64_t)))
    scree_fail(graphs->worker, SCREE_ENOMEM, "out of memory for the heaviest vertices of a graph");
}

/* All heavy vertices, ascending by packed place. */
static scree_status share_places(const scree_graph *g, scree__hubs *hubs, scree__words *all) {
  scree_graphs *graphs = g->graphs;
  scree_status status = scree__phase_begin(graphs, NULL, take_places, all);
  if (status) return status;
  for (uint64_t u = 0; u < g->locals; u++) {
    if (scree_graph_degree(g, u) < hubs->degree) continue;
    uint64_t place = scree_graph_pack(g, scree_location_make(scree_graph_rank(g), u));
    for (uint32_t rank = 0; rank < scree_ranks(graphs->worker); rank++)
      graph_bytes_send(graphs->worker, graphs->bytes, rank, &place, sizeof place);
  }
  status = scree__phase_end(graphs, NULL);
  if (status) return status;
  return scree__agree(graphs, scree__words_unique(all) ? SCREE_OK : scree__no_memory(graphs, all->count * 8));
}

uint64_t scree__hub_at(const scree__hubs *hubs, uint64_t place) {
  uint64_t low = 0, high = hubs->count;
  while (low + 1 < high) {
    uint64_t middle = low + (high - low) / 2;
    if (hubs->places[middle] <= place)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* Calls for each arc from a hub to a vertex of this rank: at the front of that vertex's row, which is sorted. With
 * members NULL counts into offsets[hub + 2], else deals out, offsets[hub + 1] being the next place. */
static void deal(const scree_graph *g, const scree__backward *b, const uint8_t *class, uint8_t min, scree__hubs *h) {
  for (uint64_t i = 0; i < b->with_count; i++) {
    const uint32_t u = b->with[i];
    for (uint64_t e = b->offsets[u]; e < b->offsets[u + 1]; e++) {
      const uint64_t tail = scree__head_get(b->tails, g->wide, e);
      if (class[tail] < min) break;
      const uint64_t hub = scree__hub_at(h, tail);
      if (h->members)
        h->members[h->offsets[hub + 1]++] = u;
      else
        h->offsets[hub + 2]++;
    }
  }
}

scree_status scree__hubs_make(const scree_graph *g, const scree__backward *b, const uint8_t *class, scree__hubs *h) {
  scree__words all = {0};
  h->degree = heavy_from(g);
  scree_status status = share_places(g, h, &all);
  h->places = all.at;
  h->count = all.count;
  if (status || !h->count) return status;
  h->offsets = calloc((size_t)h->count + 2, sizeof *h->offsets);
  status = scree__agree(g->graphs, h->offsets ? SCREE_OK : scree__no_memory(g->graphs, (h->count + 2) * 8));
  if (status) return status;
  const uint8_t min = scree__degree_class(h->degree);
  deal(g, b, class, min, h);
  for (uint64_t i = 1; i <= h->count; i++) h->offsets[i + 1] += h->offsets[i];
  const size_t bytes = (size_t)(h->offsets[h->count + 1] + 1) * sizeof *h->members;
  h->members = scree__graph_array(g->graphs, bytes);
  status = scree__agree(g->graphs, h->members ? SCREE_OK : scree__no_memory(g->graphs, bytes));
  if (status == SCREE_OK) deal(g, b, class, min, h);
  return status;
}

void scree__hubs_free(scree__hubs *h) {
  free(h->places);
  free(h->offsets);
  scree_huge_free(h->members);
  *h = (scree__hubs){0};
}
